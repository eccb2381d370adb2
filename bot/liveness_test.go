package bot

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// checkLiveness asks a bot whether it goes on, and gives it a moment.
func checkLiveness(t *testing.T, b *runningBot, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return b.CheckLiveness(ctx)
}

// blockingWriter is the writer of a log that blocks at a message.
type blockingWriter struct {
	to      *logBuffer
	message string
	blocked chan struct{} // closed when it does
	free    chan struct{}
}

func (w *blockingWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.message)) {
		close(w.blocked)
		<-w.free
	}
	return w.to.Write(p)
}

// A bot whose games go on is alive, server or not; one with a game that hangs, or
// with a lock that nobody gives back, is not.
func TestBot_CheckLiveness(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	w := &blockingWriter{to: r.log, message: `"moved"`, blocked: make(chan struct{}), free: make(chan struct{})}
	b := r.start(func(b *Bot) { b.log, b.opts.Engine = zerolog.New(w), &fakeEngine{peace: 1000} })
	o := r.challengeAsBot(withColor(blitz, "black"))
	<-w.blocked // in the goroutine of the game
	if err := checkLiveness(t, b, 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "game "+o.id) {
		t.Errorf("a game hangs: %v", err)
	}
	close(w.free)
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("the game goes on: %v", err)
	}
	r.Faults.Down(time.Hour)
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("the server is down: %v", err)
	}
	r.Faults.Clear()
	b.mu.Lock()
	err := checkLiveness(t, b, 200*time.Millisecond)
	b.mu.Unlock()
	if err == nil || !strings.Contains(err.Error(), "lock") {
		t.Errorf("a lock is held: %v", err)
	}
	if err := o.Resign(t.Context(), o.id); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the game is over", func() bool { return !b.slots.Has(o.id) })
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("no game is on: %v", err)
	}
	if n := b.liveness.Len(); n != 0 {
		t.Errorf("%d things are still watched", n)
	}
}
