package engine

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// MoveTimer decides when to end a search, by this package or by another program. It is not
// safe for concurrent use.
//
// It plans two times: the optimum, after which no new depth is started, and the maximum,
// at which the search ends anyway. Between depths the optimum shrinks while the best move
// is stable, and grows when it changes or the score drops.
type MoveTimer struct {
	params  *Parameters
	start   time.Time
	nodes   uint64        // nodes per millisecond; 0 means real time
	optimum time.Duration // 0 means no time limit
	maximum time.Duration
	fixed   bool // use the maximum, unless a mate is found

	best   rules.Move
	stable int // depths since the best move changed
	score  int // score of the previous depth, noScore initially
}

// NewMoveTimer plans the time of a search of a position that starts now.
func NewMoveTimer(l Limits, root *rules.Position) MoveTimer {
	return newMoveTimer(l, root, new(DefaultParameters()))
}

func newMoveTimer(l Limits, root *rules.Position, params *Parameters) MoveTimer {
	optimum, maximum := params.plan(l, root)
	return MoveTimer{
		params: params, start: time.Now(), nodes: l.NodesTime, optimum: optimum, maximum: maximum,
		fixed: l.MoveTime > 0 && !l.hasClock(), score: noScore,
	}
}

// timed reports whether the move has a time limit.
func (t *MoveTimer) timed() bool { return t.maximum > 0 }

// Deadline returns the time by which the move must be made, the zero time if there is no
// limit in real time.
func (t *MoveTimer) Deadline() time.Time {
	if !t.timed() || t.nodes > 0 {
		return time.Time{}
	}
	return t.start.Add(t.maximum)
}

// WithDeadline returns a context that is done when the search must end.
func (t *MoveTimer) WithDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline := t.Deadline(); !deadline.IsZero() {
		return context.WithDeadline(ctx, deadline)
	}
	return context.WithCancel(ctx)
}

// expired reports whether the maximum time is over.
func (t *MoveTimer) expired(now time.Time) bool {
	return t.timed() && t.nodes == 0 && now.Sub(t.start) >= t.maximum
}

// Elapsed returns the time that the search has taken, given its nodes.
func (t *MoveTimer) Elapsed(nodes uint64) time.Duration {
	if t.nodes > 0 {
		return time.Duration(nodes) * time.Millisecond / time.Duration(t.nodes)
	}
	return time.Since(t.start)
}

// nodeLimit returns the nodes that correspond to the maximum time, 0 if nodes do not count
// as time.
func (t *MoveTimer) nodeLimit() uint64 {
	if !t.timed() || t.nodes == 0 {
		return 0
	}
	return max(uint64(t.maximum.Microseconds())*t.nodes/1000, 1)
}

// TypicalEffort is the mean effort of a best move; see [MoveTimer.ShouldStop].
const TypicalEffort = 77

// ShouldStop reports, after a completed depth with a best move, its score and its effort,
// whether to move now. The effort is the percentage of the depth's nodes that searched the
// best move: the less, the closer the others are.
func (t *MoveTimer) ShouldStop(best rules.Move, score Score, effort int, elapsed time.Duration) bool {
	if best == t.best {
		t.stable++
	} else {
		t.best, t.stable = best, 0
	}
	scoreDrop := 0
	if t.score != noScore {
		scoreDrop = min(max(0, t.score-int(score)), maxScoreDrop)
	}
	t.score = int(score)
	if !t.timed() || t.fixed {
		return false
	}
	used := percent(t.optimum, t.params.stabilityPercent(t.stable)+scoreDrop*t.params.DropPercent/100)
	used = percent(used, t.params.EffortBase-effort*t.params.EffortSlope/100)
	return elapsed >= min(t.maximum, used)
}

// stabilityPercent returns the percentage of the optimum to use after the given number of
// depths with the same best move.
func (p *Parameters) stabilityPercent(stable int) int {
	more := p.NewPercent * 100
	for range min(stable, 10) {
		more = more * p.NewDecay / 100
	}
	return p.StablePercent + more/100
}
