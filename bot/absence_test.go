package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
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
	r.start(func(b *Bot) { b.timing.games.ClaimMargin, b.timing.games.BotAbsence = time.Millisecond, 3*time.Second })
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
