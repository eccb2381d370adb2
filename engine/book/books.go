package book

import (
	"fmt"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// MaxPlies is how deep into a game a book is asked. What stands in one beyond
// that is the course of single games.
const MaxPlies = 40

// Books are consulted in order. The zero value has none. It is safe for concurrent use.
type Books struct {
	books []Book
}

// NewBooks returns books in the order in which they are consulted.
func NewBooks(books ...Book) *Books { return &Books{books} }

// OpenBooks opens books. Empty names are skipped.
func OpenBooks(paths []string) (*Books, error) {
	s := &Books{}
	for _, path := range paths {
		if path == "" {
			continue
		}
		b, err := Open(path)
		if err != nil {
			return nil, err
		}
		s.books = append(s.books, b)
	}
	return s, nil
}

// Len returns the number of books.
func (s *Books) Len() int { return len(s.books) }

// String lists the books.
func (s *Books) String() string { return fmt.Sprint(s.books) }

// Pick chooses a move for the game's position from the first book that has one,
// by chance in proportion to the weights. Where allowed is not empty, only its moves are
// chosen: they leave out what has lost before. A position that comes again is for
// the search: a book knows nothing of repetitions. draw returns a random
// number from 0 to n-1.
func (s *Books) Pick(g *rules.Game, allowed []rules.Move, draw func(n int) int) (Move, bool) {
	if g.Ply() >= MaxPlies || g.Repetitions() > 1 {
		return Move{}, false
	}
	for _, b := range s.books {
		if moves := Filter(b.Moves(g.Position()), allowed); len(moves) > 0 {
			return PickWeighted(moves, draw), true
		}
	}
	return Move{}, false
}

// Filter returns those of some moves that are allowed; all if allowed is empty.
func Filter(moves []Move, allowed []rules.Move) (those []Move) {
	if len(allowed) == 0 {
		return moves
	}
	for _, m := range moves {
		if slices.Contains(allowed, m.Move) {
			those = append(those, m)
		}
	}
	return those
}

// PickWeighted picks one of some moves by chance, in proportion to their weights.
func PickWeighted(moves []Move, draw func(n int) int) Move {
	total := 0
	for _, m := range moves {
		total += m.Weight
	}
	at := draw(total)
	for _, m := range moves {
		if at -= m.Weight; at < 0 {
			return m
		}
	}
	return moves[len(moves)-1]
}
