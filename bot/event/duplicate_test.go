package event

import (
	"testing"
	"time"
)

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
