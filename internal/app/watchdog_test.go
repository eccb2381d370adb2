package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// The watchdog says that all is well for as long as it is, and ends the process
// when a check fails or hangs.
func TestWatchdog(t *testing.T) {
	hangs := errors.New("game abc does not answer")
	for name, tt := range map[string]struct {
		check func(end <-chan struct{}) error // the third one
		want  string
	}{
		"a check fails": {func(<-chan struct{}) error { return hangs }, hangs.Error()},
		"a check hangs": {func(end <-chan struct{}) error { <-end; return nil }, "does not end"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := make(chan struct{})
				defer close(end)
				var states []string
				var ended []error
				n := 0
				w := newWatchdog(func(context.Context) error {
					if n++; n > 2 {
						return tt.check(end)
					}
					return nil
				}, func() {}, zerolog.Nop(), func() {})
				w.notify, w.exit = func(s string) { states = append(states, s) }, func(err error) { ended = append(ended, err) }
				stop := w.start(t.Context())
				time.Sleep(2*w.interval + w.timeout)
				if err := w.healthy(); err != nil {
					t.Errorf("unhealthy too early: %v", err)
				}
				time.Sleep(w.interval)
				if w.healthy() == nil {
					t.Error("it is still healthy")
				}
				synctest.Wait()
				stop()
				if want := []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"}; !slices.Equal(states, want) {
					t.Errorf("told %q, want %q", states, want)
				}
				if len(ended) != 1 || !strings.Contains(ended[0].Error(), tt.want) {
					t.Errorf("ended %v", ended)
				}
			})
		})
	}
}

// Before the process ends, the engine programs are killed and the log is written.
func TestWatchdog_exit(t *testing.T) {
	if os.Getenv("WATCHDOG_EXITS") != "" {
		w := newWatchdog(nil, func() { fmt.Println("killed") }, zerolog.Nop(), func() { fmt.Println("flushed") })
		w.exit(errors.New("it hangs"))
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWatchdog_exit$")
	cmd.Env = append(os.Environ(), "WATCHDOG_EXITS=1")
	out, err := cmd.Output()
	if string(out) != "killed\nflushed\n" || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("printed %q and ended with %v", out, err)
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
