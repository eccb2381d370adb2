package engine

import (
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// seeAtLeast reports whether a legal move wins at least threshold centipawns
// when both sides go on capturing on its target square, always with their
// cheapest piece, and each may stop when it likes (static exchange
// evaluation). Everything is counted as [captureValue] does: board value lost
// plus hand value gained. A drop puts a piece at risk without vacating a
// square. Pins are not seen.
func seeAtLeast(p *rules.Position, m rules.Move, threshold int) bool {
	if p.IsCastling(m) {
		return threshold <= 0
	}
	x := newExchange(p, m)
	surplus := x.gain - threshold
	if surplus < 0 {
		return false // not even if nobody takes back
	}
	if surplus >= x.risk && !x.lastRank {
		return true // not even if the piece is lost for nothing
	}
	return x.resolve(surplus)
}

// exchange is a sequence of captures on one square.
type exchange struct {
	p        *rules.Position
	square   rules.Square
	occupied rules.Bitboard // what still stands, the piece on square included
	gain     int            // what the first move won
	risk     int            // what is lost when the piece now on square is taken
	lastRank bool           // pawns that capture here promote
}

// newExchange plays the first move.
func newExchange(p *rules.Position, m rules.Move) exchange {
	to, t := m.To(), p.Moved(m)
	x := exchange{p: p, square: to, occupied: p.Occupied() | to.Bit()}
	x.lastRank = to.Rank() == 0 || to.Rank() == 7
	if m.IsDrop() {
		x.risk = captureValue(t, false)
		return x
	}
	promoted := p.Promoted()
	x.occupied &^= m.From().Bit()
	if victim := p.Captured(m); victim != rules.NoPieceType {
		x.gain = captureValue(victim, promoted.Has(to))
		if to == p.EnPassant() && t == rules.Pawn {
			x.occupied &^= rules.SquareAt(to.File(), m.From().Rank()).Bit()
		}
	}
	if m.IsPromotion() {
		x.gain += boardValue[m.Promotion()] - boardValue[rules.Pawn]
		x.risk = captureValue(m.Promotion(), true)
		return x
	}
	x.risk = captureValue(t, promoted.Has(m.From()))
	return x
}

// resolve plays the exchange out. The side that moved last is surplus above
// what it needs; it returns whether the side that moved first gets there.
func (x *exchange) resolve(surplus int) bool {
	side := x.p.Turn().Other()
	attackers := x.p.AttackersTo(x.square, x.occupied) & x.occupied
	for {
		own := attackers & x.p.ByColor(side)
		if own == 0 {
			break
		}
		from, t, promoted := x.cheapest(own)
		if t == rules.King && attackers&^own != 0 {
			break // the king can't step into attack
		}
		surplus = x.capture(t, promoted) - surplus - 1
		if surplus < 0 {
			break // taking is not enough, so it stops
		}
		x.occupied &^= from.Bit()
		attackers = (attackers | x.behind(t)) & x.occupied
		side = side.Other()
	}
	// Whoever is to capture now has lost.
	return side != x.p.Turn()
}

// capture puts the next piece on the square and returns what it wins.
func (x *exchange) capture(t rules.PieceType, promoted bool) int {
	won := x.risk
	if t == rules.Pawn && x.lastRank {
		x.risk = captureValue(rules.Queen, true)
		return won + boardValue[rules.Queen] - boardValue[rules.Pawn]
	}
	x.risk = captureValue(t, promoted)
	return won
}

// exchanger is a kind of piece that may capture.
type exchanger struct {
	piece    rules.PieceType
	promoted bool
}

// attackerOrder lists all but the king from cheapest to dearest: promoted ones
// only give a pawn away. bornOrder leaves the promoted ones out.
var (
	attackerOrder = buildAttackerOrder()
	bornOrder     = buildBornOrder()
)

func buildAttackerOrder() (order [9]exchanger) {
	n := 0
	for t := rules.Pawn; t <= rules.Queen; t++ {
		order[n] = exchanger{t, false}
		n++
		if t != rules.Pawn {
			order[n] = exchanger{t, true}
			n++
		}
	}
	slices.SortStableFunc(order[:], func(a, b exchanger) int {
		return captureValue(a.piece, a.promoted) - captureValue(b.piece, b.promoted)
	})
	return order
}

func buildBornOrder() (order [5]rules.PieceType) {
	n := 0
	for _, a := range attackerOrder {
		if !a.promoted {
			order[n] = a.piece
			n++
		}
	}
	return order
}

// cheapest returns the attacker whose loss would cost least.
func (x *exchange) cheapest(attackers rules.Bitboard) (rules.Square, rules.PieceType, bool) {
	promoted := x.p.Promoted() & attackers
	if promoted == 0 {
		for _, t := range bornOrder {
			if set := attackers & x.p.ByType(t); set != 0 {
				return set.First(), t, false
			}
		}
		return attackers.First(), rules.King, false
	}
	for _, a := range attackerOrder {
		set := attackers & x.p.ByType(a.piece)
		if a.promoted {
			set &= promoted
		} else {
			set &^= promoted
		}
		if set != 0 {
			return set.First(), a.piece, a.promoted
		}
	}
	return attackers.First(), rules.King, false
}

// behind returns the sliders that may have stood behind a piece of type t
// that just captured.
func (x *exchange) behind(t rules.PieceType) rules.Bitboard {
	var found rules.Bitboard
	queens := x.p.ByType(rules.Queen)
	if t == rules.Pawn || t == rules.Bishop || t == rules.Queen {
		found |= rules.BishopAttacks(x.square, x.occupied) & (x.p.ByType(rules.Bishop) | queens)
	}
	if t == rules.Rook || t == rules.Queen {
		found |= rules.RookAttacks(x.square, x.occupied) & (x.p.ByType(rules.Rook) | queens)
	}
	return found
}
