package matchmaking

import (
	"context"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// The next challenge waits while a game with a clock is on or a human waits, and as long
// as the server starts no games against bots.
func TestChallenger_WaitTime(t *testing.T) {
	c := newTestConfig(nil)
	humanWaits := false
	c.HumanWaits = func() bool { return humanWaits }
	m := NewChallenger(c)
	m.loadSettings()
	now := time.Now()
	later := now.Add(time.Hour)
	if wait := m.waitTime(later); wait != 0 {
		t.Errorf("idle, but the wait is %s", wait)
	}
	humanWaits = true
	if wait := m.waitTime(later); wait != m.planner.settings.Idle {
		t.Errorf("a human waits, but the wait is %s", wait)
	}
	humanWaits = false
	playing, end := context.WithCancel(t.Context())
	defer end()
	c.Games.Start(playing, "game", game.Info{Opponent: "alice", Clock: true})
	if wait := m.waitTime(later); wait != m.planner.settings.Idle {
		t.Errorf("in a game, but the wait is %s", wait)
	}
	m.planner.settings.Idle = 0
	if wait := m.waitTime(later); wait != c.Timing.Interval {
		t.Errorf("in a game, not to be idle before a challenge, but the wait is %s", wait)
	}
	end()
	fixture.Until(t, "the game is over", func() bool { return !c.Games.Has("game") })
	c.Opponents.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: 12 * time.Hour},
		"rival", now)
	if wait := m.waitTime(later); wait != time.Hour {
		t.Errorf("the quota is used up, but the wait is %s", wait)
	}
}

// A challenge that is being prepared when matchmaking is turned off, or its receiver is blocked, is
// not sent.
func TestChallenger_Unwanted(t *testing.T) {
	for _, during := range []string{"GET /api/bot/online", "GET /api/users/status"} {
		settings, changed := config.Default().Matchmaking, false
		settings.Enabled, settings.Idle = true, 0
		s, c := newTestServer(t, func(o *lichess.Options) {
			o.Observe = func(o lichess.Observation) { changed = changed || o.Endpoint == during }
		})
		s.AddBotPlayer("rival", lichesstest.Idle())
		s.SetPerf("rival", 1500, 100)
		c.Settings = func() *config.Matchmaking {
			settings.Enabled = !changed || during != "GET /api/bot/online"
			return &settings
		}
		c.Blocks = func(p *lichess.Player) bool { return changed && settings.Enabled && p.ID == "rival" }
		m := NewChallenger(c)
		close(m.ended) // it waits for no answer
		m.loadSettings()
		if wait := m.step(t.Context()); wait != c.Timing.Interval || !changed {
			t.Errorf("%s: the next look is in %s; changed: %t", during, wait, changed)
		}
		if n := len(s.Challenges("rival")); n != 0 || c.Games.Use().Games != 0 {
			t.Errorf("%s: %d challenges sent, slots %+v", during, n, c.Games.Use())
		}
	}
}

// A game that our own cancel aborts begins no pair.
func TestChallenger_RecordPairCanceled(t *testing.T) {
	c := newTestConfig(nil)
	m := NewChallenger(c)
	m.planner.settings.Pairs = true
	m.Started("canceled")
	m.recordCancel("canceled")
	p := &proposal{opponent: "rival", offer: c.Settings().Offers[0]}
	for id, want := range map[string]bool{"canceled": false, "played": true} {
		m.recordPair(p, id)
		if pair := c.Opponents.Standing("rival", time.Now(), c.Settings().Pause).Pending != nil; pair != want {
			t.Errorf("%s: a second game is due: %t, want %t", id, pair, want)
		}
	}
}

// A challenge that we cancel is remembered: if it was accepted meanwhile, its end is no
// abort of the opponent's.
func TestChallenger_WasCanceled(t *testing.T) {
	s, c := newTestChallenger(t)
	s.AddUser("alice", "")
	id := s.Challenge(me, "alice", blitz)
	c.handleShown(t.Context(), to(id, "alice"), 0)
	c.cfg.Games.Wait()
	if s.Challenges("alice")[0].Status != "canceled" || !c.WasCanceled(id) || c.WasCanceled("other123") {
		t.Error("cancels are not remembered by id")
	}
}
