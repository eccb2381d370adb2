package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// GamesSince calls visit for the archive's games that were created at a time or later,
// month by month in the order in which they ended, until visit returns false.
// Games that cannot be parsed are skipped.
func (a *Archive) GamesSince(since time.Time, visit func(*Game) bool) error {
	files, err := filepath.Glob(filepath.Join(a.dir, "????-??.pgn"))
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	slices.Sort(files)
	first := since.UTC().Format(monthLayout) + ".pgn"
	for _, file := range files {
		if filepath.Base(file) < first {
			continue
		}
		more, err := readMonth(file, since, visit)
		if err != nil {
			return fmt.Errorf("read records: %w", err)
		}
		if !more {
			break
		}
	}
	return nil
}

// readMonth reads one file; more is false once visit returned false.
func readMonth(file string, since time.Time, visit func(*Game) bool) (more bool, err error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	games := pgn.NewReader(bufio.NewReader(f))
	for {
		text, err := games.Next()
		var bad *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.As(err, &bad):
			continue
		case err != nil:
			return false, err
		}
		if g := parseGame(text); !g.Created.Before(since) && !visit(g) {
			return false, nil
		}
	}
}

// summaries returns the crazyhouse games of a PGN file from any source, in file
// order. Games whose Variant tag names another variant are skipped.
func summaries(r io.Reader) iter.Seq2[*Summary, error] {
	return func(yield func(*Summary, error) bool) {
		for h, err := range pgn.Headers(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			if v := h.Tag("Variant"); v != "" && !strings.EqualFold(v, "Crazyhouse") {
				continue
			}
			if s := summaryOf(h, h.Result, isMate(h.Last)); !yield(&s, nil) {
				return
			}
		}
	}
}

// ReadFiles returns the games of PGN files and of folders of them, sorted by when
// they were created. A game that occurs several times is returned once.
func ReadFiles(paths ...string) ([]*Summary, error) {
	files, err := expandFolders(paths)
	if err != nil {
		return nil, err
	}
	var list gameSet
	for _, name := range files {
		if err := readFile(name, list.add); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list.games, func(x, y *Summary) int { return x.Created.Compare(y.Created) })
	return list.games, nil
}

// gameSet holds each game once: of several records of a game, one with a result.
type gameSet struct {
	games []*Summary
	byID  map[string]int // index into games
}

func (c *gameSet) add(s *Summary) {
	if at, known := c.byID[s.ID]; known {
		if c.games[at].Result == rules.NoResult {
			c.games[at] = s
		}
		return
	}
	if s.ID != "" {
		if c.byID == nil {
			c.byID = map[string]int{}
		}
		c.byID[s.ID] = len(c.games)
	}
	c.games = append(c.games, s)
}

// expandFolders replaces folders by the PGN files in them.
func expandFolders(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read games: %w", err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		pgns, err := filepath.Glob(filepath.Join(path, "*.pgn"))
		if err != nil {
			return nil, fmt.Errorf("read games: %w", err)
		}
		files = append(files, pgns...)
	}
	return files, nil
}

func readFile(name string, add func(*Summary)) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read games: %w", err)
	}
	defer f.Close()
	for s, err := range summaries(f) {
		if err != nil {
			return fmt.Errorf("read games of %s: %w", name, err)
		}
		add(s)
	}
	return nil
}
