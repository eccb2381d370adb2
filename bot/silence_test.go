package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// An event stream that brings keep-alives only is opened again, so that the next
// challenge is heard of: when Lichess sees us offline, or after a long silence.
func TestRun_MuteEventStream(t *testing.T) {
	for name, tt := range map[string]struct {
		lost   bool
		change func(*timing)
	}{
		"the server sees us offline": {true, func(p *timing) { p.events.OnlineCheckInterval = 50 * time.Millisecond }},
		"silence":                    {false, func(p *timing) { p.events.MaxSilence = 500 * time.Millisecond }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{KeepAlive: 50 * time.Millisecond})
			r.AddHuman("bob", peaceful(6, 0))
			r.start(func(b *Bot) { tt.change(&b.timing) })
			var before *humanOpponent // whose game goes on; with its stream open we are online
			if !tt.lost {
				before = r.challengeAsHuman(withColor(blitz, "white"))
				before.play(0, "e2e4")
				r.plies(before.id, 2)
			}
			opened := r.requests(endpointEventStream)
			r.MuteEvents(botName, tt.lost)
			id := r.Challenge("bob", botName, blitz)
			if end := r.finished(id); end.Status != "mate" {
				t.Errorf("the game ended by %s", end.Status)
			}
			if n := r.requests(endpointEventStream); n == opened {
				t.Error("the event stream was not opened again")
			}
			if before != nil {
				before.play(2, "g1f3")
				r.plies(before.id, 4)
			}
			r.checkNoViolations()
		})
	}
}

// One that Lichess sees open is left alone.
func TestRun_EventStreamThatIsWell(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.start(func(b *Bot) { b.timing.events.OnlineCheckInterval = 10 * time.Millisecond })
	const endpointStatus = "GET /api/users/status"
	eventually(t, "it looked several times", func() bool { return r.requests(endpointStatus) > 3 })
	if n := r.requests(endpointEventStream); n != 1 {
		t.Errorf("the event stream was opened %d times", n)
	}
}
