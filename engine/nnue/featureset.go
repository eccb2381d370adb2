package nnue

import "github.com/zhbot/zhbot/rules"

// featureSet is the features of a position in White's perspective.
type featureSet struct {
	// pieces has for each square the number of the features of its piece, 0 for none: three
	// bits of state, namely whether the piece is defended and by which class it is attacked,
	// below its rules.Piece.
	pieces   [64]uint8
	pockets  uint64 // a bit for each feature
	promoted [2]rules.Bitboard
}

// set makes the set that of a position.
func (s *featureSet) set(p *rules.Position, attacks *Attacks) {
	white, black := p.ByColor(rules.White), p.ByColor(rules.Black)
	whites, blacks := &attacks[rules.White], &attacks[rules.Black]
	pawns := white&blacks.Pawns | black&whites.Pawns
	minors := white&(blacks.Knights|blacks.Diagonals) | black&(whites.Knights|whites.Diagonals)
	majors := white&(blacks.Straights|blacks.King) | black&(whites.Straights|whites.King)
	encode(&s.pieces, p.Board(), &[3]rules.Bitboard{
		white&whites.All | black&blacks.All,
		pawns | majors&^minors, // 1 by a pawn, 2 by a minor piece, 3 only by others
		(minors | majors) &^ pawns,
	})
	s.promoted = [2]rules.Bitboard{p.Promoted() & white, p.Promoted() & black}
	s.pockets = pocketBits(p.Pocket(rules.White)) | pocketBits(p.Pocket(rules.Black))<<pocketSlots
}

// pocketBits returns the features of a side's pocket. What no game from the start position
// reaches is left out.
func pocketBits(pocket rules.Pocket) (set uint64) {
	for t := rules.Pawn; t <= rules.Queen; t++ {
		n := min(pocket.Count(t), rules.PocketLimit(t))
		set |= (1<<n - 1) << pocketOffset[t]
	}
	return set
}
