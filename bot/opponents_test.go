package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Over the whole way, an opponent's abort counts against it, and ours does not.
func TestGame_CountsOnlyTheOpponentsAborts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ours   bool
		aborts int
		reason string
	}{
		{"theirs", false, 1, ""},
		{"ours, for want of a first move", true, 0, opponent.NoFirstMove},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{})
			state := record.NewMemoryState()
			r.state = state
			run := r.start(func(b *Bot) {
				b.settings().Play.AbortAfter = time.Hour
				withMatchmaking(nil)(b)
				b.settings().Matchmaking.Enabled = false
				if tt.ours {
					b.settings().Play.AbortAfter = 50 * time.Millisecond
				}
			})
			p := r.challengeAsHuman(withColor(blitz, "white"))
			if !tt.ours {
				p.perform(lichesstest.Action{Abort: true})
			}
			if result := r.finished(p.id); result.Status != "aborted" {
				t.Fatalf("ended by %s", result.Status)
			}
			eventually(t, "the slot is free", func() bool { return !run.slots.Has(p.id) })
			if o := opponentOf(state, humanName); len(o.Aborts) != tt.aborts || o.Reason != tt.reason {
				t.Errorf("%d aborts, reason %q; want %d, %q", len(o.Aborts), o.Reason, tt.aborts, tt.reason)
			}
		})
	}
}

// A challenge that was accepted while we took it back is no abort of the opponent.
func TestOutgoingChallenges_RememberCancels(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddUser("alice", "")
	run := r.start(nil)
	id := r.Challenge(botName, "alice", blitz)
	eventually(t, "it is taken back", func() bool { return r.offered("alice").Status == "canceled" })
	if !run.outgoing.WasCanceled(id) || run.outgoing.WasCanceled("other123") {
		t.Error("cancels are not remembered by id")
	}
}
