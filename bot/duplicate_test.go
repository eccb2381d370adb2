package bot

import (
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestDuplicateDetector_Ended(t *testing.T) {
	r := duplicateDetector{backoff: retry.Backoff{Initial: time.Minute, Max: 3 * time.Minute}, tolerated: 1}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i, tt := range []struct{ after, want time.Duration }{
		{0, 0},
		{duplicateWindow + 1, 0}, // the first is forgotten
		{time.Minute, time.Minute},
		{time.Minute, 2 * time.Minute},
		{time.Minute, 3 * time.Minute},
		{duplicateWindow, 3 * time.Minute},
		{duplicateWindow + 1, 0},
	} {
		now = now.Add(tt.after)
		if got := r.streamEnded(now); got != tt.want {
			t.Errorf("end %d: %s, want %s", i+1, got, tt.want)
		}
	}
}

// Two programs with one token end each other's event stream. Both say so, and
// games go on.
func TestRun_SecondInstance(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(20, 0))
	r.start(nil)
	id := r.Challenge("alice", botName, blitz)
	r.plies(id, 2)
	var w eventRecorder
	r.start(func(b *Bot) { b.opts.Observe, b.opts.Archive = w.observe, nil })
	eventually(t, "the second instance is seen", func() bool { return len(eventsOf[event.SecondInstance](&w)) > 0 })
	if len(r.log.errors()) == 0 {
		t.Error("nothing is said")
	}
	r.finished(id)
}

// A server that restarts is no second instance, however often.
func TestRun_RestartIsNoSecondInstance(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	var w eventRecorder
	r.start(func(b *Bot) { b.opts.Observe = w.observe })
	for n := range 3 {
		r.Restart(300 * time.Millisecond)
		eventually(t, "the stream is open again", func() bool { return len(eventsOf[event.StreamOpened](&w)) == n+2 })
	}
	if n := len(eventsOf[event.SecondInstance](&w)); n != 0 {
		t.Errorf("a second instance was seen %d times", n)
	}
	if n := r.requests(endpointEventStream); n != 4 {
		t.Errorf("%d openings, want 4: none while the server is down", n)
	}
}

// Two programs that play the same game end each other's stream of it: that is
// noticed, and the stream is not opened all the time.
func TestRun_SecondInstanceInAGame(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", lichesstest.Idle())
	var w eventRecorder
	r.start(func(b *Bot) {
		b.opts.Observe = w.observe
		b.timing.gameDuplicateBackoff = retry.Backoff{Initial: time.Hour, Max: time.Hour}
		b.timing.liveSyncInterval = time.Hour
	})
	id := r.Challenge("alice", botName, withColor(lichesstest.ChallengeSpec{Days: 3}, "white"))
	other := r.clientOf(r.token, nil)
	if _, err := other.Account(t.Context()); err != nil { // for the same User-Agent
		t.Fatal(err)
	}
	opened := func() int {
		return len(slices.DeleteFunc(eventsOf[event.StreamOpened](&w), func(e event.StreamOpened) bool { return e.Game != id }))
	}
	for n := range 4 {
		eventually(t, "the game's stream is open", func() bool { return opened() == n+1 })
		stream, err := other.StreamGame(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		if _, err := stream.Next(); err != nil {
			t.Fatal(err)
		}
		if n < 3 {
			continue
		}
		eventually(t, "the stream is left to the other program", func() bool {
			lost := eventsOf[event.StreamLost](&w)
			return len(lost) > 0 && lost[len(lost)-1].RetryIn > time.Minute
		})
	}
	if len(eventsOf[event.SecondInstance](&w)) != 1 {
		t.Errorf("noticed %d times, want once a minute", len(eventsOf[event.SecondInstance](&w)))
	}
	if len(r.log.errors()) == 0 {
		t.Error("nothing is said")
	}
}
