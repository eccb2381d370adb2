package matchmaking

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// A new account proposes slow games to the strongest first, whatever the shares are. An
// account from the future is new: the clock of this machine is wrong.
func TestPlanner_NewAccount(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	quick := config.Offer{Clock: lichess.Clock{Initial: time.Minute, Increment: time.Second}, Rated: true, Weight: 100}
	slow := config.Offer{Clock: lichess.Clock{Initial: time.Minute, Increment: 3 * time.Second}, Rated: true}
	var online []lichess.Account
	for name, rating := range map[string]int{"weak": 1500, "even": 1900, "strong": 2400, "stronger": 2410} {
		online = append(online, lichess.Account{ID: name, Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Games: 9, Rating: rating}}})
	}
	strongestFirst := []string{"stronger", "strong", "even", "weak"}
	for _, tt := range []struct {
		name           string
		age            time.Duration // 0 if unknown
		offers         []config.Offer
		restricted     bool
		onlySlow       bool
		note           string
		pending, first string
	}{
		{name: "new", age: 6 * day, offers: []config.Offer{quick, slow}, restricted: true, onlySlow: true, note: "only offers of 3 minutes"},
		{name: "from the future", age: -900 * day, offers: []config.Offer{quick, slow}, restricted: true, onlySlow: true, note: "only offers of 3 minutes"},
		{name: "without slow offers", age: day, offers: []config.Offer{quick}, restricted: true, note: "has none of 3 minutes"},
		{name: "second game of a pair", age: day, offers: []config.Offer{quick, slow}, onlySlow: true, note: "only offers", pending: "weak", first: "weak"},
		{name: "a week old", age: 7 * day, offers: []config.Offer{quick, slow}},
		{name: "of unknown age", offers: []config.Offer{quick, slow}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTestConfig(nil)
			p := planner{
				settings: config.Matchmaking{Enabled: true, Offers: tt.offers, Pairs: true, Rating: config.MatchRating{Target: -400}},
				blocks:   c.Blocks, memory: c.Opponents, random: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // no secret depends on it
			}
			if tt.pending != "" {
				c.Opponents.BeginPair(tt.pending, slow, true, now)
			}
			me := &lichess.Account{ID: "zhbot", Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Rating: 1900}}}
			if tt.age != 0 {
				me.CreatedAt = lichess.Millis(now.Add(-tt.age).UnixMilli())
			}
			var order []string
			hasQuick := false
			for range 20 {
				order = nil
				for _, n := range p.rank(now, me, online) {
					order = append(order, n.opponent)
					hasQuick = hasQuick || n.offer == quick
				}
			}
			if hasQuick == tt.onlySlow {
				t.Errorf("quick games proposed: %t", hasQuick)
			}
			if slices.Equal(order, strongestFirst) != tt.restricted || tt.first != "" && order[0] != tt.first {
				t.Errorf("order %q", order)
			}
			if note := NewAccountNote(&p.settings, me, now); (note == "") != (tt.note == "") || !strings.Contains(note, tt.note) {
				t.Errorf("note %q", note)
			}
		})
	}
}
