package match

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
)

// Merged is a match whose shards were played by several processes. At fixed nodes or depth
// it has the same games as if one process had played them all.
type Merged struct {
	settings settings      // of all shards, but Shard
	files    []string      // by shard, "" for a missing one
	played   map[int]*Game // by number
}

// Merge reads the state files of the shards of a match. Files of different matches, or of
// the same shard, are an error. Shards and games may be missing: see [Merged.Missing].
func Merge(names []string) (*Merged, error) {
	m := &Merged{played: map[int]*Game{}}
	games := map[string][]*Game{} // by file
	var err error
	m.files, m.settings, err = OrderShards(names, func(name string) (settings, Shard, error) {
		s, err := file.ReadState[settings](name, func(g Game) error {
			games[name] = append(games[name], &g)
			return nil
		})
		sh := s.Shard
		if err == nil && (sh.Count > s.Games/2 || s.Games%2 != 0 || s.Games > maxGames) {
			err = fmt.Errorf("%s: %d games in %d shards", name, s.Games, sh.Count)
		}
		s.Shard = Shard{} // of all
		return s, sh, err
	})
	if err == nil {
		err = m.addGames(games)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// addGames adds the games of the files.
func (m *Merged) addGames(games map[string][]*Game) error {
	for i, name := range m.files {
		for _, g := range games[name] {
			if err := m.addGame(g, Shard{i, len(m.files)}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func (m *Merged) addGame(g *Game, sh Shard) error {
	if err := g.check(sh); err != nil {
		return err
	}
	switch {
	case g.Number >= m.settings.Games:
		return fmt.Errorf("game %d of %d", g.Number, m.settings.Games)
	case m.played[g.Number] != nil:
		return fmt.Errorf("duplicate game %d", g.Number)
	}
	m.played[g.Number] = g
	return nil
}

// Games returns the number of games of the whole match.
func (m *Merged) Games() int { return m.settings.Games }

// maxNamed is how many missing games of a shard are named.
const maxNamed = 10

// Missing returns an error that names the missing shards, and the missing games of the
// others; nil if the match is complete.
func (m *Merged) Missing() error {
	var errs []error
	for i, name := range m.files {
		if sh := (Shard{i, len(m.files)}); name == "" {
			errs = append(errs, fmt.Errorf("shard %s: no file", sh))
		} else {
			errs = append(errs, m.missingGames(sh, name))
		}
	}
	return errors.Join(errs...)
}

// missingGames returns an error that names the missing games of a shard, nil for none.
func (m *Merged) missingGames(sh Shard, file string) error {
	var names []string
	n := 0
	for i := range sh.Size(m.settings.Games / 2) {
		for _, number := range pairGames(sh.Number(i)) {
			if m.played[number] != nil {
				continue
			}
			if n++; n <= maxNamed {
				names = append(names, fmt.Sprint(number))
			}
		}
	}
	if n == 0 {
		return nil
	}
	if n > maxNamed {
		names = append(names, "…")
	}
	return fmt.Errorf("shard %s, %s: %d games are missing: %s", sh, file, n, strings.Join(names, ", "))
}

// Summary returns the summary of the games. With an SPRT it takes them in the order of
// their numbers, up to the verdict or the first missing one, as a match on one machine
// does: later games cannot change a verdict.
func (m *Merged) Summary(t *SPRT) Summary {
	c := Config{SPRT: t}
	for contestant, side := range c.sides() {
		side.Name, side.Limit = m.settings.Names[contestant], m.settings.Limits[contestant]
	}
	s := newSummary(&c)
	for number := range m.settings.Games {
		g, other := m.played[number], m.played[number^1]
		switch {
		case g == nil && t != nil, s.verdict() != Undecided:
			return s
		case g == nil:
			continue
		case number%2 == 0:
			other = nil // the pair is added with its second game
		}
		s.add(g, other)
	}
	return s
}
