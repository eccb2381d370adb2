package soak

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// CompareRecords returns the differences between the records in a folder and the results
// of the server: each game must be there once, with all its moves.
func CompareRecords(ctx context.Context, dir string, results []lichesstest.Result) (mismatches []string, err error) {
	recorded := map[string][]*record.Game{}
	readErr := record.NewHistory(dir).Read(ctx, func(f *record.FinishedGame) {
		g, gameErr := f.Game()
		if err = errors.Join(err, gameErr); gameErr == nil {
			recorded[f.ID] = append(recorded[f.ID], g)
		}
	})
	for _, game := range results {
		if text := recordMismatch(game, recorded[game.ID]); text != "" {
			mismatches = append(mismatches, fmt.Sprintf("game %s: %s", game.ID, text))
		}
	}
	return mismatches, errors.Join(readErr, err)
}

// recordMismatch describes what is wrong with the records of a game, "" if nothing is.
func recordMismatch(game lichesstest.Result, records []*record.Game) string {
	switch {
	case game.Plies < 2: // as good as not played
		return ""
	case len(records) == 0:
		return "not recorded"
	case len(records) > 1:
		return fmt.Sprintf("recorded %d times", len(records))
	}
	var moves []string
	for _, m := range records[0].Board.Moves() {
		moves = append(moves, m.String())
	}
	if !slices.Equal(moves, game.Moves) {
		return fmt.Sprintf("recorded with the moves %v instead of %v", moves, game.Moves)
	}
	return ""
}
