package event

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
)

func TestWaits(t *testing.T) {
	w := Backoff{Initial: time.Second, Max: 4 * time.Second}.Start()
	for range 2 {
		for i, middle := range []time.Duration{1, 2, 4, 4} {
			if got, want := w.Next(), middle*time.Second; got < want/2 || got > want*3/2 {
				t.Errorf("wait %d: %s, want about %s", i+1, got, want)
			}
		}
		w.Reset()
	}
	if got := w.After(io.EOF); got > 2*time.Second {
		t.Errorf("after an error: %s", got)
	}
	if got := w.After(&lichess.RateLimitError{RetryAfter: time.Hour}); got != time.Hour {
		t.Errorf("after a rate limit: %s", got)
	}
}

func TestBackoff_Do(t *testing.T) {
	permanent := errors.New("permanent")
	for name, tt := range map[string]struct {
		errs  []error // of the attempts
		want  error
		tries int
	}{
		"success":             {[]error{nil}, nil, 1},
		"success at last":     {[]error{io.EOF, io.EOF, nil}, nil, 3},
		"permanent failure":   {[]error{io.EOF, permanent}, permanent, 2},
		"cancelled meanwhile": {[]error{io.EOF, io.EOF, context.Canceled}, context.Canceled, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tries := 0
			err := Backoff{time.Minute, time.Hour}.Do(ctx, zerolog.Nop(), "test",
				func(err error) bool { return errors.Is(err, permanent) }, func() error {
					if tries++; errors.Is(tt.errs[tries-1], context.Canceled) {
						cancel()
					}
					return tt.errs[tries-1]
				})
			if !errors.Is(err, tt.want) || tries != tt.tries {
				t.Errorf("%s: %v after %d tries", name, err, tries)
			}
		})
	}
}

func TestCapToClock(t *testing.T) {
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
			flag := time.Time{}
			if tt.left != 0 {
				flag = time.Now().Add(tt.left)
			}
			if wait, urgent := CapToClock(tt.wait, flag); wait != tt.want || urgent != tt.urgent {
				t.Errorf("%s with %s left: %s, %t", tt.wait, tt.left, wait, urgent)
			}
		}
	})
}

func TestDetector(t *testing.T) {
	r := DuplicateDetector{Backoff: Backoff{Initial: time.Minute, Max: 3 * time.Minute}, Tolerated: 1}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i, tt := range []struct{ after, want time.Duration }{
		{0, 0},
		{window + 1, 0}, // the first is forgotten
		{time.Minute, time.Minute},
		{time.Minute, 2 * time.Minute},
		{time.Minute, 3 * time.Minute},
		{window, 3 * time.Minute},
		{window + 1, 0},
	} {
		now = now.Add(tt.after)
		if got := r.StreamEnded(now); got != tt.want {
			t.Errorf("end %d: %s, want %s", i+1, got, tt.want)
		}
	}
}
