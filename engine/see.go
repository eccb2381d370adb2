package engine

import "github.com/zhbot/zhbot/rules"

// Piece values in centipawns, by [rules.PieceType]. In crazyhouse the major pieces are
// worth relatively less.
var (
	boardValue = [8]int{0, 100, 270, 320, 360, 515, 0, 0}
	handValue  = [8]int{0, 85, 215, 190, 285, 370, 0, 0}
)

// captureValue returns what is won by capturing a piece: it leaves the board, and one of
// its type, or a pawn if it is promoted, goes to the captor's pocket.
func captureValue(t rules.PieceType, promoted bool) int {
	if promoted {
		return boardValue[t] + handValue[rules.Pawn]
	}
	return boardValue[t] + handValue[t]
}

// seeAtLeast reports whether a legal move wins at least threshold centipawns when both
// sides keep capturing on its target square with their least valuable piece, and either
// may stop (static exchange evaluation). Captures count as in [captureValue]: the value
// lost on the board plus the value gained in hand. Pins are ignored.
func seeAtLeast(p *rules.Position, m rules.Move, threshold int) bool {
	if p.IsCastling(m) {
		return threshold <= 0
	}
	x := newExchange(p, m)
	surplus := x.gain - threshold
	if surplus < 0 {
		return false // even without a recapture
	}
	if surplus >= x.risk && !x.lastRank {
		return true // even if the piece is lost
	}
	return x.resolve(surplus)
}

// seeAtLeast is [seeAtLeast] at a node whose attacks are known, for a threshold up to 0: most
// moves go where the opponent attacks nothing, and uncover no line to there.
func (f *frame) seeAtLeast(m rules.Move, threshold int) bool {
	attacked := f.threatened()
	return !attacked.Has(m.To()) && !attacked.Has(m.From()) && m.To() != f.pos.EnPassant() ||
		seeAtLeast(&f.pos, m, threshold)
}

// exchange is a sequence of captures on one square.
type exchange struct {
	p        *rules.Position
	square   rules.Square
	occupied rules.Bitboard // remaining pieces, including the one on square
	gain     int            // won by the first move
	risk     int            // value lost if the piece now on square is captured
	lastRank bool           // pawns promote on square
}

// newExchange makes the first move.
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

// resolve plays the exchange to its end and reports whether the side that moved first
// reaches its threshold. surplus is by how much its first move exceeds it.
func (x *exchange) resolve(surplus int) bool {
	side := x.p.Turn().Other()
	attackers := x.p.AttackersTo(x.square, x.occupied) & x.occupied
	for {
		sideAttackers := attackers & x.p.ByColor(side)
		if sideAttackers == 0 {
			break
		}
		from, t, promoted := x.leastValuable(sideAttackers)
		if t == rules.King && attackers&^sideAttackers != 0 {
			break // the king cannot move into check
		}
		surplus = x.capture(t, promoted) - surplus - 1
		if surplus < 0 {
			break // the capture is not enough, so the side stops
		}
		x.occupied &^= from.Bit()
		attackers = (attackers | x.xrayAttackers(t)) & x.occupied
		side = side.Other()
	}
	// The side to capture has lost the exchange.
	return side != x.p.Turn()
}

// capture puts the next piece on the square and returns the value that it wins.
func (x *exchange) capture(t rules.PieceType, promoted bool) int {
	won := x.risk
	if t == rules.Pawn && x.lastRank {
		x.risk = captureValue(rules.Queen, true)
		return won + boardValue[rules.Queen] - boardValue[rules.Pawn]
	}
	x.risk = captureValue(t, promoted)
	return won
}

// attackerKind is a kind of capturing piece.
type attackerKind struct {
	piece    rules.PieceType
	promoted bool
}

// attackerOrder lists all kinds except the king by value: capturing a promoted piece only
// yields a pawn.
var attackerOrder = [...]attackerKind{
	{rules.Pawn, false},
	{rules.Knight, true}, {rules.Bishop, true}, {rules.Rook, true},
	{rules.Knight, false}, {rules.Bishop, false},
	{rules.Queen, true},
	{rules.Rook, false}, {rules.Queen, false},
}

// leastValuable returns the attacker with the lowest value.
func (x *exchange) leastValuable(attackers rules.Bitboard) (rules.Square, rules.PieceType, bool) {
	promoted := x.p.Promoted() & attackers
	if promoted == 0 {
		for t := rules.Pawn; t <= rules.Queen; t++ {
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

// xrayAttackers returns the sliding pieces that may have been uncovered by the capture of
// a piece of type t.
func (x *exchange) xrayAttackers(t rules.PieceType) rules.Bitboard {
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
