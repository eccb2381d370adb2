package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// An event stream that brings keep-alives only is opened again, so that the next
// challenge is heard of: when Lichess sees us offline, or after a long silence.
func TestRun_MuteEventStream(t *testing.T) {
	for name, tt := range map[string]struct {
		lost   bool
		change func(*timing)
	}{
		"the server sees us offline": {true, func(p *timing) { p.onlineCheck = 50 * time.Millisecond }},
		"silence":                    {false, func(p *timing) { p.maxSilence = 500 * time.Millisecond }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, lichesstest.Options{KeepAlive: 50 * time.Millisecond})
				r.AddHuman("bob", peaceful(6, 0))
				r.start(func(b *setup) { tt.change(&b.timing) })
				var before *humanOpponent // whose game goes on; with its stream open we are online
				if !tt.lost {
					before = r.challengeAsHuman("white")
					before.exchange("e2e4")
				}
				opened := r.requests(endpointEventStream)
				r.MuteEvents(botName, tt.lost)
				id := r.challenge("bob", "")
				r.mated(id)
				if n := r.requests(endpointEventStream); n == opened {
					t.Error("the event stream was not opened again")
				}
				if before != nil {
					before.exchange("g1f3")
				}
			})
		})
	}
}

// An event stream that opens, but does not announce the game in progress, or brings
// something else, is opened again within half a minute.
func TestRun_EventStreamOpensMute(t *testing.T) {
	for name, text := range map[string]string{
		"single bytes": " ", "other events": `{"type":"weather"}` + "\n",
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.AddHuman("bob", peaceful(6, 0))
			r.start(func(b *setup) { b.timing.onlineCheck, b.timing.maxSilence = time.Hour, time.Hour })
			p := r.challengeAsHuman("white")
			r.joined(p.id)
			opened, began := r.requests(endpointEventStream), time.Now()
			r.fault("mute events x1: " + text)
			r.Restart(0)
			r.until("the event stream is opened twice",
				func() bool { return r.requests(endpointEventStream) == opened+2 })
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("after %s", took)
			}
			r.mated(r.challenge("bob", ""))
			p.exchange("e2e4")
			time.Sleep(2 * time.Minute)
			if n := r.requests(endpointEventStream) - opened; n != 2 {
				t.Errorf("%d openings, want 2", n)
			}
		})
	}
}

// A server that takes 14 s to answer gets to answer while the clock allows it; with a minute on the
// clock, also after a restart, another connection is tried every 3 s.
func TestGame_SlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, lichesstest.Options{KeepAlive: 7 * time.Second})
		r.change = func(o *lichess.Options) { o.StreamIdle = 10 * time.Second }
		onLichess := func(b *setup) { b.timing.games.Stream = stream.LichessTiming() }
		before := r.start(onLichess)
		r.fault("slow game 1h by=14s")
		p := r.challengeAsHuman("white 600s+0s")
		p.exchange("e2e4")
		r.fault("cut game x1")
		p.exchange("g1f3")
		before.halt()
		id := r.Challenge(humanName, botName, terms("white 60s+0s"))
		r.must(r.client().AcceptChallenge(t.Context(), id, lichess.Human))
		opened := r.requests(endpointGameStream)
		r.start(onLichess)
		time.Sleep(15 * time.Second)
		if n := r.requests(endpointGameStream) - opened; n < 5 {
			t.Errorf("%d connections in 15 s", n)
		}
	})
}

// One that Lichess sees open is left alone.
func TestRun_EventStreamThatIsWell(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(func(b *setup) { b.timing.onlineCheck = 10 * time.Millisecond })
		const endpointStatus = "GET /api/users/status"
		r.until("it looked several times", func() bool { return r.requests(endpointStatus) > 3 })
		r.checkRequests(endpointEventStream, 1)
	})
}
