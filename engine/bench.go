package engine

import "time"

// BenchResult is the outcome of [Bench].
type BenchResult struct {
	Nodes uint64
	Time  time.Duration
}

// NPS returns the nodes searched per second.
func (r BenchResult) NPS() uint64 { return uint64(float64(r.Nodes) / max(r.Time.Seconds(), 1e-9)) }

// DefaultBenchDepth is the depth of `zhbot bench`.
const DefaultBenchDepth = 9

// Bench searches fixed positions to a depth on one thread, each with a fresh
// table, and returns the nodes searched: a number that changes only when the
// search or the evaluation does.
func Bench(depth int) (BenchResult, error) { return BenchResult{}, nil }
