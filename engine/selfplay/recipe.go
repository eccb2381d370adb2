package selfplay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/file"
)

// Recipe determines the games of a file; they can be regenerated from it.
type Recipe struct {
	Program string `json:"program"` // version and commit
	Network string `json:"network"` // its name
	Nodes   uint64 `json:"nodes"`   // per move
	HashMB  int    `json:"hash"`    // transposition table of each worker
	Seed    uint64 `json:"seed"`

	LineOpenings float64 `json:"line-openings,omitzero"` // share of games whose openings are parts of lines, 0 to 1
	Lines        string  `json:"lines,omitzero"`         // the book of the lines, by its hash

	Shard match.Shard `json:"shard,omitzero"` // of the games, numbered from 0
}

// ReadRecipe returns the recipe of a games file, nil for an empty one.
func ReadRecipe(path string) (*Recipe, error) {
	for b, err := range blocks(path) {
		if err != nil {
			return nil, err
		}
		recipe, err := b.recipe()
		if err != nil {
			return nil, fmt.Errorf("read games %s: %w", path, err)
		}
		return &recipe, nil
	}
	return nil, nil
}

// recipe decodes the first block of a file.
func (b block) recipe() (r Recipe, err error) {
	if b.games != 0 {
		return r, errors.New("no recipe in the first block")
	}
	if err := json.Unmarshal(b.payload, &r); err != nil {
		return r, fmt.Errorf("recipe: %w", err)
	}
	return r, nil
}

// checkRecipe returns an error if the recipe in the first block of a file differs from the
// one for more games.
func checkRecipe(b block, want Recipe) error {
	have, err := b.recipe()
	if err != nil {
		return err
	}
	var differ []string
	for _, d := range file.Differences(have, want) {
		differ = append(differ, fmt.Sprintf("%s %v, not %v", d.Name, d.First, d.Second))
	}
	if len(differ) > 0 {
		return fmt.Errorf("made with %s; use the same or another file", strings.Join(differ, ", "))
	}
	return nil
}
