package bot

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// checkLiveness asks a bot whether it goes on, and gives it a moment.
func checkLiveness(t *testing.T, b *runningBot, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return b.CheckLiveness(ctx)
}

// A bot whose games go on is alive, server or not; one with a game that hangs, or
// with a lock that nobody gives back, is not.
func TestBot_CheckLiveness(t *testing.T) {
	t.Parallel()
	r := newRig(t, lichesstest.Options{})
	blocked, free := make(chan struct{}), make(chan struct{})
	b := r.start(func(b *setup) {
		b.opts.Engine = &fakeEngine{peace: 1000}
		b.opts.Observe = func(e event.Event) {
			if _, ok := e.(event.Moved); ok {
				close(blocked)
				<-free
			}
		}
	})
	o := r.challengeAsBot("black")
	<-blocked // in the goroutine of the game
	if err := checkLiveness(t, b, 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "game "+o.id) {
		t.Errorf("a game hangs: %v", err)
	}
	close(free)
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("the game goes on: %v", err)
	}
	r.fault("down 1h")
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("the server is down: %v", err)
	}
	r.Faults.Clear()
	var err error
	b.opts.State.View(func(*record.State) { err = checkLiveness(t, b, 200*time.Millisecond) })
	if err == nil || !strings.Contains(err.Error(), "lock") {
		t.Errorf("a lock is held: %v", err)
	}
	o.resign()
	r.until("the game is over", func() bool { return !b.games.Has(o.id) })
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("no game is in progress: %v", err)
	}
	if n := b.liveness.Len(); n != 0 {
		t.Errorf("%d things are still watched", n)
	}
}

// No goroutine outlives its game, however the game was disturbed: what runs when
// all games are over ran after the first. (A cut of the event stream costs 2 s.)
func TestGames_LeaveNoGoroutine(t *testing.T) {
	r := newRig(t, lichesstest.Options{Seed: 3})
	r.AddHuman("alice", lichesstest.Greedy(1))
	b := r.start(nil)
	first := r.challenge("alice", "")
	r.finished(first)
	r.until("the first game is left", func() bool { return len(r.archive.saved()) == 1 && !b.games.Has(first) })
	before := goleak.IgnoreCurrent()
	r.fault("cut game 4%", "duplicate 10%", "odd 10%", "fail 2%", "lose 2%")
	const games = 12
	r.playAll(games, 4, "", "alice")
	r.Faults.Clear()
	r.until("all games are archived", func() bool { return len(r.archive.saved()) > games })
	// Connections that are kept for the next request are no game's, nor is what
	// serves them; and the event stream may have been opened again.
	connections := []goleak.Option{
		before,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
		goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
		goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"),
		goleak.IgnoreAnyFunction("github.com/zhbot/zhbot/bot.(*Bot).followEvents"),
		goleak.IgnoreAnyFunction("github.com/zhbot/zhbot/bot.(*eventStream).checkOnline"),
	}
	if err := goleak.Find(connections...); err != nil {
		t.Error(err)
	}
}
