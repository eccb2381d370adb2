package matchmaking

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// The matchmaker waits while a game with a clock is on or a human waits, and as long
// as the server starts no games against bots.
func TestMatchmaker_WaitTime(t *testing.T) {
	c := newTestConfig(nil)
	humanWaits := false
	c.HumanWaits = func() bool { return humanWaits }
	m := NewMatchmaker(c, NewOutgoing(c))
	m.loadSettings()
	now := time.Now()
	later := now.Add(time.Hour)
	if wait := m.waitTime(later); wait != 0 {
		t.Errorf("idle, but the wait is %s", wait)
	}
	humanWaits = true
	if wait := m.waitTime(later); wait != m.settings.Idle {
		t.Errorf("a human waits, but the wait is %s", wait)
	}
	humanWaits = false
	c.Slots.Register("game", slots.Game{Opponent: "alice", Clock: true})
	if wait := m.waitTime(later); wait != m.settings.Idle {
		t.Errorf("in a game, but the wait is %s", wait)
	}
	c.Slots.Release("game")
	c.Opponents.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: 12 * time.Hour}, "rival", now)
	if wait := m.waitTime(later); wait != time.Hour {
		t.Errorf("the quota is used up, but the wait is %s", wait)
	}
}

// FuzzPlanner_Rank proposes games to whatever the server calls bots.
func FuzzPlanner_Rank(f *testing.F) {
	f.Add([]byte(`[{"id":"A","username":"A","perfs":{"crazyhouse":{"games":9,"rating":2300}}},{"id":"a","perfs":{"crazyhouse":{"games":-1}}}]`))
	f.Add([]byte(`[{"id":"zhbot","perfs":{"crazyhouse":{"games":1,"rating":-9223372036854775808}}},{"id":"b","disabled":true}]`))
	f.Fuzz(func(t *testing.T, list []byte) {
		var online []lichess.Account
		if json.Unmarshal(list, &online) != nil {
			return
		}
		c, account := newTestConfig(nil), &lichess.Account{ID: "zhbot"}
		p := planner{settings: simTerms(), blocks: c.Blocks, memory: c.Opponents, random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // no secret depends on it
		for _, n := range p.rank(time.Now(), newest(account, online), online) {
			if n.opponent == "" || strings.EqualFold(n.opponent, account.ID) || n.offer.Initial == 0 {
				t.Errorf("proposed %+v", n)
			}
		}
	})
}
