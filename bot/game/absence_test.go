package game

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// No win is claimed on our turn, nor when the notices have stopped: the server does
// not tell of most returns.
func TestGame_ClaimsOnlyWhileGone(t *testing.T) {
	for name, tt := range map[string]struct {
		moves  string
		last   time.Duration
		claims int
	}{
		"away":            {"e2e4", time.Second, 1},
		"our turn":        {"", time.Second, 0},
		"notices stopped": {"e2e4", noticeGap + time.Second, 0},
	} {
		g, client := gameAfter(t, tt.moves, config.Config{})
		g.absence = absence{since: time.Now().Add(-time.Minute), last: time.Now().Add(-tt.last)}
		g.claimVictory(t.Context())
		g.wg.Wait()
		if n := len(client.requests("claim")); n != tt.claims {
			t.Errorf("%s: %d claims, want %d", name, n, tt.claims)
		}
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

// The win is claimed when the server says so, and not if the opponent is back, or the
// server does not say when.
func TestGame_ClaimsOnlyWhenClaimable(t *testing.T) {
	now, later := new(lichess.Seconds), new(lichess.Seconds(20))
	type gone = lichess.OpponentGone
	for name, tt := range map[string]struct {
		events []gone
		armed  bool
	}{
		"now":                {[]gone{{Gone: true, ClaimWinIn: now}}, true},
		"later":              {[]gone{{Gone: true, ClaimWinIn: later}}, true},
		"not said when":      {[]gone{{Gone: true}}, false},
		"came back":          {[]gone{{Gone: true, ClaimWinIn: later}, {}}, false},
		"game not known yet": {[]gone{{Gone: true, ClaimWinIn: later}}, false},
	} {
		g, _ := gameAfter(t, "e2e4", config.Config{})
		if name == "game not known yet" {
			g.full = nil
		}
		for _, e := range tt.events {
			g.opponentGone(&e)
		}
		if armed := g.claimTimer.Stop(); armed != tt.armed { // armed also if it was due at once
			t.Errorf("%s: claims %t", name, armed)
		}
	}
}

// In a correspondence game an opponent has days for the first move.
func TestGame_NoAbortWithoutClock(t *testing.T) {
	for _, clock := range []time.Duration{0, time.Minute} {
		g, _ := gameAfter(t, "e2e4", config.Config{Games: config.Games{AbortAfter: time.Hour}})
		g.full.Clock = lichess.Clock{Initial: clock}
		g.watchFirstMove(t.Context(), true, time.Time{})
		if armed := g.firstMoveTimer.Stop(); armed != (clock > 0) {
			t.Errorf("with a clock of %s: aborts %t", clock, armed)
		}
	}
}

// A reload that turns aborts on or off reaches a game that waits.
func TestGame_AbortAfterReload(t *testing.T) {
	c := config.Config{Games: config.Games{AbortAfter: time.Hour}}
	g, client := gameAfter(t, "e2e4", c)
	g.opts.Settings = func() *config.Config { return &c }
	g.watchFirstMove(t.Context(), true, time.Time{})
	g.firstMoveTimer.Stop() // as if it had fired
	c.Games.AbortAfter = 0
	g.handleNoShow()
	if g.firstMoveTimer.Stop() {
		t.Error("turned off: the timer runs")
	}
	g.confirmBoard(t.Context(), time.Now())
	c.Games.AbortAfter = time.Hour
	g.confirmBoard(t.Context(), time.Now())
	if !g.firstMoveTimer.Stop() {
		t.Error("turned on: no timer runs")
	}
	g.wg.Wait()
	if n := len(client.requests("abort")); n != 0 {
		t.Errorf("%d aborts", n)
	}
}
