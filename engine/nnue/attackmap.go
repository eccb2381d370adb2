package nnue

import "github.com/zhbot/zhbot/rules"

// AttackMap is the squares that the pieces of a side attack. The assembly knows its layout.
type AttackMap struct {
	Pawns, Knights, King rules.Bitboard
	Diagonals            rules.Bitboard // by bishops, and by queens as bishops
	Straights            rules.Bitboard // by rooks, and by queens as rooks
	Pieces               rules.Bitboard // by any but the king
	All                  rules.Bitboard
	Twice                rules.Bitboard // by two or more
}

// Find sets the map to that of a side.
func (a *AttackMap) Find(p *rules.Position, by rules.Color) {
	queens := p.Pieces(by, rules.Queen)
	a.find(p.Pieces(by, rules.Knight), p.Pieces(by, rules.Bishop)|queens, p.Pieces(by, rules.Rook)|queens,
		^p.Occupied())

	ahead := p.Pieces(by, rules.Pawn)
	if by == rules.White {
		ahead <<= 8
	} else {
		ahead >>= 8
	}
	west, east := ahead&^rules.FileA>>1, ahead&^rules.FileH<<1
	a.Pawns = west | east
	a.Twice |= west&east | a.Pieces&a.Pawns
	a.Pieces |= a.Pawns
	a.King = rules.KingAttacks(p.King(by))
	a.Twice |= a.Pieces & a.King
	a.All = a.Pieces | a.King
}

// findPortable sets the map to that of knights and of sliders, those that move on diagonals
// and those that move on files and ranks: Knights, Diagonals, Straights, Pieces and Twice.
// No two pieces attack a square from the same direction.
func (a *AttackMap) findPortable(knights, diagonal, straight, empty rules.Bitboard) {
	*a = AttackMap{}
	for knights != 0 {
		a.add(&a.Knights, rules.KnightAttacks(knights.Pop()))
	}
	notA, notH := empty&^rules.FileA, empty&^rules.FileH
	a.add(&a.Diagonals, slideUp(diagonal, notA, 9)&^rules.FileA)
	a.add(&a.Diagonals, slideUp(diagonal, notH, 7)&^rules.FileH)
	a.add(&a.Diagonals, slideDown(diagonal, notH, 9)&^rules.FileH)
	a.add(&a.Diagonals, slideDown(diagonal, notA, 7)&^rules.FileA)
	a.add(&a.Straights, slideUp(straight, empty, 8))
	a.add(&a.Straights, slideUp(straight, notA, 1)&^rules.FileA)
	a.add(&a.Straights, slideDown(straight, empty, 8))
	a.add(&a.Straights, slideDown(straight, notH, 1)&^rules.FileH)
}

// add adds attacks from one direction.
func (a *AttackMap) add(to *rules.Bitboard, set rules.Bitboard) {
	*to |= set
	a.Twice |= a.Pieces & set
	a.Pieces |= set
}

// slideUp returns the squares that sliders attack a step towards higher squares, given the
// free ones, without those that are only reached around the edge. It may add some of these.
func slideUp(sliders, free rules.Bitboard, step int) rules.Bitboard {
	sliders |= free & (sliders << step)
	free &= free << step
	sliders |= free & (sliders << (2 * step))
	free &= free << (2 * step)
	sliders |= free & (sliders << (4 * step))
	return sliders << step
}

// slideDown is slideUp towards lower squares.
func slideDown(sliders, free rules.Bitboard, step int) rules.Bitboard {
	sliders |= free & (sliders >> step)
	free &= free >> step
	sliders |= free & (sliders >> (2 * step))
	free &= free >> (2 * step)
	sliders |= free & (sliders >> (4 * step))
	return sliders >> step
}
