package matchmaking

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// proposal is a challenge that could be sent now.
type proposal struct {
	opponent string // id
	name     string
	rating   int
	offer    config.Offer
	white    bool    // we have White
	second   bool    // the second game of a pair
	share    float64 // played of the opponent's part of the games; 0 for a second game, which is due first
}

// fairnessWindow is the time over which opponents get their fair share of games.
const fairnessWindow = 7 * day

// planner chooses whom to challenge, and to what. Its only clock is its arguments.
type planner struct {
	settings config.Matchmaking
	gauntlet *record.Gauntlet           // that is in progress; nil for none
	blocks   func(*lichess.Player) bool // reports whether a user is never to be challenged
	memory   *opponent.Memory
	random   *rand.Rand
}

// rank returns proposals to the bots that may be challenged now: the second games of
// pairs first, then by the smallest part played of a bot's share.
func (p *planner) rank(now time.Time, me *lichess.Account, online []lichess.Account) []proposal {
	var list []proposal
	for i := range online {
		standing := p.memory.Standing(strings.ToLower(online[i].ID), now, p.settings.Pause)
		if p.eligible(now, me, &online[i], &standing) {
			list = p.propose(list, now, me, &online[i], &standing)
		}
	}
	p.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b proposal) int { return cmp.Compare(a.share, b.share) })
	return list
}

// eligible reports whether a bot may be challenged now.
func (p *planner) eligible(now time.Time, me, bot *lichess.Account, s *opponent.Standing) bool {
	id, player := strings.ToLower(bot.ID), &lichess.Player{ID: bot.ID, Name: bot.Username}
	perf := bot.Perfs[lichess.Crazyhouse]
	switch {
	case id == "" || strings.EqualFold(bot.ID, me.ID), bot.Disabled, bot.TOSViolation,
		p.blocks(player), !p.isOpponent(id):
		return false
	case p.gauntlet == nil && (perf.Games == 0 || !p.inWindow(perf.Rating, me.Perfs[lichess.Crazyhouse].Rating)):
		return false
	case s.Resting:
		return false
	}
	limit := p.settings.GamesPerOpponent
	return limit <= 0 || p.memory.CountWithin(day, id, now) < limit
}

func (p *planner) inWindow(rating, own int) bool {
	difference := max(rating-own, own-rating)
	return rating >= p.settings.Rating.Min && (p.settings.Rating.Max == 0 || rating <= p.settings.Rating.Max) &&
		(p.settings.Rating.MaxDifference == 0 || own == 0 || difference <= p.settings.Rating.MaxDifference)
}

// propose appends a proposal to a bot, if it accepts any of our offers.
func (p *planner) propose(list []proposal, now time.Time, me, bot *lichess.Account, s *opponent.Standing) []proposal {
	id := strings.ToLower(bot.ID)
	n := proposal{opponent: id, name: bot.Username, rating: bot.Perfs[lichess.Crazyhouse].Rating}
	if p.gauntlet != nil {
		return p.proposeGauntlet(list, n)
	}
	offers := slices.DeleteFunc(slices.Clone(p.settings.Offers), func(g config.Offer) bool { return s.Declines(g) })
	if due := s.Pending; p.settings.Pairs && due != nil {
		i := slices.IndexFunc(offers, func(g config.Offer) bool {
			return opponent.TermsOf(g) == due.Terms
		})
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
	if white, known := p.memory.LastColor(id); known && !p.settings.Pairs {
		n.white = !white
	}
	difference := n.rating - me.Perfs[lichess.Crazyhouse].Rating
	n.share = float64(p.memory.CountWithin(fairnessWindow, id, now)+1) / p.weight(difference, s.Incidents)
	return append(list, n)
}

// weight is an opponent's share of the games: smaller the farther it is from the
// target rating, and the more incidents it has.
func (p *planner) weight(difference, incidents int) float64 {
	const (
		half     = 300.0 // points off the target at which the share is half
		minShare = 0.25
	)
	off := float64(difference-p.settings.Rating.Target) / half
	return max(minShare, 1/(1+off*off)) / float64(1+incidents)
}

// pickOffer picks an offer at random, by weight.
func (p *planner) pickOffer(offers []config.Offer) config.Offer {
	var weighted []config.Offer
	for _, o := range offers {
		weighted = append(weighted, slices.Repeat([]config.Offer{o}, max(o.Weight, 1))...)
	}
	return weighted[p.random.IntN(len(weighted))]
}
