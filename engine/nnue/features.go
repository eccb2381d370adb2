package nnue

import "github.com/zhbot/zhbot/rules"

// The feature layout of one perspective.
const (
	pieceFeatures  = 2 * 6 * 64
	pocketFeatures = 2 * pocketSlots
	pocketSlots    = 16 + 4 + 4 + 4 + 2

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

// pieceFeature returns the feature of a piece in White's perspective.
func pieceFeature(pc rules.Piece, s rules.Square) uint16 {
	return uint16(pc.Color())*384 + uint16(pc.Type()-1)<<6 + uint16(s)
}

// pocketFeature returns the feature activated when a side's pocket grows from n to n+1
// pieces of a type. It returns false for a pocket that the features cannot represent,
// which no game from the start position reaches.
func pocketFeature(c rules.Color, t rules.PieceType, n int) (uint16, bool) {
	return pocketBase + uint16(c)*pocketSlots + pocketOffset[t&7] + uint16(n), n < rules.PocketLimit(t)
}

func promotedFeature(c rules.Color, s rules.Square) uint16 {
	return promotedBase + uint16(c)<<6 + uint16(s)
}

// FeatureMap maps each feature in White's perspective to another one.
type FeatureMap [Inputs]uint16

// orientations are the maps by perspective and by whether files are mirrored.
var orientations = newOrientations()

func newOrientations() (maps [2][2]FeatureMap) {
	for i := range uint16(Inputs) {
		var flipped, mirrored, both uint16
		switch {
		case i < pocketBase:
			flipped, mirrored = (i+384)%768^56, i^7
			both = flipped ^ 7
		case i < promotedBase:
			flipped, mirrored = pocketBase+(i-pocketBase+pocketSlots)%pocketFeatures, i
			both = flipped
		default:
			square := i - promotedBase
			flipped, mirrored = promotedBase+(square^64^56), promotedBase+(square^7)
			both = promotedBase + (square ^ 64 ^ 56 ^ 7)
		}
		maps[rules.White][0][i], maps[rules.White][1][i] = i, mirrored
		maps[rules.Black][0][i], maps[rules.Black][1][i] = flipped, both
	}
	return maps
}

// Orientation returns the map from White's perspective to that of a side, with files
// mirrored or not.
func Orientation(perspective rules.Color, mirrored bool) *FeatureMap {
	return &orientations[perspective&1][boolToInt(mirrored)]
}

// mirrorsKing reports whether a perspective with its own king on a square is mirrored, so
// that all kings are on files a to d.
func mirrorsKing(king rules.Square) bool { return king&4 != 0 }

// Mirrored reports, given the features of a position in White's perspective, for each
// side whether its own king is on files e to h.
func Mirrored(features []uint16) (white, black bool) {
	const whiteKing, blackKing = 5 * 64, 11 * 64
	for _, f := range features {
		if s := f - whiteKing; s < 64 {
			white = mirrorsKing(rules.Square(s))
		}
		if s := f - blackKing; s < 64 {
			black = mirrorsKing(rules.Square(s))
		}
	}
	return white, black
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AppendFeatures appends the active features of a position in White's perspective.
func AppendFeatures(dst []uint16, p *rules.Position) []uint16 {
	var active featureSet
	active.set(p)
	return active.appendDifference(dst, &featureSet{}, Orientation(rules.White, false))
}

// featureDelta is the change of the features by a move, in White's perspective. The
// assembly knows its layout.
type featureDelta struct {
	rows           [8]uint16 // up to four added, then up to four removed
	added, removed int
}

func (c *featureDelta) add(f uint16)    { c.rows[c.added] = f; c.added++ }
func (c *featureDelta) remove(f uint16) { c.rows[4+c.removed] = f; c.removed++ }

// set makes the delta that of a legal move.
func (c *featureDelta) set(p *rules.Position, m rules.Move) {
	c.added, c.removed = 0, 0
	us, to := p.Turn(), m.To()
	if m.IsDrop() {
		t := m.Dropped()
		c.add(pieceFeature(rules.PieceOf(us, t), to))
		if f, ok := pocketFeature(us, t, p.Pocket(us).Count(t)-1); ok {
			c.remove(f)
		}
		return
	}
	from := m.From()
	pc := p.PieceAt(from)
	c.remove(pieceFeature(pc, from))
	if p.IsCastling(m) {
		rook := rules.PieceOf(us, rules.Rook)
		c.remove(pieceFeature(rook, to))
		kingTo, rookTo := rules.CastlingSquares(from, to)
		c.add(pieceFeature(pc, kingTo))
		c.add(pieceFeature(rook, rookTo))
		return
	}
	landed := pc
	if m.IsPromotion() {
		landed = rules.PieceOf(us, m.Promotion())
		c.add(promotedFeature(us, to))
	}
	c.add(pieceFeature(landed, to))
	if p.Promoted().Has(from) {
		c.remove(promotedFeature(us, from))
		c.add(promotedFeature(us, to))
	}
	if p.IsCapture(m) {
		c.setCapture(p, m)
	}
}

func (c *featureDelta) setCapture(p *rules.Position, m rules.Move) {
	us, s := p.Turn(), m.To()
	if p.PieceAt(s) == rules.NoPiece {
		s ^= 8 // en passant
	}
	victim := p.PieceAt(s)
	c.remove(pieceFeature(victim, s))
	t := victim.Type()
	if p.Promoted().Has(s) {
		c.remove(promotedFeature(us.Other(), s))
		t = rules.Pawn
	}
	if f, ok := pocketFeature(us, t, p.Pocket(us).Count(t)); ok {
		c.add(f)
	}
}

// crossesCenter reports whether a legal move takes a king from files a to d to files e to
// h, or back.
func crossesCenter(p *rules.Position, m rules.Move) bool {
	if m.IsDrop() || p.PieceAt(m.From()).Type() != rules.King {
		return false
	}
	to := m.To()
	if p.IsCastling(m) {
		to, _ = rules.CastlingSquares(m.From(), to)
	}
	return mirrorsKing(m.From()) != mirrorsKing(to)
}
