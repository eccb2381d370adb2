package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestRivalry_Ended(t *testing.T) {
	r := rivalry{pauses: pauses{first: time.Minute, longest: 3 * time.Minute}}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i, tt := range []struct{ after, want time.Duration }{
		{0, 0},
		{rivalWindow + 1, 0}, // the first is forgotten
		{time.Minute, time.Minute},
		{time.Minute, 2 * time.Minute},
		{time.Minute, 3 * time.Minute},
		{rivalWindow, 3 * time.Minute},
		{rivalWindow + 1, 0},
	} {
		now = now.Add(tt.after)
		if got := r.ended(now); got != tt.want {
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
	var w witness
	r.start(func(b *Bot) { b.opts.Observe, b.opts.Archive = w.observe, nil })
	eventually(t, "the second instance is seen", func() bool { return len(eventsOf[SecondInstance](&w)) > 0 })
	if len(r.log.errors()) == 0 {
		t.Error("nothing is said")
	}
	r.finished(id)
}

// A server that restarts is no second instance, however often.
func TestRun_RestartIsNoSecondInstance(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	var w witness
	r.start(func(b *Bot) { b.opts.Observe = w.observe })
	for n := range 3 {
		r.Restart(300 * time.Millisecond)
		eventually(t, "the stream is open again", func() bool { return len(eventsOf[StreamOpened](&w)) == n+2 })
	}
	if n := len(eventsOf[SecondInstance](&w)); n != 0 {
		t.Errorf("a second instance was seen %d times", n)
	}
	if n := r.requests(endpointEventStream); n != 4 {
		t.Errorf("%d openings, want 4: none while the server is down", n)
	}
}
