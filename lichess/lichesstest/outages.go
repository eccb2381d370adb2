package lichesstest

import (
	"slices"
	"time"
)

// Outage is a time in which the server kept a bot from playing: a stream lost
// its lines, or no move was taken.
type Outage struct {
	Kind     string // "cut", "stall", "miss", "slow", "limit", "down" or "hole"
	From, To time.Time
}

// LastTurn is the turn in which a game ended, of the player whose clock ran.
type LastTurn struct {
	Color   string
	Clock   time.Duration // the player's when the turn began, later gifts included
	Elapsed time.Duration
	Outages []Outage // in the order they began, cut to the turn
}

// A client cannot see at once that a stream has died. It is granted so much of
// a silence: two keep-alives of Lichess and a bit. A connection that was closed
// can be opened again at once, and one that nobody answers is given up.
const (
	stallGrant = 15 * time.Second
	cutGrant   = 500 * time.Millisecond
	holeGrant  = 3 * time.Second
	missGrant  = 35 * time.Second // to see that the stream has missed a move
)

// keepOutages bounds what the server remembers.
const keepOutages = 256

// ledger remembers outages, the newest last.
type ledger []Outage

func (l *ledger) add(kind string, from time.Time, d time.Duration) {
	*l = append(*l, Outage{kind, from, from.Add(d)})
	if len(*l) > keepOutages {
		*l = (*l)[1:]
	}
}

// end ends the outages that last.
func (l ledger) end(now time.Time) {
	for i := range l {
		if l[i].To.After(now) {
			l[i].To = now
		}
	}
}

// within returns what falls into a span, cut to it.
func (l ledger) within(from, to time.Time) (found []Outage) {
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

// covered is how long at least one of the outages was on.
func covered(outages []Outage) (sum time.Duration) {
	sorted := slices.SortedFunc(slices.Values(outages), func(a, b Outage) int { return a.From.Compare(b.From) })
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

// OutageTime returns how much of the turn was lost to outages.
func (t *LastTurn) OutageTime() time.Duration { return covered(t.Outages) }

// bearable returns how long an outage may be that leaves a side half of what its
// turn began with, or would begin with.
func (g *game) bearable(side int, now time.Time) time.Duration {
	left := g.clock.left(side, now)
	if side != g.clock.turn || g.turnBegan.IsZero() {
		return left / 2
	}
	turn := g.lastTurn(now)
	return min(left/2, turn.Clock/2-turn.OutageTime())
}

// lastTurn returns the turn that was on at a moment.
func (g *game) lastTurn(end time.Time) LastTurn {
	side := g.clock.turn
	withheld := append(ledger(g.outages[side].within(g.turnBegan, end)), g.server.Faults.withheld(g.turnBegan, end)...)
	return LastTurn{Color: colors[side], Clock: g.turnClock, Elapsed: end.Sub(g.turnBegan), Outages: withheld}
}

// beginTurn notes when a turn began, and when the one before ended.
func (g *game) beginTurn(now time.Time) {
	if !g.turnBegan.IsZero() {
		g.turns = append(g.turns, now.Sub(g.turnBegan))
	}
	g.turnBegan, g.turnClock = now, g.clock.remaining[g.clock.turn]
}
