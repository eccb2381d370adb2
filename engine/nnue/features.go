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

	// MaxActive is the maximum number of active features: 32 pieces, each of which may be
	// promoted.
	MaxActive = 64
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

// flipped maps a feature in White's perspective to the same feature in Black's; mirrored
// maps it to the one with files mirrored.
var flipped, mirrored = featureMaps()

func featureMaps() (flip, mirror [Inputs]uint16) {
	for i := range uint16(Inputs) {
		switch {
		case i < pocketBase:
			flip[i], mirror[i] = (i+384)%768^56, i^7
		case i < promotedBase:
			flip[i], mirror[i] = pocketBase+(i-pocketBase+pocketSlots)%pocketFeatures, i
		default:
			square := i - promotedBase
			flip[i], mirror[i] = promotedBase+(square^64^56), promotedBase+(square^7)
		}
	}
	return flip, mirror
}

// Flip returns a feature in the other side's perspective.
func Flip(feature uint16) uint16 { return flipped[feature] }

// Mirror returns a feature of the position with files mirrored.
func Mirror(feature uint16) uint16 { return mirrored[feature] }

// AppendFeatures appends the active features of a position in White's perspective.
func AppendFeatures(dst []uint16, p *rules.Position) []uint16 {
	for occupied := p.Occupied(); occupied != 0; {
		s := occupied.Pop()
		dst = append(dst, pieceFeature(p.PieceAt(s), s))
	}
	for c := rules.White; c <= rules.Black; c++ {
		for pocket, t := p.Pocket(c), rules.Pawn; t <= rules.Queen; t++ {
			for n := range min(pocket.Count(t), rules.PocketLimit(t)) {
				f, _ := pocketFeature(c, t, n)
				dst = append(dst, f)
			}
		}
	}
	for promoted := p.Promoted(); promoted != 0; {
		s := promoted.Pop()
		dst = append(dst, promotedFeature(p.PieceAt(s).Color(), s))
	}
	return dst
}

// featureDelta is the change of the features by a move, in White's perspective.
type featureDelta struct {
	rows           deltaRows
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
