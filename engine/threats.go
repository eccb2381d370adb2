package engine

import (
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// threatSquares returns the squares from which a piece of the side to move, moved or
// dropped there, would attack an enemy piece that is more valuable, or neither defended nor
// attacked yet, and where it is not simply lost: no enemy piece attacks them, or a friendly
// one defends them and, unless the piece is a pawn, no enemy pawn attacks them.
func threatSquares(p *rules.Position, attacks *nnue.Attacks, t rules.PieceType, drop bool) (squares rules.Bitboard) {
	us, them := p.Turn(), p.Turn().Other()
	ours, theirs := &attacks[us&1], &attacks[them&1]
	enemies := p.ByColor(them) &^ p.ByType(rules.King)
	targets := enemies &^ theirs.All &^ ours.All
	switch t {
	case rules.Pawn:
		targets |= enemies &^ p.ByType(rules.Pawn)
	case rules.Knight, rules.Bishop:
		targets |= enemies & (p.ByType(rules.Rook) | p.ByType(rules.Queen))
	case rules.Rook:
		targets |= enemies & p.ByType(rules.Queen)
	case rules.King:
		return 0
	}
	for pc, occupied := rules.PieceOf(them, t), p.Occupied(); targets != 0; {
		squares |= rules.Attacks(pc, targets.Pop(), occupied)
	}
	defended := ours.All
	if !drop {
		defended = ours.Twice // by another piece than the one that moves
	}
	if t != rules.Pawn {
		defended &^= theirs.Pawns
	}
	return squares & (defended | ^theirs.All)
}
