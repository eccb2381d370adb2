package bot

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// Matchmaking configures challenges to other bots while the bot is idle.
type Matchmaking struct {
	Enabled bool
	Idle    time.Duration // without a game before a challenge
	Wait    time.Duration // for an answer
	Offers  []GameOffer   // what to propose; drawn by weight

	Rating              challenge.Range[int] // of opponents; 0 is no bound
	MaxRatingDifference int                  // to our own rating; 0 for any
	TargetDifference    int                  // opponents who are so much stronger are met most

	Hours       []HourSpan // in which to challenge; none means always
	GamesPerDay int        // against bots, whoever began them

	GamesPerOpponent int           // a day; 0 for any number
	InARow           int           // games with one opponent before a rest; 0 for any number
	Rest             time.Duration // after so many games in a row
	Paired           bool          // play each opponent twice, with colours changed

	Pauses opponent.Pauses // of an opponent that refuses

	Arenas Arenas
}

// GameOffer is a kind of game to propose, drawn by weight.
type GameOffer struct {
	opponent.Offer
	Weight int
}

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

// fairnessWindow is the time over which opponents get their fair share of games.
const fairnessWindow = 7 * day

// planner chooses whom to challenge, and to what. Its only clock is its arguments.
type planner struct {
	terms  Matchmaking
	blocks func(*lichess.Player) bool // whether a user is never to be challenged
	memory *opponent.Memory
	random *rand.Rand
}

// rank returns proposals to the bots that may be challenged now: the second games of
// pairs first, then by the smallest part played of a bot's share.
func (p *planner) rank(now time.Time, me *lichess.Account, online []lichess.Account) []proposal {
	var list []proposal
	for i := range online {
		standing := p.memory.Standing(strings.ToLower(online[i].ID), now)
		if p.eligible(now, me, &online[i], &standing) {
			list = p.propose(list, now, me, &online[i], &standing)
		}
	}
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

// eligible reports whether a bot may be challenged now.
func (p *planner) eligible(now time.Time, me, bot *lichess.Account, s *opponent.Standing) bool {
	id, player := strings.ToLower(bot.ID), &lichess.Player{ID: bot.ID, Name: bot.Username}
	perf := bot.Perfs[lichess.Crazyhouse]
	switch {
	case id == "" || strings.EqualFold(bot.ID, me.ID), bot.Disabled, bot.TOSViolation,
		p.blocks(player):
		return false
	case perf.Games == 0 || !p.inWindow(perf.Rating, me.Perfs[lichess.Crazyhouse].Rating):
		return false
	case s.Resting:
		return false
	}
	if most := p.terms.GamesPerOpponent; most > 0 && p.memory.CountSince(id, now.Add(-day)) >= most {
		return false
	}
	if most := p.terms.InARow; most > 0 {
		streak, last := p.memory.Streak(id, p.terms.Rest)
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
func (p *planner) propose(list []proposal, now time.Time, me, bot *lichess.Account, s *opponent.Standing) []proposal {
	id := strings.ToLower(bot.ID)
	n := proposal{opponent: id, name: bot.Username}
	offers := slices.DeleteFunc(slices.Clone(p.terms.Offers), func(g GameOffer) bool { return s.Declines(g.Offer) })
	if due := s.Pending; p.terms.Paired && due != nil {
		i := slices.IndexFunc(offers, func(g GameOffer) bool { return g.Control() == due.Control && g.Rated == due.Rated })
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
	if white, known := p.memory.LastColor(id); known && !p.terms.Paired {
		n.white = !white
	}
	difference := bot.Perfs[lichess.Crazyhouse].Rating - me.Perfs[lichess.Crazyhouse].Rating
	n.share = float64(p.memory.CountSince(id, now.Add(-fairnessWindow))+1) / p.weight(difference, s.Incidents)
	return append(list, n)
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
