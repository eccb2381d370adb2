package config

import (
	"slices"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// For selects games by what is known when they begin. An unset field matches every game.
type For struct {
	Speeds    []lichess.Speed `key:"speeds" choices:"speeds"`
	Opponents string          `key:"opponents" choices:"humans, bots"`
	Modes     []string        `key:"modes" choices:"rated, casual"`
	Color     lichess.Color   `key:"color" choices:"white, black"` // ours
}

// GameKind is what is known of a game when it begins.
type GameKind struct {
	Speed lichess.Speed
	Bot   bool // the opponent is one
	Rated bool
	Color lichess.Color // ours
}

// Matches reports whether the setting is for a game.
func (f *For) Matches(g GameKind) bool {
	opponents, mode := "humans", "casual"
	if g.Bot {
		opponents = "bots"
	}
	if g.Rated {
		mode = "rated"
	}
	return (f.Speeds == nil || slices.Contains(f.Speeds, g.Speed)) && (f.Opponents == "" || f.Opponents == opponents) &&
		(f.Modes == nil || slices.Contains(f.Modes, mode)) && (f.Color == "" || f.Color == g.Color)
}

// String returns the same text for settings that are for the same games, such as
// "speeds: bullet blitz, color: white"; "" for all games.
func (f For) String() string {
	var parts []string
	add := func(key string, values []string) {
		if len(values) > 0 {
			parts = append(parts, key+": "+strings.Join(values, " "))
		}
	}
	add("speeds", chosen(lichess.Speeds(), f.Speeds))
	add("opponents", strings.Fields(f.Opponents))
	add("modes", chosen(modes, f.Modes))
	add("color", strings.Fields(string(f.Color)))
	return strings.Join(parts, ", ")
}

// chosen returns the items of a list that are wanted, none if that is each.
func chosen[T ~string](all, wanted []T) (texts []string) {
	for _, item := range all {
		if slices.Contains(wanted, item) {
			texts = append(texts, string(item))
		}
	}
	if len(texts) == len(all) {
		return nil
	}
	return texts
}

// validate refuses lists that exclude each game.
func (f *For) validate(p *problems, key string) {
	const problem = "empty, so no game matches; want at least one, or leave the key out for all"
	if f.Speeds != nil && len(f.Speeds) == 0 {
		p.add(key+".speeds", problem)
	}
	if f.Modes != nil && len(f.Modes) == 0 {
		p.add(key+".modes", problem)
	}
}
