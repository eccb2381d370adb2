package bot

import (
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A stray refusal of what stands before the server ends no game.
func TestRun_StrayRefusals(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404} {
		r := newRig(t, lichesstest.Options{})
		r.AddHuman("alice", peaceful(30, 2*time.Millisecond))
		r.start(func(b *Bot) {
			b.opts.Engine, b.timing.games.Stream.RefusalTimeout = &fakeEngine{peace: 30}, time.Minute
		})
		r.Faults.Fail("game", 3, status)
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 6)
		r.Faults.Fail("game", 3, status)
		r.Faults.CutStreams(1)
		r.finished(id)
		if n := r.log.messages("game abandoned") + r.log.messages("slot freed"); n != 0 {
			t.Errorf("status %d: given up %d times", status, n)
		}
	}
}

// A game that was given up is found again by the list of games.
func TestRun_AbandonedGameIsResumed(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
	r.start(func(b *Bot) { b.opts.Engine, b.timing.syncInterval = &fakeEngine{peace: 40}, time.Hour })
	id := r.Challenge("alice", botName, blitz)
	r.plies(id, 6)
	r.Faults.Fail("game", 1000, 404)
	r.Faults.CutStreams(1)
	eventually(t, "the game is given up", func() bool { return r.log.messages("game abandoned") > 0 })
	r.Faults.Clear()
	if end := r.finished(id); end.Status != "mate" {
		t.Errorf("the game ended by %s", end.Status)
	}
}

// After an outage whatever finds the server back first wakes all games, long before
// their own pauses are over.
func TestRun_BackAfterOutage(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(1000, time.Millisecond))
	r.start(func(b *Bot) {
		b.opts.Engine = &fakeEngine{peace: 1000}
		b.timing.games.Stream.Reopen = retry.Backoff{Initial: time.Hour, Max: time.Hour}
		b.timing.games.Stream.ReopenEarlyMax = time.Hour
	})
	id := r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 3 * time.Hour})
	r.plies(id, 4)
	r.Restart(500 * time.Millisecond)
	before, _ := r.Game(id)
	r.plies(id, len(before.Moves)+10)
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
		b.timing.games.Stream.DuplicateBackoff = retry.Backoff{Initial: time.Hour, Max: time.Hour}
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
