package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// startFeed starts a feed of a rival's game and returns it with its end.
func startFeed(t *testing.T, change func(*feed)) (f *feed, o *botOpponent, done chan struct{}) {
	t.Helper()
	r := newRig(t, lichesstest.Options{})
	r.start(nil)
	o = r.challengeAsBot(withColor(blitz, "white"))
	b := New(Options{Client: o.Client})
	b.timing = shortTiming
	f = newFeed(b, o.id, b.log)
	if change != nil {
		change(f)
	}
	done = make(chan struct{})
	go func() {
		defer close(done)
		f.run(t.Context())
	}()
	return f, o, done
}

// A connection given up while its last line waits to be read loses nothing.
func TestFeed_ParkedAtTheEnd(t *testing.T) {
	f, o, done := startFeed(t, nil)
	<-f.items
	if err := o.Resign(t.Context(), o.id); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the last line is there, if the machine is not slow
	f.setParked()
	f.unpark()
	for {
		select {
		case w := <-f.items:
			if finalState(w.event) {
				<-done
				return
			}
		case <-done:
			t.Fatal("the end of the game was not handed over")
		}
	}
}

// A new look opens the next stream before the one before is closed, which the
// server then ends: that is no loss, and we are never absent.
func TestFeed_ReopensWithoutAbsence(t *testing.T) {
	var w eventRecorder
	f, o, _ := startFeed(t, func(f *feed) { f.emit = w.observe })
	<-f.items
	before, _ := o.r.Game(o.id)
	for range 5 {
		asked := time.Now()
		f.reopen()
		for {
			if item := <-f.items; item.connectedAt.After(asked) {
				break
			}
		}
	}
	after, _ := o.r.Game(o.id)
	if absent := after.WhiteAbsent - before.WhiteAbsent; absent != 0 {
		t.Errorf("absent for %s", absent)
	}
	if lost := eventsOf[event.StreamLost](&w); len(lost) != 0 {
		t.Errorf("streams lost: %v", lost)
	}
	if n := len(eventsOf[event.StreamOpened](&w)); n != 6 {
		t.Errorf("opened %d times, want 6", n)
	}
}

// While the next stream cannot be opened, the one before goes on.
func TestFeed_RefusedReopeningKeepsTheStream(t *testing.T) {
	f, o, _ := startFeed(t, nil)
	<-f.items
	before, _ := o.r.Game(o.id)
	o.r.Faults.Fail("game", 3, 503)
	asked := time.Now()
	f.reopen()
	for item := (streamItem{}); !item.connectedAt.After(asked); {
		item = <-f.items
	}
	if after, _ := o.r.Game(o.id); after.WhiteAbsent != before.WhiteAbsent {
		t.Errorf("absent for %s", after.WhiteAbsent-before.WhiteAbsent)
	}
}

// The wait for the first byte grows until a slow server gets to answer, and being
// asked for a new look meanwhile opens nothing.
func TestFeed_SlowServerGetsToAnswer(t *testing.T) {
	var w eventRecorder
	f, o, _ := startFeed(t, func(f *feed) {
		f.emit = w.observe
		f.timing.firstByte = retry.Backoff{Initial: 100 * time.Millisecond, Max: 2 * time.Second}
	})
	<-f.items
	o.r.Faults.SlowStreams(time.Minute, 600*time.Millisecond)
	asked := time.Now()
	f.reopen()
	nag := time.NewTicker(50 * time.Millisecond)
	defer nag.Stop()
	for item := (streamItem{}); !item.connectedAt.After(asked); {
		select {
		case item = <-f.items:
		case <-nag.C:
			f.reopen()
		case <-time.After(patience):
			t.Fatal("the slow server was never heard")
		}
	}
	if n := len(eventsOf[event.StreamLost](&w)); n == 0 || n > 4 {
		t.Errorf("given up %d times, want 100, 200, 400 ms at most", n)
	}
}

// One line that an older connection brings after a newer one was asked for may be
// newer than what the newer one begins with.
func TestStateOrder(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	state := func(moves string) *lichess.GameState {
		return &lichess.GameState{Moves: moves, Status: lichess.StatusStarted}
	}
	full := func(moves string) *lichess.GameFull { return &lichess.GameFull{State: *state(moves)} }
	over := &lichess.GameState{Moves: "e2e4", Status: lichess.StatusResign}
	for name, tt := range map[string]struct {
		event      lichess.GameEvent
		opened     int
		superseded bool
		want       string // moves handed over; "-" for nothing
	}{
		"older first event":                {full("e2e4"), 5, false, "e2e4 e7e5"},
		"equal first event":                {full("e2e4 e7e5"), 5, false, "e2e4 e7e5"},
		"newer first event":                {full("e2e4 e7e5 g1f3"), 5, false, "e2e4 e7e5 g1f3"},
		"takeback before the opening":      {full("e2e4"), 15, false, "e2e4"},
		"takeback told":                    {state("e2e4"), 5, false, "e2e4"},
		"other move of the same length":    {full("e2e4 e7e6"), 5, false, "e2e4 e7e6"},
		"line of the older connection":     {state("e2e4"), 1, true, "-"},
		"repeated by the older connection": {state("e2e4 e7e5"), 1, true, "-"},
		"news of the older connection":     {state("e2e4 e7e5 g1f3"), 1, true, "e2e4 e7e5 g1f3"},
		"end told by the older connection": {over, 1, true, "e2e4"},
	} {
		o := stateOrder{latest: state("e2e4 e7e5"), receivedAt: at(10)}
		w := streamItem{event: tt.event, connectedAt: at(tt.opened), receivedAt: at(20)}
		got := "-"
		if o.admit(&w, tt.superseded) {
			got = stateOf(w.event).Moves
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		moves, before string
		want          bool
	}{{"e2e4", "", true}, {"", "", false}, {"e7e8q", "e7e8", false}, {"e2e4 e7e5", "e2e4", true}, {"e2e4", "e2e4 e7e5", false}} {
		if got := extends(tt.moves, tt.before); got != tt.want {
			t.Errorf("%q extends %q: %t", tt.moves, tt.before, got)
		}
	}
}

// A 429 that asks for more than the clock has costs no game, neither of the
// stream nor of the moves.
func TestRun_LimitedLongerThanTheClock(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(30, 0))
	r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 30} })
	id := r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 4 * time.Second})
	r.plies(id, 4)
	r.Faults.Limit("game", time.Second, lichesstest.LimitPlain) // for a minute, as far as one knows
	r.Faults.Limit("move", 500*time.Millisecond, lichesstest.LimitPlain)
	r.Faults.CutStreams(1)
	if end := r.finished(id); end.Status != "mate" {
		t.Errorf("the game ended by %s: %v", end.Status, end.LastTurn)
	}
}
