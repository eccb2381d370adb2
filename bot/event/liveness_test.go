package event

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A search may take as long as it likes, but not much longer than its context.
func TestTracker_SearchDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLiveness()
		ctx, cancel := context.WithCancel(t.Context())
		end := l.BeginTaskAfter(ctx, "search of game abc")
		time.Sleep(time.Hour)
		if err := l.Check(t.Context(), func() {}); err != nil {
			t.Errorf("while it may go on: %v", err)
		}
		cancel()
		time.Sleep(maxBusy / 2)
		if err := l.Check(t.Context(), func() {}); err != nil {
			t.Errorf("shortly after it was cancelled: %v", err)
		}
		time.Sleep(maxBusy)
		if err := l.Check(t.Context(), func() {}); err == nil || !strings.Contains(err.Error(), "search of game abc") {
			t.Errorf("long after it was cancelled: %v", err)
		}
		end()
		if err := l.Check(t.Context(), func() {}); err != nil {
			t.Errorf("after it has ended: %v", err)
		}
	})
}
