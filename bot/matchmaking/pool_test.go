package matchmaking

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// personality is how a simulated bot answers a challenge: with a game ("") or with
// the reason of a refusal.
type personality func(n proposal, r *rand.Rand) string

func always(reason string) personality { return func(proposal, *rand.Rand) string { return reason } }

// willing accepts, but for one time in ten.
func willing(_ proposal, r *rand.Rand) string {
	if r.IntN(10) == 0 {
		return "later"
	}
	return ""
}

func noFaster(least time.Duration) personality {
	return func(n proposal, _ *rand.Rand) string {
		if n.offer.Clock.Estimate() < least {
			return "toofast"
		}
		return ""
	}
}

func onlyCasual(n proposal, _ *rand.Rand) string {
	if n.offer.Rated {
		return "casual"
	}
	return ""
}

// simulatedBot is a bot of the simulated pool, and what happened to it.
type simulatedBot struct {
	lichess.Account
	answers    personality
	aborts     bool // half of its games before they begin
	stalls     bool
	away       config.Hours // hours in which it is offline; none if both are 0
	quotaUntil time.Time

	asked       []time.Time
	offered     []config.Offer
	games       int
	white       int // of these, we had White
	lastRefusal time.Time
}

func (m *simulation) add(name string, rating, games int, c personality) *simulatedBot {
	r := &simulatedBot{Account: lichess.Account{
		ID: name, Username: name, Title: "BOT",
		Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Rating: rating, Games: games}},
	}, answers: c}
	m.pool[name] = r
	return r
}

func (m *simulation) online() (list []lichess.Account) {
	for _, name := range slices.Sorted(maps.Keys(m.pool)) {
		if r := m.pool[name]; r.away == (config.Hours{}) || !r.away.Contain(m.now.Hour()) {
			list = append(list, r.Account)
		}
	}
	return list
}

// friends adds bots that are alike.
func (m *simulation) friends(n int) (names []string) {
	for i := range n {
		name := fmt.Sprintf("friend%02d", i)
		m.add(name, 2300, 500, willing)
		names = append(names, name)
	}
	return names
}
