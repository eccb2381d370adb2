package game

import (
	"testing"
	"time"
)

func TestEstimator(t *testing.T) {
	const ms = time.Millisecond
	repeat := func(n int, d time.Duration) (list []time.Duration) {
		for range n {
			list = append(list, d)
		}
		return list
	}
	tests := []struct {
		name      string
		least     time.Duration
		lags      []time.Duration
		mean, p99 time.Duration
	}{
		{"nothing measured", 80 * ms, nil, 80 * ms, 80 * ms},
		{"one", 0, []time.Duration{50 * ms}, 50 * ms, 50 * ms},
		{"an outlier in a hundred", 0, append(repeat(99, 10*ms), 1010*ms), 20 * ms, 10 * ms},
		{"two outliers in a hundred", 0, append(repeat(98, 10*ms), 510*ms, 510*ms), 20 * ms, 510 * ms},
		{"the least counts", 30 * ms, repeat(10, 5*ms), 30 * ms, 30 * ms},
		{"faults and clocks set back are no lag", 0, []time.Duration{40 * ms, time.Minute, -ms}, 40 * ms, 40 * ms},
		{"old ones are forgotten", 0, append(repeat(overheadWindow, time.Second), repeat(overheadWindow, 20*ms)...), 20 * ms, 20 * ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := newOverheadEstimator(tt.least)
			for _, lag := range tt.lags {
				o.Add(lag)
			}
			if mean, p99 := o.Estimate(); mean != tt.mean || p99 != tt.p99 {
				t.Errorf("mean %s, p99 %s; want %s, %s", mean, p99, tt.mean, tt.p99)
			}
			if got := o.ForClock(shortClock - 1); got != tt.p99 {
				t.Errorf("on a short clock %s, want %s", got, tt.p99)
			}
			if got := o.ForClock(shortClock); got != tt.mean {
				t.Errorf("on a long clock %s, want %s", got, tt.mean)
			}
		})
	}
}
