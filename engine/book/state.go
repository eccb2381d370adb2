package book

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules"
)

// State keeps scored positions in a file, from which the building of a book can be
// resumed. It is safe for concurrent use.
type State struct {
	mu     sync.Mutex // for all that follows
	file   *file.State
	first  *rules.Position // in the file, nil if it has none
	known  map[uint64][]ScoredMove
	reused int
}

// stateSettings are what scores depend on.
type stateSettings struct {
	Network string `json:"network"`
	Nodes   uint64 `json:"nodes"`
	HashMB  int    `json:"hash"`
	Replies int    `json:"replies"`
}

// scored is a line of the file.
type scored struct {
	Position string   `json:"position"` // FEN
	Moves    []string `json:"moves"`    // UCI
	Scores   []int    `json:"scores"`   // in centipawns for the side to move
}

// OpenState opens or creates the file of a search, and reads the positions in it. A file
// of another search is an error, and so is one whose first position this program scores
// differently, because its search has changed.
func OpenState(ctx context.Context, path string, s Search) (*State, error) {
	t := &State{known: map[uint64][]ScoredMove{}}
	var err error
	t.file, err = file.OpenState(path, stateSettings{s.Network.Name(), s.Nodes, s.HashMB, s.Replies}, t.restore)
	if err != nil {
		return nil, err
	}
	if err := t.checkFirst(ctx, s); err != nil {
		return nil, errors.Join(fmt.Errorf("state file %s: %w", path, err), t.Close())
	}
	return t, nil
}

// restore restores a position of the file.
func (t *State) restore(s scored) error {
	p, err := rules.ParseFEN(s.Position)
	if err != nil {
		return err
	}
	if len(s.Moves) == 0 || len(s.Moves) != len(s.Scores) {
		return fmt.Errorf("%d moves and %d scores", len(s.Moves), len(s.Scores))
	}
	moves := make([]ScoredMove, len(s.Moves))
	for i, uci := range s.Moves {
		if moves[i].Move, err = p.ParseUCI(uci); err != nil {
			return err
		}
		moves[i].Score = s.Scores[i]
	}
	t.known[p.Key()] = moves
	if t.first == nil {
		t.first = &p
	}
	return nil
}

// checkFirst scores the first position again.
func (t *State) checkFirst(ctx context.Context, s Search) error {
	if t.first == nil {
		return nil
	}
	moves, err := NewScorer(s)(ctx, t.first)
	if err != nil {
		return err
	}
	if !slices.Equal(moves, t.known[t.first.Key()]) {
		return errors.New("this version of the program scores its positions in another way; " +
			"use another file, or the version that wrote it")
	}
	return nil
}

// Scorer returns a scorer that scores only the positions that the file lacks, and adds
// them to it.
func (t *State) Scorer(score Scorer) Scorer {
	return func(ctx context.Context, p *rules.Position) ([]ScoredMove, error) {
		if moves := t.find(p.Key()); moves != nil {
			return moves, nil
		}
		moves, err := score(ctx, p)
		if err != nil {
			return nil, err
		}
		return moves, t.add(p, moves)
	}
}

// find returns a position's moves, nil if they are not known.
func (t *State) find(key uint64) []ScoredMove {
	t.mu.Lock()
	defer t.mu.Unlock()
	moves := t.known[key]
	if moves != nil {
		t.reused++
	}
	return moves
}

// add adds a position to the file.
func (t *State) add(p *rules.Position, moves []ScoredMove) error {
	s := scored{Position: p.FEN()}
	for _, m := range moves {
		s.Moves, s.Scores = append(s.Moves, m.Move.String()), append(s.Scores, m.Score)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.file.Append(s)
}

// Reused returns how many positions came from the file.
func (t *State) Reused() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reused
}

// Close closes the file. No scorer may be at work.
func (t *State) Close() error { return t.file.Close() }
