package game

import (
	"slices"
	"testing"
	"time"
)

func TestEstimator(t *testing.T) {
	const ms = time.Millisecond
	repeat := func(n int, d time.Duration) []time.Duration { return slices.Repeat([]time.Duration{d}, n) }
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
		{"old ones are forgotten", 0, append(repeat(overheadWindow, time.Second), repeat(overheadWindow, 20*ms)...),
			20 * ms, 20 * ms},
	}
	for _, tt := range tests {
		o := newOverheadEstimator(tt.least)
		for _, lag := range tt.lags {
			o.add(lag)
		}
		if mean, p99 := o.estimate(); mean != tt.mean || p99 != tt.p99 {
			t.Errorf("%s: mean %s, p99 %s; want %s, %s", tt.name, mean, p99, tt.mean, tt.p99)
		}
		short, long := o.forClock(shortClock-1), o.forClock(shortClock)
		if short != min(tt.p99, 2*tt.mean) || long != tt.mean {
			t.Errorf("%s: on a short clock %s, on a long one %s", tt.name, short, long)
		}
	}
}
