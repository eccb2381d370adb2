package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/rules/pgn"
)

// openingSource returns the openings, and what they are. What is odd in their file goes to errOut.
func (f *matchFlags) openingSource(errOut io.Writer) (match.Openings, string, error) {
	if f.openings == "" {
		return match.RandomOpenings(f.seed), fmt.Sprintf("random, seed %d", f.seed), nil
	}
	text, err := os.ReadFile(f.openings)
	if err != nil {
		return nil, "", fmt.Errorf("open openings: %w", err)
	}
	openings, err := match.ReadOpenings(bytes.NewReader(text), func(err error) { fmt.Fprintln(errOut, err) })
	if err != nil {
		return nil, "", fmt.Errorf("openings %s: %w", f.openings, err)
	}
	if f.repeatable() {
		openings = match.Distinct(openings)
		if pairs := f.match.Games / 2; len(openings) < pairs {
			return nil, "", usagef("--openings %s has %d openings for %d pairs: "+
				"at fixed nodes or depth, games would be played and counted twice", f.openings, len(openings), pairs)
		}
	}
	name := fmt.Sprintf("%s (SHA-256 %.6x), seed %d", f.openings, sha256.Sum256(text), f.seed)
	return match.Shuffled(openings, f.seed), name, nil
}

// repeatable reports whether two of the engines play the same game again from the same
// opening, because their limits are not in time.
func (f *matchFlags) repeatable() bool {
	engines, repeat := []sideFlags{f.engine, f.opponent}, 0
	if f.tournament != nil {
		engines = f.tournament.flags
	}
	for _, s := range engines {
		untimed := s.tc == (pgn.TimeControl{}) && s.limit.MoveTime == 0
		// Our own engine counts nodes with one thread, however many it has.
		oneThread := f.threads == 1 || s.command == self && (s.limit.Nodes > 0 || f.nodesTime > 0)
		if oneThread && (untimed || f.nodesTime > 0) {
			repeat++
		}
	}
	return repeat >= 2
}
