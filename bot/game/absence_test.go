package game

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// No win is claimed on our turn, nor when the notices have stopped: the server does
// not tell of most returns.
func TestGame_ClaimsOnlyWhileGone(t *testing.T) {
	for _, tt := range []struct {
		name   string
		us     rules.Color // White is to move
		last   time.Duration
		claims int
	}{
		{"away", rules.Black, time.Second, 1},
		{"our turn", rules.White, time.Second, 0},
		{"notices stopped", rules.Black, noticeGap + time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := new(fakeClient)
			g := newTestGame(t, func(o *Options) { o.Client = client })
			g.full, g.us, g.board = new(lichess.GameFull), tt.us, newBoard(rules.StartPosition())
			g.absence = absence{since: time.Now().Add(-time.Minute), last: time.Now().Add(-tt.last)}
			g.claimVictory(t.Context())
			g.wg.Wait()
			if n := len(client.requests("claim")); n != tt.claims {
				t.Errorf("%d claims, want %d", n, tt.claims)
			}
		})
	}
}

// Notices that stop for a while, or a move of the opponent, end an absence.
func TestAbsence_Ends(t *testing.T) {
	var a absence
	begin := time.Now()
	for _, after := range []time.Duration{0, 5 * time.Second, 10 * time.Second} {
		a.update(begin.Add(after))
	}
	if !a.since.Equal(begin) {
		t.Errorf("one absence began %s late", a.since.Sub(begin))
	}
	back := begin.Add(30 * time.Second)
	if a.update(back); !a.since.Equal(back) {
		t.Error("an absence goes on after a long silence")
	}
}

// The win is claimed when the server says so, and not if the opponent is back, has
// moved, or the server does not say when.
func TestGame_ClaimsOnlyWhenClaimable(t *testing.T) {
	now, later := new(lichess.Seconds), new(lichess.Seconds)
	*later = 20
	for _, tt := range []struct {
		name   string
		events []lichess.OpponentGone
		known  bool // the game's first line
		armed  bool
	}{
		{"now", []lichess.OpponentGone{{Gone: true, ClaimWinIn: now}}, true, true},
		{"later", []lichess.OpponentGone{{Gone: true, ClaimWinIn: later}}, true, true},
		{"not said when", []lichess.OpponentGone{{Gone: true}}, true, false},
		{"came back", []lichess.OpponentGone{{Gone: true, ClaimWinIn: later}, {}}, true, false},
		{"game not known yet", []lichess.OpponentGone{{Gone: true, ClaimWinIn: later}}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newTestGame(t, nil)
			if tt.known {
				g.full = new(lichess.GameFull)
			}
			for _, e := range tt.events {
				g.opponentGone(&e)
			}
			if armed := g.claimTimer.Stop(); armed != tt.armed { // armed also if it was due at once
				t.Errorf("claims: %t", armed)
			}
		})
	}
}

// In a correspondence game an opponent has days for the first move.
func TestGame_NoAbortWithoutClock(t *testing.T) {
	for name, tt := range map[string]struct {
		clock lichess.Clock
		armed bool
	}{"correspondence": {lichess.Clock{}, false}, "clock": {lichess.Clock{Initial: time.Minute}, true}} {
		t.Run(name, func(t *testing.T) {
			g := newTestGame(t, func(o *Options) {
				o.Settings = func() *config.Config { return &config.Config{Games: config.Games{AbortAfter: time.Hour}} }
			})
			g.full = &lichess.GameFull{Clock: tt.clock}
			g.board = newBoard(rulestest.Position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"))
			g.us = 1 - g.board.start.Turn()
			g.watchFirstMove(t.Context(), true)
			if armed := g.firstMoveTimer.Stop(); armed != tt.armed {
				t.Errorf("aborts: %t", armed)
			}
		})
	}
}
