package engine

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// MoveTimer decides when a search by another program ends: it plans time as [Engine.Search]
// does for its own searches. It is not safe for concurrent use.
type MoveTimer struct{ time timeManager }

// NewMoveTimer plans the time of a search of a position that starts now.
func NewMoveTimer(l Limits, root *rules.Position) *MoveTimer {
	return &MoveTimer{newTimeManager(l, root, time.Now())}
}

// Deadline returns the time by which the search must end, the zero time if the limits set
// none.
func (t *MoveTimer) Deadline() time.Time { return t.time.deadline() }

// ShouldStop reports, after a completed depth with a best move and its score, whether to
// move now.
func (t *MoveTimer) ShouldStop(best rules.Move, s Score) bool {
	return t.time.shouldStop(best, int(s), time.Since(t.time.start))
}
