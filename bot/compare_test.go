package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A stream misses a move: nothing but the list of games in play ever tells.
func TestGame_FindsAMissedMove(t *testing.T) {
	for _, tt := range []struct {
		name   string
		color  string // the person's
		change func(*Bot)
	}{
		{"of the opponent", "white", func(b *Bot) { b.timing.liveSyncInterval = 50 * time.Millisecond }},
		{"the first, before an abort", "white", func(b *Bot) { b.settings().Play.AbortAfter = 300 * time.Millisecond }},
		{"of ours", "black", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.start(tt.change)
			r.Faults.DropMoves(1)
			p := r.challengeAsHuman(withColor(blitz, tt.color))
			if tt.color == "white" {
				eventually(t, "the stream is open", func() bool { return r.log.messages("game joined") == 1 })
				p.play(0, "e2e4")
				r.plies(p.id, 2)
			} else {
				r.plies(p.id, 1)
			}
			eventually(t, "the game is read again", func() bool { return r.requests(endpointGameStream) > 1 })
			if result, _ := r.Game(p.id); result.Status != "started" {
				t.Errorf("ended by %s", result.Status)
			}
			if n := r.log.messages("stream has missed a move: reading the game again"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			r.checkNoViolations()
		})
	}
}

// The first line of a stream may come after that of a later move: no takeback.
func TestGame_OlderFirstLineIsNoTakeback(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.start(nil)
	r.Faults.DelayGameFull(1)
	p := r.challengeAsHuman(withColor(blitz, "white"))
	eventually(t, "the stream is being opened", func() bool { return r.requests(endpointGameStream) == 1 })
	p.play(0, "e2e4")
	r.plies(p.id, 2)
	p.play(2, "g1f3")
	r.plies(p.id, 4)
	if n := r.requests(endpointGameStream); n != 1 {
		t.Errorf("the game was read %d times", n)
	}
	r.checkNoViolations()
}

// Each opening of a stream can miss a move, so the list is read after each.
func TestGame_ReadsTheListAfterEachOpening(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.start(func(b *Bot) { b.timing.syncInterval, b.timing.liveSyncInterval = time.Hour, time.Hour })
	eventually(t, "the first list is read", func() bool { return r.requests(endpointPlaying) > 0 })
	lists := r.requests(endpointPlaying)
	p := r.challengeAsHuman(withColor(blitz, "white"))
	eventually(t, "the list is read", func() bool { return r.requests(endpointPlaying) > lists })
	p.play(0, "e2e4")
	r.plies(p.id, 2)
	lists = r.requests(endpointPlaying)
	r.Faults.CutStreams(1)
	p.play(2, "g1f3")
	r.plies(p.id, 4)
	eventually(t, "the list is read again", func() bool { return r.requests(endpointPlaying) > lists })
}

// The list is read often only while a clock runs.
func TestBot_ReadsTheListWhileAClockRuns(t *testing.T) {
	b := New(Options{}, Settings{})
	for _, clock := range []bool{false, true} {
		b.slots.Register("abcd1234", slots.Game{})
		b.slots.Update("abcd1234", slots.Game{Clock: clock})
		for range 100 {
			if wait := b.syncWait(); clock && (wait < 15*time.Second || wait > 30*time.Second) || !clock && wait != b.timing.syncInterval {
				t.Fatalf("with a clock: %t, next list in %s", clock, wait)
			}
		}
	}
}
