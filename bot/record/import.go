package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Imported counts what [Archive.Import] did with games.
type Imported struct {
	Added      int // the archive lacked them
	Completed  int // their records lacked the result, or the rating changes
	Known      int // they are in the archive already
	Unfinished int // they have a journal: the bot completes these itself, with its evaluations
}

// Add adds the counts of another import.
func (n *Imported) Add(more Imported) {
	n.Added += more.Added
	n.Completed += more.Completed
	n.Known += more.Known
	n.Unfinished += more.Unfinished
}

// Import adds the finished games that the archive lacks, by their ids, in the order in
// which they were created, and adds missing results and rating changes to records.
// Nothing in a record is lost: importing a game never costs evaluations. A file is
// replaced atomically, so that a crash leaves either the old or the new one.
func (a *Archive) Import(games []*Game) (done Imported, err error) {
	if err := a.Flush(); err != nil {
		return done, err
	}
	months := map[string][]*Game{}
	for _, g := range games {
		file := monthFileOf(g)
		months[file] = append(months[file], g)
	}
	a.disk.Lock()
	defer a.disk.Unlock()
	for _, file := range slices.Sorted(maps.Keys(months)) {
		n, err := a.importMonth(filepath.Join(a.dir, file), months[file])
		if err != nil {
			return done, fmt.Errorf("import games: %w", err)
		}
		done.Add(n)
	}
	return done, nil
}

// importMonth imports games into a file.
func (a *Archive) importMonth(path string, games []*Game) (done Imported, err error) {
	m, err := readMonth(path)
	if err != nil {
		return done, err
	}
	for _, g := range games {
		recorded := m.find(g.ID)
		switch {
		case recorded == nil && a.wasFound(g.ID):
			done.Unfinished++
		case recorded == nil:
			m.insert(g)
			done.Added++
		case recorded.complete(g):
			done.Completed++
		default:
			done.Known++
		}
	}
	if done.Added+done.Completed == 0 {
		return done, nil
	}
	if err := file.ReplaceSynced(path, m.text(), m.mode, a.sync); err != nil {
		return Imported{}, err
	}
	return done, nil
}

// month is the file of a month in memory.
type month struct {
	games []*FinishedGame
	mode  fs.FileMode
}

var errIncomplete = errors.New("the last game is incomplete")

// readMonth reads a file; one that does not exist has no games.
func readMonth(path string) (*month, error) {
	m, end := &month{mode: 0o644}, int64(0)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	} else if err != nil {
		return nil, err
	}
	m.mode = info.Mode().Perm()
	err = scan(context.Background(), path, 0, func(g *FinishedGame, h *pgn.Header) error { // nothing interrupts an import
		if h.Truncated {
			return errIncomplete
		}
		m.games, end = append(m.games, g), h.End
		return nil
	})
	if err != nil {
		return nil, err
	}
	if end < info.Size() { // something other than a game, which must not be lost
		return nil, fmt.Errorf("%s: %w", path, errIncomplete)
	}
	return m, nil
}

// find returns a game by its id, nil if there is none.
func (m *month) find(id string) *FinishedGame {
	if i := slices.IndexFunc(m.games, func(f *FinishedGame) bool { return f.ID == id }); i >= 0 {
		return m.games[i]
	}
	return nil
}

// insert puts a game before the first one that was created later.
func (m *month) insert(g *Game) {
	at := slices.IndexFunc(m.games, func(f *FinishedGame) bool { return f.Created.After(g.Created) })
	if at < 0 {
		at = len(m.games)
	}
	m.games = slices.Insert(m.games, at, &FinishedGame{Summary: g.Summary, text: g.PGN().String()})
}

// text returns the file's text: that of each game as it was read, with an empty line
// after it.
func (m *month) text() []byte {
	var b bytes.Buffer
	for _, f := range m.games {
		b.WriteString(f.text)
		b.WriteString(separatorAfter([]byte(f.text)))
	}
	return b.Bytes()
}

// complete adds to a record the result with the last moves, and the rating changes or why
// there are none, that it lacks and another of the same game has. It reports whether there
// was anything.
func (f *FinishedGame) complete(from *Game) bool {
	lacksResult := f.Result == rules.NoResult && from.Result != rules.NoResult
	lacksRatings := !f.RatingKnown && (from.RatingKnown || f.Uncounted == "" && from.Uncounted != "")
	if !lacksResult && !lacksRatings {
		return false
	}
	g, _ := pgn.NewReader(strings.NewReader(f.text)).Next()
	if g == nil { // it cannot be read, and is left as it is
		return false
	}
	source := from.PGN()
	var tags []string
	if lacksResult {
		g.Result = from.Result
		tags = append(tags, "Result", "Termination")
		if n := len(g.Moves); n <= len(source.Moves) && samePlies(g.Moves, source.Moves[:n]) {
			g.Moves = append(g.Moves, source.Moves[n:]...)
		}
	}
	if lacksRatings {
		tags = append(tags, "WhiteRatingDiff", "BlackRatingDiff", tagUncounted)
		f.RatingKnown, f.Uncounted = from.RatingKnown, from.Uncounted
	}
	for _, name := range tags {
		if value := source.Tag(name); value != "" {
			g.SetTag(name, value)
		}
	}
	f.text, f.Result = g.String(), g.Result
	return true
}

func samePlies(a, b []pgn.Move) bool {
	return slices.EqualFunc(a, b, func(x, y pgn.Move) bool { return x.Move == y.Move })
}
