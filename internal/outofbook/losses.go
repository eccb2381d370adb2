// Package outofbook finds where lost games left an opening book, so that its next edition
// has an answer there, and compares the two editions.
package outofbook

import (
	"context"
	"fmt"
	"slices"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// Losses are the games that a player lost over the board, and where they left a book.
type Losses struct {
	Player    string
	Games     int            // lost, also those that did not leave the book
	Lines     [][]rules.Move // the moves to where they left it, each line once
	Positions int            // where they left it, fewer than lines if some transpose
}

// Read reads the games of PGN files and of folders of them, such as a bot's records.
// Without a player's name, it takes the player in most of them. Games that cannot be
// parsed are passed to skipped.
func Read(ctx context.Context, paths []string, player string, b book.Book, skipped func(error)) (*Losses, error) {
	if player == "" {
		all, err := record.ReadFiles(ctx, paths...)
		if err != nil {
			return nil, err
		}
		player = stats.MostFrequentPlayer(all)
	}
	l := &Losses{Player: player}
	ends := map[uint64]bool{}
	err := record.ReadGames(ctx, paths, func(f *record.FinishedGame) {
		view, played := f.View(player)
		if !played || f.Result != rules.WinOf(view.Color.Other()) {
			return
		}
		g, err := f.Game()
		if err != nil {
			skipped(err)
			return
		}
		if opponent.LostOverBoard(g, view.Color) {
			l.add(g, view.Color, b, ends)
		}
	})
	if err != nil {
		return nil, err
	}
	l.Positions = len(ends)
	return l, nil
}

// add adds a lost game. The positions at the ends of lines are collected in ends.
func (l *Losses) add(g *record.Game, us rules.Color, b book.Book, ends map[uint64]bool) {
	l.Games++
	line, ok := book.Exit(b, g.Game, us)
	if !ok {
		return
	}
	p := g.Game.PositionAt(len(line))
	ends[p.Key()] = true
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
func (l *Losses) Changes(before, now book.Book) (changes []Change) {
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
func movesOf(b book.Book, p *rules.Position) (moves []string) {
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
