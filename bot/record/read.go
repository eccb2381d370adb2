package record

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// GamesSince calls visit for the archive's games that were created at or after a time,
// month by month in the order in which they ended. Games that cannot be parsed are
// skipped.
func (a *Archive) GamesSince(ctx context.Context, since time.Time, visit func(*Game)) error {
	files, err := monthFiles(a.dir)
	if err != nil {
		return err
	}
	first := filepath.Join(a.dir, since.UTC().Format(monthLayout)+".pgn")
	files = slices.DeleteFunc(files, func(path string) bool { return path < first })
	return NewHistory(a.dir).readFiles(ctx, files, func(f *FinishedGame) {
		if f.Created.Before(since) {
			return
		}
		if g, err := f.Game(); err == nil {
			visit(g)
		}
	})
}

// scan calls visit for each game of a PGN file, or of the part from an offset on, with its
// header, whose offsets are those in the file. It ends with the first error.
func scan(ctx context.Context, path string, from int64, visit func(*FinishedGame, *pgn.Header) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read games of %s: %w", path, err)
	}
	defer f.Close()
	for h, err := range pgn.Headers(io.NewSectionReader(f, from, math.MaxInt64-from)) {
		var text []byte
		if err = cmp.Or(err, ctx.Err()); err == nil {
			h.Start, h.End = from+h.Start, from+h.End
			text, err = readPart(f, h.Start, h.End)
		}
		if err == nil {
			s := summaryOf(h.Tag, h.Result, h.Comment, isMate(h.Last))
			err = visit(&FinishedGame{Summary: s, Plies: h.Plies, text: string(text), path: path, start: h.Start,
				end: h.End}, h)
		}
		if err != nil {
			return fmt.Errorf("read games of %s: %w", path, err)
		}
	}
	return ctx.Err()
}

// ReadFiles returns the crazyhouse games of PGN files from any source, and of folders of
// them, sorted by when they were created, and how many others were left out. A game that occurs
// several times is returned once, with a result if one of them has it.
func ReadFiles(ctx context.Context, paths ...string) (games []*Summary, others int, err error) {
	files, err := expandFolders(paths)
	if err != nil {
		return nil, 0, err
	}
	byID := map[string]*Summary{}
	for _, path := range files {
		err := scan(ctx, path, 0, func(g *FinishedGame, h *pgn.Header) error {
			s := new(g.Summary) // a copy, which does not keep the text
			switch known := byID[s.ID]; {
			case !h.IsCrazyhouse():
				others++
			case known == nil:
				games = append(games, s)
				if s.ID != "" {
					byID[s.ID] = s
				}
			case known.Result == rules.NoResult:
				*known = *s
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortStableFunc(games, func(x, y *Summary) int { return x.Created.Compare(y.Created) })
	return games, others, nil
}

// ReadGames calls visit for the games of PGN files and of folders of them, in file order. A
// game that occurs several times is visited once.
func ReadGames(ctx context.Context, paths []string, visit func(*FinishedGame)) error {
	files, err := expandFolders(paths)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, path := range files {
		err := scan(ctx, path, 0, func(f *FinishedGame, h *pgn.Header) error {
			if len(h.Tags) > 0 && (f.ID == "" || !seen[f.ID]) {
				seen[f.ID] = true
				visit(f)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// expandFolders replaces folders by the PGN files in them, and checks the other files.
func expandFolders(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read games: %w", err)
		}
		switch mode := info.Mode(); {
		case mode&(fs.ModeNamedPipe|fs.ModeCharDevice|fs.ModeSocket) != 0:
			return nil, fmt.Errorf("read games of %s: it is a pipe or a device: write the games to a file first", path)
		case !mode.IsDir():
			if err := checkPGN(path); err != nil {
				return nil, err
			}
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path) // no glob, since the path may contain brackets
		if err != nil {
			return nil, fmt.Errorf("read games: %w", err)
		}
		for _, entry := range entries {
			if strings.EqualFold(filepath.Ext(entry.Name()), ".pgn") {
				files = append(files, filepath.Join(path, entry.Name()))
			}
		}
	}
	return files, nil
}

// checkPGN returns an error if a file has text, but not one game with tags.
func checkPGN(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read games: %w", err)
	}
	defer f.Close()
	text := false
	for h, err := range pgn.Headers(f) {
		if err != nil || len(h.Tags) > 0 { // who reads the games reports the error
			return nil
		}
		text = true
	}
	if text {
		return fmt.Errorf("read games of %s: this is not PGN: no game in it has tags, such as [White \"name\"]", path)
	}
	return nil
}
