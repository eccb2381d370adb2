package bot

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// The win is claimed from an opponent who left, a second after the time that the
// server tells, which is cut off. A refused claim is made again; a draw is never
// claimed.
func TestGame_ClaimsTheWin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*lichesstest.Faults)
	}{
		{"in time", func(*lichesstest.Faults) {}},
		{"again after it was too early", func(f *lichesstest.Faults) { f.EarlyClaims(2) }},
		{"again after a page of the proxy", func(f *lichesstest.Faults) { f.Fail("command", 1, 400) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{ClaimAfter: 2500 * time.Millisecond, PresenceInterval: 400 * time.Millisecond})
			r.start(nil)
			p := r.challengeAsHuman(withColor(blitz, "white"))
			p.play(0, "e2e4")
			r.plies(p.id, 2)
			tt.spoil(r.Faults)
			p.perform(lichesstest.Action{Leave: time.Hour})
			if result := r.finished(p.id); result.Status != "timeout" || result.Winner != "black" {
				t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
			}
			refusals := r.log.messages("win not granted yet: claimed again while the opponent stays away")
			if tt.name == "in time" && refusals != 0 {
				t.Errorf("%d claims were too early", refusals)
			}
		})
	}
}

// A bot that merely reconnects shows as gone: it loses only when it has been gone
// for a while.
func TestGame_ClaimsFromABotLater(t *testing.T) {
	r := newRig(t, lichesstest.Options{ClaimAfter: time.Millisecond, PresenceInterval: 50 * time.Millisecond, LeaveAfter: 50 * time.Millisecond})
	r.start(func(b *Bot) { b.timing.claimMargin, b.timing.botAbsence = time.Millisecond, 3*time.Second })
	rival := r.challengeAsBot(withColor(blitz, "white"))
	stream, err := rival.StreamGame(t.Context(), rival.id)
	if err != nil {
		t.Fatal(err)
	}
	rival.play(0, "e2e4")
	r.plies(rival.id, 2)
	stream.Close()
	const reason = "opponent gone: as a bot it may only be reconnecting"
	eventually(t, "the log says why no win is claimed", func() bool { return r.log.messages(reason) == 1 })
	told := time.Now()
	if result := r.finished(rival.id); result.Status != "timeout" || result.Winner != "black" {
		t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
	}
	if gone := time.Since(told); gone < 2*time.Second {
		t.Errorf("claimed after %s", gone)
	}
}

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
			r := newRig(t, lichesstest.Options{})
			g := newGame(New(Options{Client: r.client()}), "abcd1234", zerolog.New(r.log))
			g.full, g.us, g.board = new(lichess.GameFull), tt.us, newBoard(rules.StartPosition())
			g.absence = absence{since: time.Now().Add(-time.Minute), last: time.Now().Add(-tt.last)}
			g.claimVictory(t.Context())
			g.wg.Wait()
			if n := r.log.messages("opponent left: claiming the win"); n != tt.claims {
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
			g := newGame(New(Options{}), "abcd1234", zerolog.Nop())
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
		spec  lichesstest.ChallengeSpec
		armed bool
	}{"correspondence": {lichesstest.ChallengeSpec{Days: 2}, false}, "clock": {blitz, true}} {
		t.Run(name, func(t *testing.T) {
			g := newGame(New(Options{AbortAfter: time.Hour}), "abcd1234", zerolog.Nop())
			g.full = &lichess.GameFull{}
			if tt.spec.Limit > 0 {
				g.full.Clock = new(lichess.Clock)
			}
			g.board = newBoard(position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"))
			g.us = 1 - g.board.start.Turn()
			g.watchFirstMove(t.Context(), true)
			if armed := g.noShowTimer.Stop(); armed != tt.armed {
				t.Errorf("aborts: %t", armed)
			}
		})
	}
}
