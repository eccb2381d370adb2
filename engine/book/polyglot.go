package book

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/zhbot/zhbot/rules"
)

// polyglotEntry is the size of an entry: key, move, weight and four bytes of
// learning data, highest byte first.
const polyglotEntry = 16

// Polyglot is a book in Polyglot's format, an image of its file.
//
// Its positions are looked up by two keys. XBoard's for crazyhouse sees what is
// in hand, and comes first. The plain one, which all other programs use, does
// not: an entry may have been meant for a position with other pockets. Its moves
// are played if they are legal, but such a drop or capture may be a bad one; a
// [Table] has no such doubt. Neither key sees promoted marks.
type Polyglot struct{ entries []byte }

func parsePolyglot(data []byte) (*Polyglot, error) {
	switch {
	case len(data) == 0:
		return nil, fmt.Errorf("%w: it is empty", ErrBadBook)
	case len(data)%polyglotEntry != 0:
		return nil, fmt.Errorf("%w: %d bytes are no whole number of Polyglot's entries of %d: the file is cut short, or something else",
			ErrBadBook, len(data), polyglotEntry)
	}
	b := &Polyglot{entries: data}
	for i := 1; i < b.Len(); i++ {
		if b.key(i) < b.key(i-1) {
			return nil, fmt.Errorf("%w: entry %d, at byte %d, is not in the order of the keys: this is no Polyglot book",
				ErrBadBook, i, i*polyglotEntry)
		}
	}
	return b, nil
}

func (b *Polyglot) key(i int) uint64 { return binary.BigEndian.Uint64(b.entries[i*polyglotEntry:]) }

// Moves implements [Book].
func (b *Polyglot) Moves(p *rules.Position) []Move {
	plain := polyglotKey(p)
	if moves := b.lookUp(p, xboardKey(p, plain)); len(moves) > 0 {
		return moves
	}
	return b.lookUp(p, plain)
}

// lookUp returns the legal moves under a key.
func (b *Polyglot) lookUp(p *rules.Position, key uint64) (moves []Move) {
	for i := sort.Search(b.Len(), func(i int) bool { return b.key(i) >= key }); i < b.Len() && b.key(i) == key; i++ {
		fields := b.entries[i*polyglotEntry+8:]
		m := polyglotMove(p, binary.BigEndian.Uint16(fields))
		weight := int(binary.BigEndian.Uint16(fields[2:]))
		known := slices.ContainsFunc(moves, func(k Move) bool { return k.Move == m })
		if m != rules.NoMove && weight > 0 && !known {
			moves = append(moves, Move{Move: m, Weight: weight})
		}
	}
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(b.Weight, a.Weight) })
	return moves
}

// The fields of a move: 6 bits for each square, then the promotion.
const (
	polyglotSquare = 1<<6 - 1
	// xboardDrop in the place of the promotion is XBoard's mark of a drop; the
	// piece's letter, A as 1, is where the square it comes from would be.
	xboardDrop = 9
)

// polyglotMove decodes a move, NoMove if it is not legal in the position.
//
// There are two ways to write a drop, for the format has none: XBoard's, and that
// of python-chess, where a move from a square to itself drops the piece that it
// would promote to; without one, a pawn.
func polyglotMove(p *rules.Position, raw uint16) rules.Move {
	to, from := rules.Square(raw&polyglotSquare), rules.Square(raw>>6&polyglotSquare)
	piece := raw >> 12
	var m rules.Move
	switch {
	case piece == xboardDrop:
		m = rules.NewDrop(lettered(byte(from)), to)
	case piece > 4:
		return rules.NoMove
	case from == to:
		m = rules.NewDrop(rules.Pawn+rules.PieceType(piece), to)
	case piece > 0:
		m = rules.NewPromotion(from, to, rules.Pawn+rules.PieceType(piece))
	default:
		m = rules.NewMove(from, to)
	}
	if p.IsLegal(m) {
		return m
	}
	return kingTwoSteps(p, m)
}

// kingTwoSteps returns castling that is written as the king's move, as some
// programs do although the format has the king take its rook.
func kingTwoSteps(p *rules.Position, m rules.Move) rules.Move {
	if m.IsDrop() || m.IsPromotion() || p.PieceAt(m.From()).Type() != rules.King {
		return rules.NoMove
	}
	castling, err := p.ParseUCI(m.String())
	if err != nil {
		return rules.NoMove
	}
	return castling
}

// lettered returns the piece type of a letter counted from 1, NoPieceType if it
// is none that can be dropped.
func lettered(n byte) rules.PieceType {
	for t := rules.Pawn; t <= rules.Queen; t++ {
		if t.Letter() == n-1+'A' {
			return t
		}
	}
	return rules.NoPieceType
}

// Len implements [Book].
func (b *Polyglot) Len() int { return len(b.entries) / polyglotEntry }

// String implements [Book].
func (b *Polyglot) String() string { return fmt.Sprintf("Polyglot book, %d moves", b.Len()) }
