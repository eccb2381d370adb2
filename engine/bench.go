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

// Bench searches fixed positions to a depth in plies and returns their nodes, and the nodes
// searched per second. It uses the embedded network, one thread, and an empty table for each
// position, so that the node count changes only with the search or the evaluation.
func Bench(ctx context.Context, depth int) (nodes, nps uint64, err error) {
	if depth < 1 || depth >= maxPly {
		return 0, 0, fmt.Errorf("bench depth %d: want 1 to %d", depth, maxPly-1)
	}
	var took time.Duration
	e := New(Options{Threads: 1, HashMB: benchHashMB})
	for fen := range strings.Lines(benchPositions) {
		if strings.HasPrefix(fen, "#") {
			continue
		}
		p, err := rules.ParseFEN(strings.TrimSpace(fen))
		if err != nil {
			return 0, 0, fmt.Errorf("bench position: %w", err)
		}
		e.Clear()
		r, err := e.Search(ctx, rules.NewGame(p), Limits{Depth: depth}, nil)
		if err == nil {
			err = ctx.Err() // the count of an interrupted search is meaningless
		}
		if err != nil {
			return 0, 0, fmt.Errorf("bench position %s: %w", p.FEN(), err)
		}
		nodes += r.Info.Nodes
		took += r.Info.Time
	}
	return nodes, uint64(float64(nodes) / max(took.Seconds(), 1e-9)), nil
}
