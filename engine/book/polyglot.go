package book

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/zhbot/zhbot/rules"
)

// polyglotEntry is the size of an entry in bytes: key, move, weight and four bytes of
// learning data, big-endian.
const polyglotEntry = 16

// Polyglot is a book in Polyglot's format, held as its file.
//
// Its keys do not include pockets and promoted pieces: entries may have been meant for other
// pockets. Their moves are returned if they are legal, but such a drop or capture may be bad.
type Polyglot struct{ entries []byte }

func parsePolyglot(data []byte) (*Polyglot, error) {
	switch {
	case len(data) == 0:
		return nil, fmt.Errorf("%w: it is empty", ErrBadBook)
	case len(data)%polyglotEntry != 0:
		return nil, fmt.Errorf("%w: %d bytes are no whole number of Polyglot's entries of %d: the file is cut short, "+
			"or something else", ErrBadBook, len(data), polyglotEntry)
	}
	b := &Polyglot{entries: data}
	for i := 1; i < b.Len(); i++ {
		if b.key(i) < b.key(i-1) {
			return nil, fmt.Errorf("%w: entry %d, at byte %d, is out of order: this is no Polyglot book",
				ErrBadBook, i, i*polyglotEntry)
		}
	}
	return b, nil
}

func (b *Polyglot) key(i int) uint64 { return binary.BigEndian.Uint64(b.entries[i*polyglotEntry:]) }

// Moves implements [Book].
func (b *Polyglot) Moves(p *rules.Position) (moves []Move) {
	key := polyglotKey(p)
	for i := sort.Search(b.Len(), func(i int) bool { return b.key(i) >= key }); i < b.Len() && b.key(i) == key; i++ {
		fields := b.entries[i*polyglotEntry+8:]
		m := polyglotMove(p, binary.BigEndian.Uint16(fields))
		weight := int(binary.BigEndian.Uint16(fields[2:]))
		duplicate := slices.ContainsFunc(moves, func(k Move) bool { return k.Move == m })
		if m != rules.NoMove && weight > 0 && !duplicate {
			moves = append(moves, Move{Move: m, Weight: weight})
		}
	}
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(b.Weight, a.Weight) })
	return moves
}

// polyglotSquare is the lowest field of a move, the target; origin and promotion follow.
const polyglotSquare = 1<<6 - 1

// polyglotMove decodes a move; NoMove if it is not legal in the position.
//
// The format has no drops. python-chess writes a move from a square to itself that promotes
// to the piece dropped, without promotion for a pawn.
func polyglotMove(p *rules.Position, raw uint16) rules.Move {
	to, from := rules.Square(raw&polyglotSquare), rules.Square(raw>>6&polyglotSquare)
	piece := raw >> 12
	m := rules.NoMove
	switch {
	case piece > 4:
	case from == to:
		m = rules.NewDrop(rules.Pawn+rules.PieceType(piece), to)
	case piece > 0:
		m = rules.NewPromotion(from, to, rules.Pawn+rules.PieceType(piece))
	case p.PieceAt(from).Type() == rules.King: // some programs write castling as the king's move
		m, _ = p.ParseUCI(rules.NewMove(from, to).String())
	default:
		m = rules.NewMove(from, to)
	}
	if !p.IsLegal(m) {
		return rules.NoMove
	}
	return m
}

// Len implements [Book].
func (b *Polyglot) Len() int { return len(b.entries) / polyglotEntry }

// Hash implements [Book].
func (b *Polyglot) Hash() string { return hash(b.entries) }

// String implements [Book].
func (b *Polyglot) String() string { return fmt.Sprintf("Polyglot book, %d moves", b.Len()) }
