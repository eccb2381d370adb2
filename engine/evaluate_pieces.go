package engine

import "github.com/zhbot/zhbot/rules"

// mobilityWeight is the worth of each square that a piece can go to, by type;
// mobilityUsual squares are worth nothing more or less. Centipawns.
var (
	mobilityWeight = [8]int{rules.Knight: 16, rules.Bishop: 20, rules.Rook: 15, rules.Queen: 6}
	mobilityUsual  = [8]int{rules.Knight: 4, rules.Bishop: 5, rules.Rook: 5, rules.Queen: 9}
)

// tropism is the worth of each step that a piece stands nearer to the enemy
// king than four, in centipawns: what is far away takes no part.
var tropism = [8]int{rules.Knight: 14, rules.Bishop: 18, rules.Rook: 22, rules.Queen: 24}

// nearness is four less the king's steps between two squares.
var nearness = buildNearness()

func buildNearness() (table [64][64]int8) {
	for a := range rules.Square(64) {
		for b := range rules.Square(64) {
			files, ranks := a.File()-b.File(), a.Rank()-b.Rank()
			table[a][b] = int8(4 - max(files, -files, ranks, -ranks))
		}
	}
	return table
}

// placePieces notes what knights, bishops, rooks and queens attack, and judges
// their places and mobility. The pawns of both sides must be known.
func (e *evaluation) placePieces(c rules.Color) {
	open := ^(e.p.Pieces(c, rules.Pawn) | e.p.Pieces(c, rules.King) | e.attacks[c.Other()][rules.Pawn])
	for t := rules.Knight; t <= rules.Queen; t++ {
		for set := e.p.Pieces(c, t); set != 0; {
			s := set.Pop()
			reach := e.reach(t, s)
			e.addAttacks(c, t, reach)
			e.terms[c][termPlacement] += int(placement[c][t&7][s&63])
			e.terms[c][termMobility] += mobilityWeight[t&7] * ((reach & open).Count() - mobilityUsual[t&7])
			e.terms[c][termPlacement] += tropism[t&7] * int(nearness[s&63][e.king[c.Other()]&63])
			e.assault[c] += (reach & e.zone[c.Other()]).Count()
		}
	}
}

// reach returns the squares that a piece attacks from a square.
func (e *evaluation) reach(t rules.PieceType, s rules.Square) rules.Bitboard {
	switch t {
	case rules.Knight:
		return rules.KnightAttacks(s)
	case rules.Bishop:
		return rules.BishopAttacks(s, e.occupied)
	case rules.Rook:
		return rules.RookAttacks(s, e.occupied)
	}
	return rules.QueenAttacks(s, e.occupied)
}

// placeKing notes what the king attacks, after all else of its side.
func (e *evaluation) placeKing(c rules.Color) {
	king := e.king[c]
	e.guarded[c] = e.attacked[c]
	e.addAttacks(c, rules.King, rules.KingAttacks(king))
	e.terms[c][termPlacement] += int(placement[c][rules.King][king&63])
	e.assault[c] += (e.attacks[c][rules.Pawn] & e.zone[c.Other()]).Count()
}
