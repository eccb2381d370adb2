package bot

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A connection given up while its last line waits to be taken loses nothing.
func TestFeed_HungUpAtTheEnd(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.start(nil)
	o := r.rival(withColor(blitz, "white"))
	f := &feed{
		open:  func(ctx context.Context, _ bool) (*lichess.GameStream, error) { return o.StreamGame(ctx, o.id) },
		await: o.AwaitStreams, tell: func(Event) {}, id: o.id, log: zerolog.Nop(), pace: shortPace, words: make(chan word),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.run(t.Context())
	}()
	<-f.words
	if err := o.Resign(t.Context(), o.id); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the last line is there, if the machine is not slow
	f.reopen()
	for {
		select {
		case w := <-f.words:
			switch e := w.event.(type) {
			case *lichess.GameState:
				if e.Status.Over() {
					return
				}
			case *lichess.GameFull:
				if e.State.Status.Over() {
					return
				}
			}
		case <-done:
			t.Fatal("the end of the game was not handed over")
		}
	}
}

func TestFeed_Bearable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			left, wait, want time.Duration // left 0: no clock
			urgent           bool
		}{
			{0, time.Minute, time.Minute, false},
			{3 * time.Minute, time.Minute, time.Minute, false},
			{100 * time.Second, time.Minute, 50 * time.Second, true},
			{2 * time.Second, time.Minute, time.Second, true},
			{2 * time.Second, 100 * time.Millisecond, 100 * time.Millisecond, false},
			{900 * time.Millisecond, time.Minute, time.Minute, false},
			{-time.Second, time.Minute, time.Minute, false},
		} {
			f := &feed{}
			flag := time.Time{}
			if tt.left != 0 {
				flag = time.Now().Add(tt.left)
			}
			f.hurry(flag)
			if wait, urgent := f.bearable(tt.wait); wait != tt.want || urgent != tt.urgent {
				t.Errorf("%s with %s left: %s, %t", tt.wait, tt.left, wait, urgent)
			}
		}
	})
}

// A 429 that asks for more than the clock has costs no game, neither of the
// stream nor of the moves.
func TestRun_LimitedLongerThanTheClock(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(30, 0))
	r.start(func(b *Bot) { b.opts.Engine = &brain{peace: 30} })
	id := r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 4 * time.Second})
	r.plies(id, 4)
	r.Faults.Limit("game", time.Second, lichesstest.LimitPlain) // for a minute, as far as one knows
	r.Faults.Limit("move", 500*time.Millisecond, lichesstest.LimitPlain)
	r.Faults.CutStreams(1)
	if end := r.finished(id); end.Status != "mate" {
		t.Errorf("the game ended by %s: %v", end.Status, end.LastTurn)
	}
}
