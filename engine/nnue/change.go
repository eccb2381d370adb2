package nnue

import (
	"math/bits"

	"github.com/zhbot/zhbot/rules"
)

// change is the features of both perspectives by which two positions differ.
type change struct{ added, removed featureList }

// featureList is a list of features in both perspectives; the arrays may be longer.
type featureList struct {
	rows [2][maxActive]uint16
	n    int
}

func (l *featureList) of(side int) []uint16 { return l.rows[side][:l.n] }

// set makes the change that from one set to another.
func (c *change) set(to, from *featureSet, o *[2]Orientation) {
	c.added.n, c.removed.n = 0, 0
	for squares := differing(&to.pieces, &from.pieces); squares != 0; {
		sq := squares.Pop() & 63
		c.added.addPiece(to.pieces[sq], sq, o)
		c.removed.addPiece(from.pieces[sq], sq, o)
	}
	if to.pockets != from.pockets {
		c.added.addBits(o, pocketBase, to.pockets&^from.pockets)
		c.removed.addBits(o, pocketBase, from.pockets&^to.pockets)
	}
	if to.promoted != from.promoted {
		for side := range to.promoted {
			base := promotedBase + uint16(side)<<6
			c.added.addBits(o, base, uint64(to.promoted[side]&^from.promoted[side]))
			c.removed.addBits(o, base, uint64(from.promoted[side]&^to.promoted[side]))
		}
	}
}

// apply sets dst, the first layer of a side's perspective, to src with the change.
func (c *change) apply(dst, src []int16, w *Weights, side int) {
	accumulate(dst, src, w.Input, c.added.of(side), c.removed.of(side))
}

// addPiece adds the feature of a piece by its number, unless there is none.
func (l *featureList) addPiece(number uint8, sq rules.Square, o *[2]Orientation) {
	if number == 0 {
		return
	}
	n := l.n & (maxActive - 1)
	l.rows[0][n] = (pieceRows[0][number&127] + uint16(sq)) ^ o[0].flip
	l.rows[1][n] = (pieceRows[1][number&127] + uint16(sq)) ^ o[1].flip
	l.n++
}

// addBits adds the features of a set, of which base is the first.
func (l *featureList) addBits(o *[2]Orientation, base uint16, set uint64) {
	for ; set != 0; set &= set - 1 {
		f := base + uint16(bits.TrailingZeros64(set))
		l.rows[0][l.n&(maxActive-1)], l.rows[1][l.n&(maxActive-1)] = o[0].Map(f), o[1].Map(f)
		l.n++
	}
}

// pieceRows are the features of pieces by perspective and number, less the square.
var pieceRows = newPieceRows()

func newPieceRows() (rows [2][128]uint16) {
	for side := range rows {
		for n := range uint16(128) {
			if t := n >> 3 & 7; t >= uint16(rules.Pawn) && t <= uint16(rules.King) {
				rows[side][n] = (n>>6^uint16(side))*sideFeatures + ((t-1)<<3+n&7)<<6
			}
		}
	}
	return rows
}
