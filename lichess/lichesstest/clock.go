package lichesstest

import "time"

// clock is the pair of clocks of a game. The caller passes the current time. Sides
// are 0 for White and 1 for Black.
type clock struct {
	spec ChallengeSpec
	kind string // of the spec

	remaining [2]time.Duration // as of since
	turn      int
	running   bool
	since     time.Time
	moves     int
}

const (
	// unlimitedTime is what Lichess sends for a game without a clock.
	unlimitedTime = 2147483647 * time.Millisecond
	// resolution of the clocks that Lichess sends.
	resolution = 10 * time.Millisecond
)

func newClock(spec ChallengeSpec, now time.Time) clock {
	c := clock{spec: spec, kind: spec.kind(), since: now}
	c.running = c.runs()
	start := unlimitedTime
	switch c.kind {
	case realTime:
		start = spec.Limit
		if start == 0 {
			start = max(spec.Increment, 3*time.Second)
		}
	case correspondence:
		start = time.Duration(spec.Days) * day
	}
	c.remaining = [2]time.Duration{start, start}
	return c
}

// runs reports whether the clocks run: those of a correspondence game from its start,
// others once both sides have moved.
func (c *clock) runs() bool { return c.kind == correspondence || c.moves >= 2 }

// timeLeft returns a side's remaining time; it may be negative.
func (c *clock) timeLeft(side int, now time.Time) time.Duration {
	if c.running && side == c.turn && c.kind != unlimited {
		return c.remaining[side] - now.Sub(c.since)
	}
	return c.remaining[side]
}

// shown returns a side's remaining time in milliseconds, as the server sends it.
func (c *clock) shown(side int, now time.Time) int64 {
	unit := resolution
	switch c.kind {
	case unlimited:
		return unlimitedTime.Milliseconds()
	case correspondence:
		unit = time.Second
	}
	return max(0, c.timeLeft(side, now)).Truncate(unit).Milliseconds()
}

// flagged reports whether the side to move has run out of time.
func (c *clock) flagged(now time.Time) bool {
	return c.kind != unlimited && c.running && c.timeLeft(c.turn, now) <= 0
}

// press ends the mover's turn. Clocks of seconds start after both first moves, which
// earn no increment, and neither does a move that ends the game.
func (c *clock) press(now time.Time, ends bool) {
	side := c.turn
	c.remaining[side] = c.timeLeft(side, now)
	switch {
	case c.kind == correspondence:
		c.remaining[side] = time.Duration(c.spec.Days) * day
	case c.running && !ends:
		c.remaining[side] += c.spec.Increment
	}
	c.moves++
	c.turn = 1 - side
	c.since = now
	c.running = c.runs()
}

// takeBack takes back moves. The remaining times stay.
func (c *clock) takeBack(moves int, now time.Time) {
	c.remaining[c.turn] = c.timeLeft(c.turn, now)
	c.moves -= moves
	c.turn = (c.turn + moves) % 2
	c.since = now
	c.running = c.runs()
}

// addTime adds time to both sides of a real-time game.
func (c *clock) addTime(d time.Duration) {
	if c.kind == realTime {
		c.remaining[0] += d
		c.remaining[1] += d
	}
}

// stop stops the clocks.
func (c *clock) stop(now time.Time) {
	c.remaining[c.turn] = max(0, c.timeLeft(c.turn, now))
	c.running = false
}
