package game

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// A first move that the server does not wait long for is not searched for longer.
func TestGame_FirstMoveTime(t *testing.T) {
	for _, tt := range []struct {
		name       string
		arena      string
		expiration *lichess.Expiration
		moves      string
		late       time.Duration // since the game was read
		maxTime    time.Duration // of the settings
		want       time.Duration
		flag       time.Duration // until the move must be made; 0 for no such time
	}{
		{name: "no arena"},
		{name: "no arena, a limit of the settings", maxTime: time.Minute, want: time.Minute},
		{name: "arena", arena: "x", expiration: &lichess.Expiration{Idle: 1000, ToMove: 25_000},
			want: maxFirstMoveTime, flag: 24 * time.Second},
		{name: "arena, late", arena: "x", expiration: &lichess.Expiration{Idle: 10_000, ToMove: 25_000},
			late: 6 * time.Second, want: 3 * time.Second, flag: 9 * time.Second},
		{name: "arena, too late", arena: "x", expiration: &lichess.Expiration{ToMove: 25_000}, late: time.Minute,
			want: time.Millisecond, flag: lostClock},
		{name: "arena, a limit of the settings", arena: "x", expiration: &lichess.Expiration{ToMove: 25_000},
			maxTime: time.Second, want: time.Second, flag: 25 * time.Second},
		{name: "arena, a longer one", arena: "x", expiration: &lichess.Expiration{ToMove: 25_000},
			maxTime: time.Minute, want: maxFirstMoveTime, flag: 25 * time.Second},
		{name: "arena that tells no limit", arena: "x", want: maxFirstMoveTime},
		{name: "arena, later", arena: "x", moves: "e2e4 e7e5", flag: lostClock}, // its clock is 0
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, _ := gameAfter(t, tt.moves, config.Config{Engine: config.Engine{MaxTime: tt.maxTime}})
				g.full.TournamentID, g.state.Expiration, g.receivedAt = tt.arena, tt.expiration, time.Now()
				time.Sleep(tt.late)
				l, until := g.limits()
				flag := time.Until(until)
				if until.IsZero() {
					flag = 0
				}
				if l.MoveTime != tt.want || flag != tt.flag {
					t.Errorf("limited to %s and %s, want %s and %s", l.MoveTime, flag, tt.want, tt.flag)
				}
			})
		})
	}
}

// The engine is told what the clocks allow.
func TestGame_LimitsHaveClocks(t *testing.T) {
	g, _ := gameAfter(t, "", config.Config{})
	g.full.Clock.Increment, g.clocks = 2*time.Second, [2]time.Duration{time.Minute, time.Hour}
	if l, _ := g.limits(); l.White != g.clocks[0] || l.Black != g.clocks[1] || l.WhiteInc != 2*time.Second ||
		l.BlackInc != l.WhiteInc || l.Ponder {
		t.Errorf("limits %+v", l)
	}
}

// Without a clock, only a choice takes time.
func TestGame_TimeWithoutClock(t *testing.T) {
	for moves, want := range map[string]time.Duration{
		"":                         thinkWithoutClock,
		"f2f3 e7e6 a2a3 d8h4":      time.Millisecond, // only g2g3 is legal
		"f2f3 e7e6 a2a3 d8h4 g2g3": thinkWithoutClock,
	} {
		g, _ := gameAfter(t, moves, config.Config{})
		g.full.Clock = lichess.Clock{}
		if l, flag := g.limits(); l.MoveTime != want || !flag.IsZero() {
			t.Errorf("after %q the time is %s until %s, want %s", moves, l.MoveTime, flag, want)
		}
	}
}

func TestPanickedPositions_AreBounded(t *testing.T) {
	var s panickedPositions
	for key := range uint64(maxPanickedPositions + 1) {
		s.add(key)
	}
	if len(s.keys) > maxPanickedPositions || !s.has(maxPanickedPositions) {
		t.Errorf("%d positions are remembered", len(s.keys))
	}
}
