package bot

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// Matchmaking configures challenges to other bots while the bot is idle.
type Matchmaking struct {
	Enabled bool
	Idle    time.Duration // without a game before a challenge
	Wait    time.Duration // for an answer
	Offers  []GameOffer   // what to propose; drawn by weight

	Rating              Range[int] // of opponents; 0 is no bound
	MaxRatingDifference int        // to our own rating; 0 for any
	TargetDifference    int        // opponents who are so much stronger are met most

	Hours       []HourSpan // in which to challenge; none means always
	GamesPerDay int        // against bots, whoever began them

	GamesPerOpponent int           // a day; 0 for any number
	InARow           int           // games with one opponent before a rest; 0 for any number
	Rest             time.Duration // after so many games in a row
	Paired           bool          // play each opponent twice, with colours changed

	FirstPause   time.Duration // after a refusal; doubles with each one more
	LongestPause time.Duration

	Arenas Arenas
}

// GameOffer is a kind of game to propose.
type GameOffer struct {
	Initial, Increment time.Duration
	Rated              bool
	Weight             int
}

// control formats the time control as in the state file.
func (o GameOffer) control() string {
	return fmt.Sprintf("%g+%g", o.Initial.Seconds(), o.Increment.Seconds())
}

// estimate is Lichess's estimate of the time that a side needs.
func (o GameOffer) estimate() time.Duration { return o.Initial + 40*o.Increment }

// proposal is a challenge that could be sent now.
type proposal struct {
	opponent string // id
	name     string
	offer    GameOffer
	white    bool // we have White
	second   bool // the second game of a pair
	share    float64
}

// game describes the game that the proposal may lead to.
func (n *proposal) game() slots.Game { return slots.Game{Opponent: n.opponent, Bot: true, Clock: true} }

// planner chooses whom to challenge, and to what. Its only clock is its arguments.
type planner struct {
	terms       Matchmaking
	block       []string
	blocklisted func(*lichess.Player) bool // on a block list besides; nil for none
	memory      *memory
	random      *rand.Rand
}

// rank returns proposals to the bots that may be challenged now: the second games of
// pairs first, then by the smallest part played of a bot's share.
func (p *planner) rank(now time.Time, me *lichess.Account, online []lichess.Account) []proposal {
	var list []proposal
	p.memory.state.View(func(s *record.Memory) {
		for i := range online {
			if p.eligible(now, me, &online[i], s.Opponents[strings.ToLower(online[i].ID)]) {
				list = p.propose(list, now, me, &online[i], s.Opponents[strings.ToLower(online[i].ID)])
			}
		}
	})
	p.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b proposal) int {
		return cmp.Or(-cmp.Compare(boolToInt(a.second), boolToInt(b.second)), cmp.Compare(a.share, b.share))
	})
	return list
}

func boolToInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// eligible reports whether a bot may be challenged now. o is what is remembered of
// it, or nil.
func (p *planner) eligible(now time.Time, me, bot *lichess.Account, o *record.Opponent) bool {
	id, player := strings.ToLower(bot.ID), &lichess.Player{ID: bot.ID, Name: bot.Username}
	perf := bot.Perfs[lichess.Crazyhouse]
	switch {
	case id == "" || strings.EqualFold(bot.ID, me.ID), bot.Disabled, bot.TOSViolation,
		containsPlayer(p.block, player), p.blocklisted != nil && p.blocklisted(player):
		return false
	case perf.Games == 0 || !p.inWindow(perf.Rating, me.Perfs[lichess.Crazyhouse].Rating):
		return false
	case o != nil && (now.Before(o.RestUntil) || abortsTooOften(o, now)):
		return false
	}
	if most := p.terms.GamesPerOpponent; most > 0 && p.memory.countSince(id, now.Add(-day)) >= most {
		return false
	}
	if most := p.terms.InARow; most > 0 {
		streak, last := p.memory.streak(id, p.terms.Rest)
		return streak < most || !now.Before(last.Add(p.terms.Rest))
	}
	return true
}

func (p *planner) inWindow(rating, own int) bool {
	difference := max(rating-own, own-rating)
	return rating >= p.terms.Rating.Min && (p.terms.Rating.Max == 0 || rating <= p.terms.Rating.Max) &&
		(p.terms.MaxRatingDifference == 0 || own == 0 || difference <= p.terms.MaxRatingDifference)
}

// propose appends a proposal to a bot, if it accepts any of our offers.
func (p *planner) propose(list []proposal, now time.Time, me, bot *lichess.Account, o *record.Opponent) []proposal {
	id := strings.ToLower(bot.ID)
	if o == nil {
		o = new(record.Opponent)
	}
	n := proposal{opponent: id, name: bot.Username}
	offers := slices.DeleteFunc(slices.Clone(p.terms.Offers), func(g GameOffer) bool { return declines(o, g, now) })
	if due := o.Pending; p.terms.Paired && due != nil && now.Before(due.Until) {
		i := slices.IndexFunc(offers, func(g GameOffer) bool { return g.control() == due.Control && g.Rated == due.Rated })
		if i >= 0 {
			n.second, n.white, n.offer = true, due.White, offers[i]
			return append(list, n)
		}
	}
	if len(offers) == 0 {
		return list
	}
	n.offer = p.pickOffer(offers)
	n.white = p.random.IntN(2) == 0
	if white, known := p.memory.lastColor(id); known && !p.terms.Paired {
		n.white = !white
	}
	difference := bot.Perfs[lichess.Crazyhouse].Rating - me.Perfs[lichess.Crazyhouse].Rating
	n.share = float64(p.memory.countSince(id, now.Add(-fairnessWindow))+1) / p.weight(difference, p.incidents(o, id, now))
	return append(list, n)
}

// incidents counts an opponent's recent games that it aborted or stalled.
func (p *planner) incidents(o *record.Opponent, id string, now time.Time) int {
	return abortsSince(o, now.Add(-rememberAborts)) + p.memory.stalls(id, now)
}

// weight is an opponent's share of the games: smaller the farther it is from the
// target rating, and the more incidents it has.
func (p *planner) weight(difference, incidents int) float64 {
	const (
		half  = 300.0 // points off the target at which the share is half
		least = 0.25
	)
	off := float64(difference-p.terms.TargetDifference) / half
	return max(least, 1/(1+off*off)) / float64(1+incidents)
}

// pickOffer picks an offer at random, by weight.
func (p *planner) pickOffer(offers []GameOffer) GameOffer {
	sum := 0
	for _, o := range offers {
		sum += max(o.Weight, 1)
	}
	n := p.random.IntN(sum)
	for _, o := range offers {
		if n -= max(o.Weight, 1); n < 0 {
			return o
		}
	}
	return offers[len(offers)-1]
}

// declines reports whether an opponent has declined such a game before.
func declines(o *record.Opponent, g GameOffer, now time.Time) bool {
	t := &o.Terms
	switch {
	case !now.Before(o.TermsUntil):
		return false
	case g.Rated && t.Rated, !g.Rated && t.Casual,
		t.TooFast > 0 && g.estimate() <= t.TooFast, t.TooSlow > 0 && g.estimate() >= t.TooSlow:
		return true
	}
	return slices.Contains(t.Controls, g.control())
}
