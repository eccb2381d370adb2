package stats

import (
	"cmp"
	"strings"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// noContender stands for games without a contender. They count as games of one more
// contender.
const noContender = "(none)"

// RatedGames collects a player's rated games, to compare the contenders that played
// them. The zero value is empty and ready to use.
type RatedGames struct {
	// All counts games that say nothing of strength, too. It must be set before the first
	// game is added.
	All bool

	games                         []observation
	contenders, opponents, speeds nameIndex
	provisional                   []bool         // by opponent
	purposes                      []string       // for which games each contender was last
	named                         bool           // one of the games has a contender, or one that was left out
	leftOut                       map[string]int // games by reason
}

// Add adds a game. It is ignored if it was casual, has no result, or if the opponent's
// rating is unknown, and left out if it says nothing of strength.
func (r *RatedGames) Add(g *record.PlayerView) {
	if !isCandidate(g) {
		return
	}
	r.named = r.named || g.Contender != ""
	if reason := irrelevance(g.Summary); reason != "" && !r.All {
		if r.leftOut == nil {
			r.leftOut = map[string]int{}
		}
		r.leftOut[reason]++
		return
	}
	o := observation{
		contender: r.contender(g.Summary),
		opponent:  r.opponent(&g.Opponent),
		speed:     r.speeds.of(string(g.Speed)),
		began:     g.Created.Unix(),
		color:     1, pool: -0.5,
		rating: float64(g.Opponent.Rating),
		score:  g.Result.Points(g.Color),
	}
	if g.Color == rules.Black {
		o.color = -1
	}
	if g.Opponent.IsBot() {
		o.pool = 0.5
	}
	r.games = append(r.games, o)
}

// isCandidate reports whether a game is one of those that are compared.
func isCandidate(g *record.PlayerView) bool {
	return g.Rated && g.Result != rules.NoResult && g.Opponent.Rating != 0
}

// maxFallbacks is how many fallback moves a game may have and still count for its
// contender: some tenth of the moves of a usual game. Time trouble and a crash cost a
// program as many, and that is its own weakness.
const maxFallbacks = 3

// irrelevance returns why a game with a result says nothing about its players' strength, "" if it
// does. A loss on time is a weakness like any other. What Lichess left unrated says nothing,
// whatever the reason.
func irrelevance(g *record.Summary) string {
	switch {
	case g.Fallbacks > maxFallbacks:
		return "too many fallback moves"
	case g.Uncounted != "":
		return "not rated by Lichess"
	case g.Status == lichess.StatusTimeout:
		return "a player left"
	case g.Status == lichess.StatusCheat:
		return "rules infraction"
	}
	return ""
}

// contender returns the number of the contender that played a game.
func (r *RatedGames) contender(g *record.Summary) int {
	i := r.contenders.of(cmp.Or(g.Contender, noContender))
	if i == len(r.purposes) {
		r.purposes = append(r.purposes, "")
	}
	r.purposes[i] = strings.Clone(g.ContenderFor) // as in nameIndex.of
	return i
}

// opponent returns the number of an opponent, which is another one while the rating is
// provisional.
func (r *RatedGames) opponent(p *record.Player) int {
	name := strings.ToLower(p.Name)
	if p.Provisional {
		name += "?" // which no name contains
	}
	i := r.opponents.of(name)
	if i == len(r.provisional) {
		r.provisional = append(r.provisional, p.Provisional)
	}
	return i
}

// HasContenders reports whether one of the games has a contender.
func (r *RatedGames) HasContenders() bool { return r.named }

// nameIndex numbers names in the order in which they first occur.
type nameIndex map[string]int

func (n *nameIndex) of(name string) int {
	i, known := (*n)[name]
	if !known {
		if *n == nil {
			*n = nameIndex{}
		}
		i = len(*n)
		(*n)[strings.Clone(name)] = i // it may be a part of the whole game's text
	}
	return i
}
