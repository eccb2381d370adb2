package engine

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// plan returns the optimum and maximum time for a move, zero for no limit. Both are the
// same for a fixed time per move.
func (p *Parameters) plan(l Limits, root *rules.Position) (optimum, maximum time.Duration) {
	if l.Infinite || l.Ponder {
		return 0, 0
	}
	if l.hasClock() {
		c := clock{remaining: l.White, increment: l.WhiteInc, overhead: l.Overhead, movesToGo: l.MovesToGo,
			move: root.Fullmove()}
		if root.Turn() == rules.Black {
			c.remaining, c.increment = l.Black, l.BlackInc
		}
		optimum, maximum = c.plan(p)
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

// clock is what a player has for the rest of the game.
type clock struct {
	remaining, increment time.Duration
	overhead             time.Duration // lost on every move
	movesToGo            int           // until the clock is refilled; 0 means never
	move                 int           // the number of the move in the game, from 1
}

// plan returns the optimum and maximum time for the next move: a share of the clock and
// most of the increment. The overhead is lost on every move, so it is subtracted from the
// optimum.
func (c clock) plan(p *Parameters) (optimum, maximum time.Duration) {
	horizon := c.horizon(p)
	increment := percent(c.increment, p.IncrementPercent)
	usable := max(0, c.remaining-c.reserve(p))
	optimum = usable/time.Duration(horizon) + increment - c.overhead
	share := percent(usable, max(p.MaxMovePercent, maxClockPercent/horizon)) + increment
	maximum = min(percent(optimum, p.MaximumPercent), share, percent(usable, maxClockPercent))
	floor := min(max((c.remaining-c.overhead)/minShare, minTime), maxMinTime)
	maximum = max(maximum, floor)
	return min(max(optimum, floor), maximum), maximum
}

// horizon returns the number of moves over which the clock is spread. The longer a game
// lasts, the fewer moves are left, though crazyhouse has no endgame in which they come
// quickly.
func (c clock) horizon(p *Parameters) int {
	horizon := max(p.MoveHorizon-(c.move-1)*p.HorizonDecline/100, p.MinHorizon)
	if c.movesToGo > 0 {
		horizon = min(horizon, c.movesToGo)
	}
	return horizon
}

// reserve returns the time that is never planned for. It covers what the overhead, a
// mean, does not: late timers, pauses of the machine, and one slow reply. Where the
// increment does not make up for the overhead, it also covers that of a long game.
func (c clock) reserve(p *Parameters) time.Duration {
	moves := longGame
	if c.movesToGo > 0 {
		moves = min(moves, c.movesToGo)
	}
	lost := max(0, c.overhead-c.increment) * time.Duration(moves)
	return min(percent(c.remaining, p.ReservePercent), maxReserve) + 2*c.overhead + lost
}

// percent does not overflow where the product would: after years.
func percent(d time.Duration, n int) time.Duration {
	return d/100*time.Duration(n) + d%100*time.Duration(n)/100
}
