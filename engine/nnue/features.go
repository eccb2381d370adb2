package nnue

import "github.com/zhbot/zhbot/rules"

// The feature layout of one perspective.
const (
	pieceFeatures  = 2 * sideFeatures
	sideFeatures   = 6 * PieceStates * 64 // type, state, square
	pocketFeatures = 2 * pocketSlots
	pocketSlots    = 16 + 4 + 4 + 4 + 2

	// PieceStates is the number of states of a piece on a square; those of a piece are 64
	// features apart, from state to state.
	PieceStates = 8

	pocketBase   = pieceFeatures
	promotedBase = pieceFeatures + pocketFeatures

	// Inputs is the number of features of one perspective.
	Inputs = pieceFeatures + pocketFeatures + 2*64

	// maxActive bounds the number of active features: 32 pieces, of which all but the
	// kings may be promoted.
	maxActive = 64
)

// pocketOffset is the first pocket feature of each piece type.
var pocketOffset = [8]uint16{rules.Pawn: 0, rules.Knight: 16, rules.Bishop: 20, rules.Rook: 24, rules.Queen: 28}

// Orientation maps features in White's perspective to those of another one.
type Orientation struct {
	side rules.Color
	flip uint16 // of squares
}

// OrientationOf returns the map to the perspective of a side, with files mirrored or not.
func OrientationOf(perspective rules.Color, mirrored bool) Orientation {
	o := Orientation{perspective & 1, uint16(perspective&1) * 56}
	if mirrored {
		o.flip |= 7
	}
	return o
}

// Map maps a feature.
func (o Orientation) Map(f uint16) uint16 {
	switch {
	case f < pocketBase:
		return (f+uint16(o.side)*sideFeatures)%pieceFeatures ^ o.flip
	case f < promotedBase:
		return pocketBase + (f-pocketBase+uint16(o.side)*pocketSlots)%pocketFeatures
	default:
		return promotedBase + ((f - promotedBase) ^ o.flip ^ uint16(o.side)<<6)
	}
}

// mirrorsKing reports whether a perspective with its own king on a square is mirrored, so
// that all kings are on files a to d.
func mirrorsKing(king rules.Square) bool { return king&4 != 0 }

// Mirrored reports, given the features of a position in White's perspective, for each
// side whether its own king is on files e to h.
func Mirrored(features []uint16) (white, black bool) {
	const whiteKing, blackKing = 5 * PieceStates * 64, sideFeatures + 5*PieceStates*64
	for _, f := range features {
		if s := f - whiteKing; s < PieceStates*64 {
			white = mirrorsKing(rules.Square(s % 64))
		}
		if s := f - blackKing; s < PieceStates*64 {
			black = mirrorsKing(rules.Square(s % 64))
		}
	}
	return white, black
}

// AppendFeatures appends the active features of a position in White's perspective.
func AppendFeatures(dst []uint16, p *rules.Position) []uint16 {
	var attacks Attacks
	attacks.Find(p)
	var active featureSet
	active.set(p, &attacks)
	var rows change
	rows.set(&active, &featureSet{}, &[2]Orientation{})
	return append(dst, rows.added.of(0)...)
}
