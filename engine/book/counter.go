package book

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Counter counts the moves played in games and makes a book from them.
type Counter struct {
	plies int
	moves map[counterKey]moveStats
}

type counterKey struct {
	position uint64
	move     rules.Move
}

type moveStats struct{ games, points int } // two points for a win, one for a draw

// NewCounter returns a counter of the first plies of each game.
func NewCounter(plies int) *Counter {
	return &Counter{plies: plies, moves: map[counterKey]moveStats{}}
}

// Add counts a finished game that started from a position. A move that is played again in
// a repeated position counts once.
func (t *Counter) Add(start *rules.Position, moves []rules.Move, r rules.Result) {
	p, counted := *start, map[counterKey]bool{}
	for _, m := range moves[:min(len(moves), t.plies)] {
		key := counterKey{p.Key(), m}
		if !counted[key] {
			counted[key] = true
			played := t.moves[key]
			played.games++
			played.points += int(2 * r.Points(p.Turn()))
			t.moves[key] = played
		}
		p = p.After(m)
	}
}

// AddFile adds the finished games of a PGN file and returns their number.
// Games with errors are passed to skipped.
func (t *Counter) AddFile(ctx context.Context, name string, skipped func(error)) (games int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, fmt.Errorf("read games: %w", err)
	}
	defer file.Close()
	for r := pgn.NewReader(file); ; {
		if err := ctx.Err(); err != nil {
			return games, err
		}
		g, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return games, nil
		case errors.As(err, new(*pgn.GameError)):
			skipped(fmt.Errorf("%s: %w", name, err))
			continue
		case err != nil:
			return games, fmt.Errorf("read games of %s: %w", name, err)
		}
		if g.Result == rules.NoResult {
			continue
		}
		moves := make([]rules.Move, len(g.Moves))
		for i, m := range g.Moves {
			moves[i] = m.Move
		}
		t.Add(&g.Start, moves, g.Result)
		games++
	}
}

// Table returns a book of the moves that were played in at least minGames games and did
// not lose all of them. As in Polyglot books, the weight is two for each win and one for
// each draw, scaled down where that does not fit.
func (t *Counter) Table(minGames int, note string) (*Table, error) {
	maxPoints := map[uint64]int{} // points of a position's best move
	for key, n := range t.moves {
		maxPoints[key.position] = max(maxPoints[key.position], n.points)
	}
	var entries []entry
	for key, n := range t.moves {
		if n.games < minGames || n.points == 0 {
			continue
		}
		weight := n.points
		if best := maxPoints[key.position]; best > math.MaxUint16 {
			weight = max(1, int(int64(weight)*math.MaxUint16/int64(best)))
		}
		entries = append(entries, entry{
			key: key.position, move: key.move, weight: uint16(weight), games: uint32(min(int64(n.games), math.MaxUint32)),
		})
	}
	return newTable(note, entries)
}
