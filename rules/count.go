package rules

// CountMoves returns the number of legal moves without listing them.
func (p *Position) CountMoves() int {
	t := p.targets()
	n := t.kingMoves(p).Count()
	if t.evasion == 0 {
		return n
	}
	n += p.castlingTargets().Count() + p.countPieces(&t) + p.countPawns(&t)
	if pocket := p.pockets[p.turn&1]; pocket != 0 {
		squares := p.dropTargets(&t)
		n += squares.Count() * distinctTypes(pocket&^0xffff)
		if pocket.Has(Pawn) {
			n += (squares &^ backRanks).Count()
		}
	}
	return n
}

// HasLegalMove reports whether the side to move has any legal move.
func (p *Position) HasLegalMove() bool { return p.CountMoves() != 0 }

// distinctTypes returns how many different types a pocket holds.
func distinctTypes(pocket Pocket) int {
	const low = 0x7f7f7f7f7f7f7f7f
	return Bitboard((uint64(pocket) + low) &^ low).Count()
}

func (p *Position) countPieces(t *targets) (n int) {
	own, occupied := p.byColor[p.turn&1], p.Occupied()
	squares := t.evasion &^ own
	for b := own & p.byType[Knight] &^ t.pinned; b != 0; {
		n += (knightAttacks[b.Pop()&63] & squares).Count()
	}
	for b := own & (p.byType[Bishop] | p.byType[Queen]); b != 0; {
		from := b.Pop()
		n += t.unpinned(from, BishopAttacks(from, occupied)&squares).Count()
	}
	for b := own & (p.byType[Rook] | p.byType[Queen]); b != 0; {
		from := b.Pop()
		n += t.unpinned(from, RookAttacks(from, occupied)&squares).Count()
	}
	return n
}

func (p *Position) countPawns(t *targets) int {
	m := p.pawnMoves(t, All)
	n := m.single.Count() + m.double.Count() + m.west.Count() + m.east.Count() +
		3*((m.single&backRanks).Count()+(m.west&backRanks).Count()+(m.east&backRanks).Count())
	if p.enPassant != NoSquare {
		for b := p.enPassantCapturers(p.enPassant); b != 0; {
			if p.enPassantLegal(b.Pop(), p.enPassant) {
				n++
			}
		}
	}
	return n
}
