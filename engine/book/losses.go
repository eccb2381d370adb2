package book

import (
	"fmt"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// Losses are the games that a player lost over the board, or that are as bad for a book, and
// where they left it.
type Losses struct {
	Games     int            // lost, also those that did not leave the book
	Lines     [][]rules.Move // the moves to where they left it, each line once
	Positions int            // where they left it, fewer than lines if some transpose

	ends map[uint64]bool // these positions
}

// Add adds a game that a side lost.
func (l *Losses) Add(b Book, g *rules.Game, us rules.Color) {
	l.Games++
	line, ok := Exit(b, g, us)
	if !ok {
		return
	}
	if l.ends == nil {
		l.ends = map[uint64]bool{}
	}
	p := g.PositionAt(len(line))
	l.ends[p.Key()] = true
	l.Positions = len(l.ends)
	if !slices.ContainsFunc(l.Lines, func(other []rules.Move) bool { return slices.Equal(other, line) }) {
		l.Lines = append(l.Lines, line)
	}
}

// Change is a position on the way out of a book for which two editions have different
// moves.
type Change struct {
	Line        string   // the moves before it, such as "1. e4 e5 2. Nf3"; "" for none
	Before, Now []string // the book's moves in SAN, the most frequent first
}

// Changes returns the positions on the lines, with the line's side to move, at which the
// books have other moves, each position once.
func (l *Losses) Changes(before, now Book) (changes []Change) {
	seen := map[uint64]bool{}
	for _, line := range l.Lines {
		p, text := rules.StartPosition(), ""
		for ply := 0; ; ply++ {
			if ours := (len(line)-ply)%2 == 0; ours && !seen[p.Key()] {
				seen[p.Key()] = true
				c := Change{text, movesOf(before, &p), movesOf(now, &p)}
				if !slices.Equal(slices.Sorted(slices.Values(c.Before)), slices.Sorted(slices.Values(c.Now))) {
					changes = append(changes, c)
				}
			}
			if ply == len(line) {
				break
			}
			text = appendMove(text, &p, line[ply])
			p = p.After(line[ply])
		}
	}
	return changes
}

// movesOf returns a book's moves in SAN.
func movesOf(b Book, p *rules.Position) (moves []string) {
	for _, m := range b.Moves(p) {
		moves = append(moves, p.SAN(m.Move))
	}
	return moves
}

// appendMove appends a move to the text of a line.
func appendMove(text string, p *rules.Position, m rules.Move) string {
	if text != "" {
		text += " "
	}
	if p.Turn() == rules.White {
		text += fmt.Sprintf("%d. ", p.Fullmove())
	}
	return text + p.SAN(m)
}
