package book

import (
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// MaxPlies is the ply from which books are no longer consulted. Beyond it a book holds
// single games.
const MaxPlies = 40

// Books are books in the order in which they are consulted. They are safe for concurrent
// use.
type Books []Book

// OpenBooks opens books. Empty names are skipped.
func OpenBooks(paths []string) (books Books, err error) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		b, err := Open(path)
		if err != nil {
			return nil, err
		}
		books = append(books, b)
	}
	return books, nil
}

// Pick picks a move for the game's position from the first book that has one, at random in
// proportion to the weights. If allowed is not empty, only its moves are picked. In a
// repeated position there is no book move: books ignore repetitions. random returns a
// number from 0 to n-1.
func (b Books) Pick(g *rules.Game, allowed []rules.Move, random func(n int) int) (Move, bool) {
	if g.Ply() >= MaxPlies || g.Repetitions() > 1 {
		return Move{}, false
	}
	for _, book := range b {
		moves, total := book.Moves(g.Position()), 0
		if len(allowed) > 0 {
			moves = slices.DeleteFunc(moves, func(m Move) bool { return !slices.Contains(allowed, m.Move) })
		}
		for _, m := range moves {
			total += m.Weight
		}
		if total == 0 {
			continue
		}
		n := random(total)
		for _, m := range moves {
			if n -= m.Weight; n < 0 {
				return m, true
			}
		}
	}
	return Move{}, false
}
