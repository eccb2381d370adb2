package lichesstest

import (
	"slices"
	"time"
)

// Takebacks is a preference: in which games a player and the opponent may propose to take
// back moves.
type Takebacks int

// The values are Lichess's.
const (
	TakebacksNever Takebacks = iota + 1
	TakebacksCasual
	TakebacksAlways
)

// SetTakebacks sets a user's preference, which is TakebacksAlways at first, and
// TakebacksNever after the upgrade to a BOT account.
func (s *Server) SetTakebacks(name string, in Takebacks) {
	s.change(name, func(u *user) { u.takebacks = in })
}

// takeback is a side's proposal to take back a move.
type takeback struct {
	offered    bool
	declined   int // times
	declinedAt time.Time
}

// postponed reports whether the side may not propose again yet: the more proposals were
// declined, the longer it has to wait.
func (t *takeback) postponed(now time.Time) bool {
	n := min(t.declined, 10)
	return now.Sub(t.declinedAt) < time.Duration(10*n*n)*time.Second
}

// takebacksAllowed reports whether both players' preferences allow takebacks.
func (g *game) takebacksAllowed() bool {
	in := min(g.players[0].takebacks, g.players[1].takebacks)
	return g.arena == nil && (in == TakebacksAlways || in == TakebacksCasual && !g.spec.Rated)
}

func postTakeback(r *request) any {
	r.game.answerTakeback(r.side, truthy(r.PathValue("accept")))
	return done
}

// proposeTakeback proposes a takeback for a scripted player, who moves if that is not
// possible.
func (g *game) proposeTakeback(side int) {
	answers := g.takebacks[1-side].offered
	g.answerTakeback(side, true)
	if !answers && !g.takebacks[side].offered && g.turn() == side && !g.refused {
		g.refused = true
		g.wakePlayer()
	}
}

// answerTakeback proposes, accepts or declines a takeback.
func (g *game) answerTakeback(side int, yes bool) {
	own, other := &g.takebacks[side], &g.takebacks[1-side]
	switch {
	case g.over() || !g.bothMoved() || yes && !g.takebacksAllowed():
	case other.offered && yes:
		g.systemKept(sideNames[side] + " accepts takeback")
		g.takeBack(1 - side)
	case other.offered:
		*other = takeback{declined: other.declined + 1, declinedAt: time.Now()}
		g.refused = true
		g.systemChat(sideNames[side] + " declines takeback")
		g.broadcast(g.state())
		g.wakePlayer()
	case !yes && own.offered:
		own.offered = false
		g.systemChat(sideNames[side] + " cancels takeback")
		g.broadcast(g.state())
	case yes && !own.offered && !own.postponed(time.Now()):
		own.offered = true
		g.systemChat(sideNames[side] + " proposes takeback" + g.lastMoves())
		g.broadcast(g.state())
	}
}

// lastMoves is the last two moves in brackets, with which a proposal of White is announced.
func (g *game) lastMoves() string {
	from := max(0, g.rules.Ply()-2)
	at := g.rules.PositionAt(from)
	return " (" + at.Line(g.rules.Moves()[from:]) + ")"
}

// takeBack removes the moves since a side's last turn.
func (g *game) takeBack(side int) {
	back := 1
	if g.turn() == side {
		back = 2
	}
	if back > g.rules.Ply() {
		return // the side has not moved yet
	}
	g.rules.TakeBack(back)
	g.moves = slices.Clone(g.moves[:len(g.moves)-back])
	g.clock.takeBack(back, time.Now())
	g.turns = g.turns[:len(g.moves)]
	g.takebacks, g.drawOffer = [2]takeback{}, [2]bool{}
	g.setFlag(time.Now())
	g.broadcast(g.state())
	g.wakePlayer()
}
