package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

// Recipe is all that the games of a file follow from: with it they can be
// played again.
type Recipe struct {
	Program string `json:"program"` // version and commit
	Network string `json:"network"` // "none" for the hand-written evaluation
	Nodes   uint64 `json:"nodes"`   // a move
	HashMB  int    `json:"hash"`    // transposition table of each worker
	Seed    uint64 `json:"seed"`

	SearchedOpenings float64 `json:"searched-openings"` // share of games with searched openings, 0 to 1
	OpeningPlies     int     `json:"opening-plies"`     // plies of random openings, at least; up to 2 more

	MaxOpening int `json:"max-opening"` // centipawns: openings further from balance are thrown away
	WinScore   int `json:"win-score"`   // centipawns: adjudicated when one side is further ahead …
	WinPlies   int `json:"win-plies"`   // … for so many plies in a row
	MaxPlies   int `json:"max-plies"`   // adjudicated a draw after so many plies
}

// ReadRecipe returns the recipe of a games file. Files of the first format have
// none: ok is false.
func ReadRecipe(path string) (recipe Recipe, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Recipe{}, false, fmt.Errorf("read games: %w", err)
	}
	defer f.Close()
	b, err := newBlockReader(f).next()
	if errors.Is(err, io.EOF) || err == nil && !b.packed {
		return Recipe{}, false, nil
	}
	if err == nil {
		recipe, err = b.recipe()
	}
	if err != nil {
		return Recipe{}, false, fmt.Errorf("read games %s: %w", path, err)
	}
	return recipe, true, nil
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

// checkRecipe compares the recipe in the first block of a file with the one
// that more games are to be made by.
func checkRecipe(b block, want Recipe) error {
	if !b.packed {
		return errors.New("its format is older: it is read, but no longer written; choose another name")
	}
	have, err := b.recipe()
	if err != nil {
		return err
	}
	if diff := have.diff(want); len(diff) > 0 {
		return fmt.Errorf("made with %s; give the same or choose another name", strings.Join(diff, ", "))
	}
	return nil
}

// diff describes the settings that are not those of another recipe.
func (r Recipe) diff(other Recipe) (diff []string) {
	a, b := reflect.ValueOf(r), reflect.ValueOf(other)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); x != y {
			diff = append(diff, fmt.Sprintf("%s %v, not %v", a.Type().Field(i).Tag.Get("json"), x, y))
		}
	}
	return diff
}
