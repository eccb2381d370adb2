package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// CountFile adds the finished games of a PGN file to a counter and returns their number.
// Games with errors are passed to skipped.
func CountFile(ctx context.Context, counter *book.Counter, name string, skipped func(error)) (games int, err error) {
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
		var bad *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return games, nil
		case errors.As(err, &bad):
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
		counter.Add(&g.Start, moves, g.Result)
		games++
	}
}
