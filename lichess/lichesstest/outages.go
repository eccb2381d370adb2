package lichesstest

import (
	"slices"
	"time"
)

// Outage is a time span in which the server kept a bot from playing: a stream lost
// lines, or no move was accepted.
type Outage struct {
	Fault    string // its name
	From, To time.Time
}

// LastTurn is the turn in which a game ended, of the side to move.
type LastTurn struct {
	Color   string
	Clock   time.Duration // the player's when the turn began, plus time added since
	Outages []Outage      // by start, clipped to the turn
}

// maxOutages bounds an outageLog.
const maxOutages = 256

// outageLog is a list of outages, the newest last.
type outageLog []Outage

func (l *outageLog) add(kind string, from time.Time, d time.Duration) {
	*l = append(*l, Outage{kind, from, from.Add(d)})
	if len(*l) > maxOutages {
		*l = (*l)[1:]
	}
}

// end ends the outages in progress.
func (l outageLog) end(now time.Time) {
	for i := range l {
		if l[i].To.After(now) {
			l[i].To = now
		}
	}
}

// within returns the outages in a time span, clipped to it.
func (l outageLog) within(from, to time.Time) (found []Outage) {
	for _, o := range l {
		if o.From.Before(from) {
			o.From = from
		}
		if o.To.After(to) {
			o.To = to
		}
		if o.To.After(o.From) {
			found = append(found, o)
		}
	}
	return found
}

// OutageTime returns how much of the turn was lost to outages, overlaps counted once.
func (t *LastTurn) OutageTime() (sum time.Duration) {
	sorted := slices.SortedFunc(slices.Values(t.Outages), func(a, b Outage) int { return a.From.Compare(b.From) })
	var end time.Time
	for _, o := range sorted {
		if o.From.Before(end) {
			o.From = end
		}
		if o.To.After(o.From) {
			sum += o.To.Sub(o.From)
			end = o.To
		}
	}
	return sum
}

// outageBudget returns the longest outage that leaves a side half of the time its
// turn began with, or would begin with.
func (g *game) outageBudget(side int, now time.Time) time.Duration {
	left := g.clock.timeLeft(side, now)
	if side != g.clock.turn || g.turnBegan.IsZero() {
		return left / 2
	}
	turn := g.lastTurn(now)
	return min(left/2, turn.Clock/2-turn.OutageTime())
}

// lastTurn returns the current turn up to a time.
func (g *game) lastTurn(end time.Time) LastTurn {
	side := g.clock.turn
	withheld := append(outageLog(g.outages[side].within(g.turnBegan, end)),
		g.server.Faults.outagesBetween(g.turnBegan, end)...)
	return LastTurn{Color: colors[side], Clock: g.turnClock, Outages: withheld}
}

// beginTurn records the end of the previous turn and the start of the next.
func (g *game) beginTurn(now time.Time) {
	if !g.turnBegan.IsZero() {
		g.turns = append(g.turns, now.Sub(g.turnBegan))
	}
	g.turnBegan, g.turnClock = now, g.clock.remaining[g.clock.turn]
}
