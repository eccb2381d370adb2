package engine

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// timeManager decides when to end a search.
//
// It plans two times: the optimum, after which no new depth is started, and the maximum,
// at which the search ends anyway. Between depths the optimum shrinks while the best move
// is stable, and grows when it changes or the score drops.
type timeManager struct {
	start   time.Time
	nodes   uint64        // nodes per millisecond; 0 means real time
	optimum time.Duration // 0 means no time limit
	maximum time.Duration
	fixed   bool // use the maximum whatever the search finds

	best   rules.Move
	stable int // depths since the best move changed
	score  int // score of the previous depth, noScore initially
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

// deadline returns the time by which the move must be made, the zero time if there is no
// limit in real time.
func (t *timeManager) deadline() time.Time {
	if !t.timed() || t.nodes > 0 {
		return time.Time{}
	}
	return t.start.Add(t.maximum)
}

// expired reports whether the maximum time is over.
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

// nodeLimit returns the nodes that correspond to the maximum time, 0 if nodes do not count
// as time.
func (t *timeManager) nodeLimit() uint64 {
	if !t.timed() || t.nodes == 0 {
		return 0
	}
	return max(uint64(t.maximum)*t.nodes/uint64(time.Millisecond), 1)
}

// shouldStop reports, after a completed depth, whether to move now.
func (t *timeManager) shouldStop(best rules.Move, score int, elapsed time.Duration) bool {
	if best == t.best {
		t.stable++
	} else {
		t.best, t.stable = best, 0
	}
	scoreDrop := 0
	if t.score != noScore {
		scoreDrop = min(max(0, t.score-score), maxScoreDrop)
	}
	t.score = score
	if !t.timed() || t.fixed {
		return false
	}
	percent := stabilityPercent[min(t.stable, len(stabilityPercent)-1)] + scoreDrop*scoreDropPercent
	return elapsed >= min(t.maximum, t.optimum*time.Duration(percent)/100)
}

// plan returns the optimum and maximum time for a move, zero for no limit. A fixed time
// per move is used completely.
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
		limit := max(l.MoveTime, minTime)
		if maximum == 0 {
			return limit, limit
		}
		optimum, maximum = min(optimum, limit), min(maximum, limit)
	}
	return optimum, maximum
}

// planClock plans a share of the clock and most of the increment. Crazyhouse has no
// endgame in which moves come quickly, so the share is the same throughout the game. The
// overhead is lost on every move, so it is subtracted from the optimum, and twice from the
// usable time, so that one slow reply does not lose the game.
func planClock(remaining, increment, overhead time.Duration, movesToGo int) (optimum, maximum time.Duration) {
	horizon := time.Duration(moveHorizon)
	if movesToGo > 0 {
		horizon = min(horizon, time.Duration(movesToGo))
	}
	usable := max(0, remaining-2*overhead-clockReserve(remaining))
	optimum = usable/horizon + increment*incrementPercent/100 - overhead
	share := usable*clockPercent(horizon)/100 + increment*incrementPercent/100
	maximum = min(optimum*maximumFactor, share, usable*maxClockPercent/100)
	floor := min(max((remaining-overhead)/minShare, minTime), maxMinTime)
	maximum = max(maximum, floor)
	return min(max(optimum, floor), maximum), maximum
}

// clockReserve returns the time that is never planned for. It covers what the overhead, a
// mean, does not: late timers and pauses of the machine.
func clockReserve(remaining time.Duration) time.Duration {
	return min(remaining/4, maxReserve)
}

// clockPercent returns the percentage of the usable clock that one move may take, besides
// the increment.
func clockPercent(horizon time.Duration) time.Duration {
	return max(maxMovePercent, maxClockPercent/horizon)
}
