package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/internal/waittest"
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
				r.start(func(b *Bot) { tt.change(&b.timing) })
				var before *humanOpponent // whose game goes on; with its stream open we are online
				if !tt.lost {
					before = r.challengeAsHuman(withColor(blitz, "white"))
					before.exchange("e2e4")
				}
				opened := r.requests(endpointEventStream)
				r.MuteEvents(botName, tt.lost)
				id := r.Challenge("bob", botName, blitz)
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
			r.start(func(b *Bot) { b.timing.onlineCheck, b.timing.maxSilence = time.Hour, time.Hour })
			p := r.challengeAsHuman(withColor(blitz, "white"))
			r.joined(p.id)
			opened, began := r.requests(endpointEventStream), time.Now()
			r.Faults.Inject("mute", lichesstest.When{Class: "events", Next: 1, Text: text})
			r.Restart(0)
			waittest.Until(t, "the event stream is opened twice", func() bool { return r.requests(endpointEventStream) == opened+2 })
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("after %s", took)
			}
			r.mated(r.Challenge("bob", botName, blitz))
			p.exchange("e2e4")
			time.Sleep(2 * time.Minute)
			if n := r.requests(endpointEventStream) - opened; n != 2 {
				t.Errorf("%d openings, want 2", n)
			}
		})
	}
}

// A stream that ends before it has brought anything is no second instance.
func TestRun_EmptyStreamIsNoDuplicate(t *testing.T) {
	for class, endpoint := range map[string]string{"events": endpointEventStream, "game": endpointGameStream} {
		runInBubble(t, class, func(t *testing.T, r *rig) {
			r.start(nil)
			p := r.challengeAsHuman(withColor(blitz, "white"))
			r.joined(p.id)
			opened := r.requests(endpoint)
			r.Faults.Inject("empty", lichesstest.When{Class: class, Next: 5})
			r.Restart(0)
			waittest.Until(t, "the stream is open again", func() bool { return r.requests(endpoint) == opened+6 })
			p.exchange("e2e4")
			if n := len(seen[event.Duplicate](r)); n != 0 {
				t.Errorf("a second instance was seen %d times", n)
			}
		})
	}
}

// The stream of a game that opens without showing the game is opened again, be it the
// first one or a later one.
func TestGame_MuteStream(t *testing.T) {
	for name, text := range map[string]string{
		"keep-alives": "\n", "invalid lines": "{\n",
		"chat": `{"type":"chatLine","room":"player","username":"lichess","text":"hello"}` + "\n",
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(func(b *Bot) { b.timing.games.Stream.FirstEvent = stream.LichessTiming().FirstEvent })
			mute := func() { r.Faults.Inject("mute", lichesstest.When{Class: "game", Next: 1, Text: text}) }
			mute()
			began := time.Now()
			p := r.challengeAsHuman(withColor(lichesstest.ChallengeSpec{Limit: 15 * time.Second}, "white"))
			p.exchange("e2e4")
			r.Faults.Inject("cut", lichesstest.When{Class: "game", Next: 1})
			mute()
			p.exchange("g1f3")
			if n, took := r.log.messages("game stream lost"), time.Since(began); n < 2 || took > 15*time.Second {
				t.Errorf("%d losses are logged in %s", n, took)
			}
		})
	}
}

// A server that takes 14 s to answer gets to answer.
func TestGame_SlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, lichesstest.Options{KeepAlive: 7 * time.Second})
		r.change = func(o *lichess.Options) { o.StreamIdle = 10 * time.Second }
		r.start(func(b *Bot) { b.timing.games.Stream = stream.LichessTiming() })
		r.Faults.Inject("slow", lichesstest.When{Class: "game", For: time.Hour, By: 14 * time.Second})
		p := r.challengeAsHuman(withColor(lichesstest.ChallengeSpec{Limit: time.Minute}, "white"))
		p.exchange("e2e4")
		r.Faults.Inject("cut", lichesstest.When{Class: "game", Next: 1})
		p.exchange("g1f3")
	})
}

// One that Lichess sees open is left alone.
func TestRun_EventStreamThatIsWell(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(func(b *Bot) { b.timing.onlineCheck = 10 * time.Millisecond })
		const endpointStatus = "GET /api/users/status"
		waittest.Until(t, "it looked several times", func() bool { return r.requests(endpointStatus) > 3 })
		r.checkRequests(endpointEventStream, 1)
	})
}
