package engine

import "github.com/zhbot/zhbot/rules"

// isolatedPawn is what a pawn loses that has none on the files beside it, in
// centipawns. Doubled and guarded pawns count for nothing where pawns drop out
// of the sky.
const isolatedPawn = 12

// placePawns notes the squares that pawns attack and judges their structure.
func (e *evaluation) placePawns(c rules.Color) {
	pawns := e.p.Pieces(c, rules.Pawn)
	left, right := pawnAttacks(c, pawns)
	e.addAttacks(c, rules.Pawn, left)
	e.addAttacks(c, rules.Pawn, right)

	files := fileFill(pawns)
	beside := files&^rules.FileH<<1 | files&^rules.FileA>>1
	e.terms[c][termPawns] = -isolatedPawn * (pawns &^ beside).Count()
	for set := pawns; set != 0; {
		e.terms[c][termPlacement] += int(placement[c][rules.Pawn][set.Pop()&63])
	}
}

// pawnAttacks returns the squares that a side's pawns attack towards the
// a-file and towards the h-file.
func pawnAttacks(c rules.Color, pawns rules.Bitboard) (left, right rules.Bitboard) {
	if c == rules.White {
		return pawns &^ rules.FileA << 7, pawns &^ rules.FileH << 9
	}
	return pawns &^ rules.FileA >> 9, pawns &^ rules.FileH >> 7
}

// fileFill returns all files with a square in the set.
func fileFill(b rules.Bitboard) rules.Bitboard {
	b |= b >> 8
	b |= b >> 16
	b |= b >> 32
	return b & rules.Rank1 * rules.FileA
}
