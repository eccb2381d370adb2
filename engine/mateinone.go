package engine

import (
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// mateInOneAt returns the score of a mate in one at a ply, and whether it finds one. The side
// to move must not be in check, and its checks must be known. The mate is stored in the
// table, at depth 0, so that it does not stay there longer than others.
func (w *worker) mateInOneAt(ply int) (score int, found bool) {
	f, next := &w.stack[ply], &w.stack[ply+1]
	f.findAttacks()
	m := mateInOne(&f.pos, &f.checks, &f.attacks, &next.pos)
	if m == rules.NoMove {
		return 0, false
	}
	next.pv.n = 0
	f.pv.set(m, &next.pv)
	score = mateIn(ply + 1)
	w.table.store(w.keys[ply]^w.salt, entry{move: m, score: score, bound: lowerBound}, ply)
	return score, true
}

// mateInOne returns a move that mates, or NoMove if it finds none. The side to move must
// not be in check; the checks and the attacks must be those of the position.
// Discovered mates, and those by pawns or the king, are not looked for. next is overwritten.
func mateInOne(p *rules.Position, checks *rules.Checks, attacks *nnue.Attacks, next *rules.Position) rules.Move {
	us, occupied := p.Turn(), p.Occupied()
	king := p.King(us.Other())
	near := ^p.ByColor(us)
	if checks.Pinned() == 0 {
		near &^= attacks[us&1^1].Pieces // where another piece than the king captures
	}
	// A check from further away can be answered by a drop, unless there is none.
	if p.Pocket(us.Other()).Total() > 0 {
		near &= rules.KingAttacks(king) | rules.KnightAttacks(king)
	}
	own := &attacks[us&1]
	reach := [...]rules.Bitboard{
		rules.Knight: own.Knights, rules.Bishop: own.Diagonals, rules.Rook: own.Straights,
		rules.Queen: own.Diagonals | own.Straights,
	}
	flights := rules.KingAttacks(king) &^ p.ByColor(us.Other()) &^ own.All
	for t, pocket := rules.Queen, p.Pocket(us); t >= rules.Pawn; t-- {
		targets, pc := checks.Squares(t)&near, rules.PieceOf(us, t)
		if pocket.Has(t) {
			drops := targets &^ occupied
			if t == rules.Pawn {
				drops &^= rules.Rank1 | rules.Rank8
			}
			for drops != 0 {
				to := drops.Pop()
				if m := rules.NewDrop(t, to); flights&^rules.Attacks(pc, to, occupied&^king.Bit()) == 0 &&
					mates(p, m, next) {
					return m
				}
			}
		}
		if t == rules.Pawn {
			break
		}
		if targets &= reach[t]; targets == 0 {
			continue
		}
		for pieces := p.Pieces(us, t); pieces != 0; {
			from := pieces.Pop()
			for moves := rules.Attacks(pc, from, occupied) & targets; moves != 0; {
				to := moves.Pop()
				covered := to.Bit() | rules.Attacks(pc, to, occupied&^king.Bit()&^from.Bit())
				if m := rules.NewMove(from, to); flights&^covered == 0 && p.IsLegal(m) && mates(p, m, next) {
					return m
				}
			}
		}
	}
	return rules.NoMove
}

// mates reports whether a legal move mates. next is overwritten by the position after it.
func mates(p *rules.Position, m rules.Move, next *rules.Position) bool {
	p.PlayInto(m, next)
	return next.IsCheckmate()
}
