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

	// MaxActive bounds the features that are on at once: 32 men, each of
	// which may bear a mark.
	MaxActive = 64
)

// pocketOffset is the first slot of each piece type.
var pocketOffset = [8]uint16{rules.Pawn: 0, rules.Knight: 16, rules.Bishop: 20, rules.Rook: 24, rules.Queen: 28}

// pieceFeature returns the feature of a piece as White sees it.
func pieceFeature(pc rules.Piece, s rules.Square) uint16 {
	return uint16(pc.Color())*384 + uint16(pc.Type()-1)<<6 + uint16(s)
}

// pocketFeature returns the feature that goes on when a side's pocket grows
// from n to n+1 pieces of a type. It reports false for a pocket that no game
// from the usual start can fill: the network has no word for it.
func pocketFeature(c rules.Color, t rules.PieceType, n int) (uint16, bool) {
	return pocketBase + uint16(c)*pocketSlots + pocketOffset[t&7] + uint16(n), n < rules.PocketLimit(t)
}

func promotedFeature(c rules.Color, s rules.Square) uint16 {
	return promotedBase + uint16(c)<<6 + uint16(s)
}

// flipped maps a feature as White sees it to the same feature as Black sees
// it, mirrored one to its file-mirrored twin.
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

// Flip returns a feature as the other side sees it.
func Flip(feature uint16) uint16 { return flipped[feature] }

// Mirror returns a feature of the position mirrored left to right.
func Mirror(feature uint16) uint16 { return mirrored[feature] }

// AppendFeatures appends the features of a position as White sees them.
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

// change lists the features that a move switches, as White sees them: those
// that go on first, then those that go off.
type change struct {
	rows       perspective
	adds, subs int
}

func (c *change) on(f uint16)  { c.rows[c.adds] = f; c.adds++ }
func (c *change) off(f uint16) { c.rows[4+c.subs] = f; c.subs++ }

// of sets the change to that of a legal move.
func (c *change) of(p *rules.Position, m rules.Move) {
	c.adds, c.subs = 0, 0
	us, to := p.Turn(), m.To()
	if m.IsDrop() {
		t := m.Dropped()
		c.on(pieceFeature(rules.PieceOf(us, t), to))
		if f, ok := pocketFeature(us, t, p.Pocket(us).Count(t)-1); ok {
			c.off(f)
		}
		return
	}
	from := m.From()
	pc := p.PieceAt(from)
	c.off(pieceFeature(pc, from))
	if p.IsCastling(m) {
		rook := rules.PieceOf(us, rules.Rook)
		c.off(pieceFeature(rook, to))
		kingTo, rookTo := rules.CastlingSquares(from, to)
		c.on(pieceFeature(pc, kingTo))
		c.on(pieceFeature(rook, rookTo))
		return
	}
	landed := pc
	if m.IsPromotion() {
		landed = rules.PieceOf(us, m.Promotion())
		c.on(promotedFeature(us, to))
	}
	c.on(pieceFeature(landed, to))
	if p.Promoted().Has(from) {
		c.off(promotedFeature(us, from))
		c.on(promotedFeature(us, to))
	}
	if p.IsCapture(m) {
		c.captured(p, m)
	}
}

func (c *change) captured(p *rules.Position, m rules.Move) {
	us, s := p.Turn(), m.To()
	if p.PieceAt(s) == rules.NoPiece {
		s ^= 8 // en passant
	}
	victim := p.PieceAt(s)
	c.off(pieceFeature(victim, s))
	t := victim.Type()
	if p.Promoted().Has(s) {
		c.off(promotedFeature(us.Other(), s))
		t = rules.Pawn
	}
	if f, ok := pocketFeature(us, t, p.Pocket(us).Count(t)); ok {
		c.on(f)
	}
}
