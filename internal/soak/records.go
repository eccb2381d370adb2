package soak

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/pgn"
)

// CompareRecords returns the differences between the records in a folder and the results
// of the server: each game must be there once, with all its moves.
func CompareRecords(dir string, results []lichesstest.Result) (mismatches []string, err error) {
	recorded, err := readRecords(dir)
	if err != nil {
		return nil, fmt.Errorf("read the records: %w", err)
	}
	for _, game := range results {
		if text := recordMismatch(game, recorded[game.ID]); text != "" {
			mismatches = append(mismatches, fmt.Sprintf("game %s: %s", game.ID, text))
		}
	}
	return mismatches, nil
}

// recordMismatch describes what is wrong with the records of a game, "" if nothing is.
func recordMismatch(game lichesstest.Result, records []*pgn.Game) string {
	switch {
	case game.Plies < 2: // as good as not played
		return ""
	case len(records) == 0:
		return "not recorded"
	case len(records) > 1:
		return fmt.Sprintf("recorded %d times", len(records))
	}
	var moves []string
	for _, m := range records[0].Moves {
		moves = append(moves, m.Move.String())
	}
	if !slices.Equal(moves, game.Moves) {
		return fmt.Sprintf("recorded with the moves %v instead of %v", moves, game.Moves)
	}
	return ""
}

// readRecords reads all games of a folder, by id.
func readRecords(dir string) (map[string][]*pgn.Game, error) {
	entries, err := os.ReadDir(dir) // no glob, since the path may contain brackets
	if err != nil {
		return nil, err
	}
	games := map[string][]*pgn.Game{}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if filepath.Ext(path) != ".pgn" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		reader := pgn.NewReader(bytes.NewReader(text))
		g, err := reader.Next()
		for ; err == nil; g, err = reader.Next() {
			games[g.Tag("GameId")] = append(games[g.Tag("GameId")], g)
		}
		if !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return games, nil
}
