package daemon

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// The watchdog says that all is well for as long as it is, and ends the process
// when a check fails or hangs.
func TestWatchdog(t *testing.T) {
	hangs := errors.New("game abc does not answer")
	for name, tt := range map[string]struct {
		check func(ctx context.Context, n int) error
		want  string
	}{
		"a check fails": {func(_ context.Context, n int) error {
			if n > 2 {
				return hangs
			}
			return nil
		}, hangs.Error()},
		"a check hangs": {func(_ context.Context, n int) error {
			if n > 2 {
				select {}
			}
			return nil
		}, "does not end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, ended := make(chan string, 1000), make(chan error, 1)
			n := 0
			w := newWatchdog(func(ctx context.Context) error { n++; return tt.check(ctx, n) }, zerolog.Nop(), func() {})
			w.interval, w.timeout = 10*time.Millisecond, 20*time.Millisecond
			w.notify, w.exit = func(s string) { states <- s }, func(err error) { ended <- err }
			stop := w.start(t.Context())
			defer stop()
			select {
			case err := <-ended:
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("ended: %v", err)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("not ended")
			}
			for _, want := range []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1"} {
				if got := <-states; got != want {
					t.Errorf("told %s, want %s", got, want)
				}
			}
			if len(states) != 0 {
				t.Errorf("told %s afterwards", <-states)
			}
			time.Sleep(w.interval + w.timeout + time.Millisecond)
			if w.healthy() == nil {
				t.Error("it is still healthy")
			}
		})
	}
}

// What hangs is logged with the stacks of all goroutines.
func TestLogStacks(t *testing.T) {
	var out bytes.Buffer
	logStacks(zerolog.New(&out), errors.New("it hangs"))
	if text := out.String(); !strings.Contains(text, "it hangs") || !strings.Contains(text, "TestLogStacks") {
		t.Errorf("logged %s", text)
	}
}
