package engine

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// timeManager decides when a search has thought long enough.
//
// It plans two times: the optimum, after which no new depth is begun, and the
// maximum, at which the search breaks off wherever it is. Between depths the
// optimum shrinks while the best move stays the same and grows when the best
// move changes or its score drops.
type timeManager struct {
	start   time.Time
	nodes   uint64        // that count as a millisecond; 0: time is time
	optimum time.Duration // 0: no time limit
	maximum time.Duration
	fixed   bool // the maximum is to be used whatever the search finds

	best   rules.Move
	stable int // depths since the best move changed
	score  int // score of the depth before, noScore at first
}

func newTimeManager(l Limits, turn rules.Color, start time.Time) timeManager {
	optimum, maximum := plan(l, turn)
	return timeManager{
		start: start, nodes: l.NodesTime, optimum: optimum, maximum: maximum,
		fixed: l.MoveTime > 0 && !l.hasClock(), score: noScore,
	}
}

// timed reports whether the move has a time limit.
func (t *timeManager) timed() bool { return t.maximum > 0 }

// deadline returns when the move must be made at the latest, the zero time if
// no clock but that of nodes says so.
func (t *timeManager) deadline() time.Time {
	if !t.timed() || t.nodes > 0 {
		return time.Time{}
	}
	return t.start.Add(t.maximum)
}

// expired reports whether the maximum is over.
func (t *timeManager) expired(now time.Time) bool {
	return t.timed() && t.nodes == 0 && now.Sub(t.start) >= t.maximum
}

// elapsed returns the time that the search has taken, given its nodes.
func (t *timeManager) elapsed(nodes uint64) time.Duration {
	if t.nodes > 0 {
		return time.Duration(nodes) * time.Millisecond / time.Duration(t.nodes)
	}
	return time.Since(t.start)
}

// nodeLimit returns the nodes at which the maximum is over, 0 if nodes do not
// count as time.
func (t *timeManager) nodeLimit() uint64 {
	if !t.timed() || t.nodes == 0 {
		return 0
	}
	return max(uint64(t.maximum)*t.nodes/uint64(time.Millisecond), 1)
}

// enough reports, after a depth was searched in full, whether to move now.
func (t *timeManager) enough(best rules.Move, score int, elapsed time.Duration) bool {
	if best == t.best {
		t.stable++
	} else {
		t.best, t.stable = best, 0
	}
	drop := 0
	if t.score != noScore {
		drop = min(max(0, t.score-score), dropCeiling)
	}
	t.score = score
	if !t.timed() || t.fixed {
		return false
	}
	percent := stabilityPercent[min(t.stable, len(stabilityPercent)-1)] + drop*dropPercent
	return elapsed >= min(t.maximum, t.optimum*time.Duration(percent)/100)
}

// plan returns the optimum and maximum time for a move, zero for none. A fixed
// time for the move is used to its end: whoever sets it wants that much thought.
func plan(l Limits, turn rules.Color) (optimum, maximum time.Duration) {
	if l.Infinite || l.Ponder {
		return 0, 0
	}
	remaining, increment := l.White, l.WhiteInc
	if turn == rules.Black {
		remaining, increment = l.Black, l.BlackInc
	}
	if l.hasClock() {
		optimum, maximum = planClock(remaining, increment, l.Overhead, l.MovesToGo)
	}
	if l.MoveTime > 0 {
		limit := max(l.MoveTime, leastTime)
		if maximum == 0 {
			return limit, limit
		}
		optimum, maximum = min(optimum, limit), min(maximum, limit)
	}
	return optimum, maximum
}

// planClock spends a share of the clock and most of the increment. Crazyhouse
// has no endgame in which moves come quickly, so the share stays the same all
// game long: spending a fixed part of what is left never empties a clock. The
// overhead is lost on every move and so is taken off the share, and twice off
// the maximum, so that one slow reply does not cost the game.
func planClock(remaining, increment, overhead time.Duration, movesToGo int) (optimum, maximum time.Duration) {
	horizon := time.Duration(moveHorizon)
	if movesToGo > 0 {
		horizon = min(horizon, time.Duration(movesToGo))
	}
	usable := max(0, remaining-2*overhead-clockReserve(remaining))
	optimum = usable/horizon + increment*incrementPercent/100 - overhead
	share := usable*clockPercent(horizon)/100 + increment*incrementPercent/100
	maximum = min(optimum*maximumFactor, share, usable*mostClockPercent/100)
	least := min(max((remaining-overhead)/leastShare, leastTime), mostLeastTime)
	maximum = max(maximum, least)
	return min(max(optimum, least), maximum), maximum
}

// clockReserve is never planned for: it covers what overhead, a mean, does
// not, such as a late timer or a pause of the machine.
func clockReserve(remaining time.Duration) time.Duration {
	return min(remaining/4, mostReserve)
}

// clockPercent is the part of the usable clock that one move may take without
// its increment.
func clockPercent(horizon time.Duration) time.Duration {
	return max(longestMovePercent, mostClockPercent/horizon)
}
