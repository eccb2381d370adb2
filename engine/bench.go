package engine

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
)

//go:embed bench.epd
var benchPositions string

const (
	// DefaultBenchDepth is the depth of `zhbot bench`, in plies.
	DefaultBenchDepth = 9
	benchHashMB       = 16
)

// BenchResult is the result of [Bench].
type BenchResult struct {
	Nodes uint64
	Time  time.Duration
}

// NPS returns the nodes searched per second.
func (r BenchResult) NPS() uint64 { return uint64(float64(r.Nodes) / max(r.Time.Seconds(), 1e-9)) }

// Bench searches fixed positions to a depth in plies and returns the nodes and the time of
// all of them. It uses the embedded network, one thread, and an empty table for each
// position, so that the node count changes only with the search or the evaluation.
func Bench(ctx context.Context, depth int) (BenchResult, error) {
	if depth < 1 || depth >= maxPly {
		return BenchResult{}, fmt.Errorf("bench depth %d: want 1 to %d", depth, maxPly-1)
	}
	var total BenchResult
	e := New(Options{Threads: 1, HashMB: benchHashMB})
	for fen := range strings.Lines(benchPositions) {
		if strings.HasPrefix(fen, "#") {
			continue
		}
		p, err := rules.ParseFEN(strings.TrimSpace(fen))
		if err != nil {
			return BenchResult{}, fmt.Errorf("bench position: %w", err)
		}
		e.Clear()
		r, err := e.Search(ctx, rules.NewGame(p), Limits{Depth: depth}, nil)
		if err == nil {
			err = ctx.Err() // the count of an interrupted search is meaningless
		}
		if err != nil {
			return BenchResult{}, fmt.Errorf("bench position %s: %w", p.FEN(), err)
		}
		total.Nodes += r.Info.Nodes
		total.Time += r.Info.Time
	}
	return total, nil
}
