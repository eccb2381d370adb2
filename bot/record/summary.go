package record

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Summary is the record of a game without its moves.
type Summary struct {
	ID           string
	Site         string
	StartTime    time.Time // zero if unknown
	White, Black Player
	RatingKnown  bool // the players' RatingDiff is known
	Rated        bool
	Speed        lichess.Speed // "" if unknown
	Result       rules.Result
	End          End
	Plies        int
	Version      string // of the engine that wrote the record
	Network      string
}

// End is how a game ended.
type End string

// How games end. A PGN does not distinguish kinds of draws.
const (
	Checkmate   End = "checkmate"
	Resignation End = "resignation"
	TimeForfeit End = "time forfeit"
	Drawn       End = "draw"
	Abandoned   End = "abandoned"
	Infraction  End = "rules infraction"
	Unfinished  End = "unfinished"
)

// ends lists all of them, in the order of a report.
var ends = []End{Checkmate, Resignation, TimeForfeit, Drawn, Abandoned, Infraction, Unfinished}

// Summaries returns the crazyhouse games of a PGN file from any source, in file
// order. Games whose Variant tag names another variant are skipped.
func Summaries(r io.Reader) iter.Seq2[*Summary, error] {
	return func(yield func(*Summary, error) bool) {
		for o, err := range pgn.Headers(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			if v := o.Tag("Variant"); v != "" && !strings.EqualFold(v, "Crazyhouse") {
				continue
			}
			if !yield(summarize(o), nil) {
				return
			}
		}
	}
}

// ReadFiles returns the games of PGN files and of folders of them, sorted by start
// time. A game that occurs several times is returned once.
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
	slices.SortStableFunc(list.games, func(x, y *Summary) int { return x.StartTime.Compare(y.StartTime) })
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
	for s, err := range Summaries(f) {
		if err != nil {
			return fmt.Errorf("read games of %s: %w", name, err)
		}
		add(s)
	}
	return nil
}

func summarize(o *pgn.Header) *Summary {
	s := &Summary{
		ID: idFrom(o), Site: o.Tag("Site"), StartTime: startTime(o),
		White: playerFrom(o, "White"), Black: playerFrom(o, "Black"), RatingKnown: ratingKnownFrom(o), Rated: ratedFrom(o),
		Speed: speedOf(o.Tag("TimeControl")), Result: o.Result, Plies: o.Plies,
		Version: o.Tag(tagVersion), Network: o.Tag(tagNetwork),
	}
	if s.Result == rules.NoResult {
		s.Result, _ = rules.ParseResult(o.Tag("Result"))
	}
	s.End = endOf(s.Result, o.Tag("Termination"), o.Last)
	return s
}

// speedOf returns the speed of a TimeControl tag such as "180+2", "" if it is invalid.
func speedOf(control string) lichess.Speed {
	if control == "-" || strings.HasPrefix(control, "1/") {
		return lichess.Correspondence
	}
	initial, increment, ok := parseTimeControl(control)
	if !ok {
		return ""
	}
	return lichess.SpeedOf(initial, increment)
}

// endOf derives how a game ended from its result, Termination tag and last move.
func endOf(result rules.Result, termination, last string) End {
	switch strings.ToLower(termination) {
	case "time forfeit":
		return TimeForfeit
	case "abandoned":
		return Abandoned
	case "rules infraction":
		return Infraction
	}
	switch {
	case result == rules.NoResult:
		return Unfinished
	case strings.HasSuffix(strings.TrimRight(last, "!?"), "#"):
		return Checkmate
	case result == rules.Draw:
		return Drawn
	}
	return Resignation
}
