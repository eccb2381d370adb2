package record

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules/pgn"
)

// Summary is what the record of a game says without its moves.
type Summary struct {
	ID           string
	Site         string
	StartTime    time.Time // zero if not known
	White, Black Player
	RatingKnown  bool // the players' RatingDiff is known
	Rated        bool
	Speed        string // as Lichess names it; "" if not known
	Result       string
	End          End
	Plies        int
	Version      string // of the engine that wrote the record
	Network      string
}

// End is how a game ended.
type End string

// How games end. A record tells no more of a draw than that it is one.
const (
	Checkmate   End = "checkmate"
	Resignation End = "resignation"
	TimeForfeit End = "time forfeit"
	Drawn       End = "draw"
	Abandoned   End = "abandoned"
	Infraction  End = "rules infraction"
	Unfinished  End = "unfinished"
)

// ends lists them all, in the order of a report.
var ends = []End{Checkmate, Resignation, TimeForfeit, Drawn, Abandoned, Infraction, Unfinished}

// Summaries returns the crazyhouse games of a PGN file, whoever wrote it, in its
// order. Games that name another variant are left out.
func Summaries(r io.Reader) iter.Seq2[*Summary, error] {
	return func(yield func(*Summary, error) bool) {
		for o, err := range pgn.Outlines(r) {
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

// ReadFiles returns the games of PGN files, and of those in folders, by the time
// they began. A game that stands in several files counts once.
func ReadFiles(paths ...string) ([]*Summary, error) {
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	var list collection
	for _, name := range files {
		if err := readFile(name, list.add); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list.games, func(x, y *Summary) int { return x.StartTime.Compare(y.StartTime) })
	return list.games, nil
}

// collection holds each game once: of several records of a game, one that knows
// how it ended.
type collection struct {
	games []*Summary
	byID  map[string]int // where the games with an id are
}

func (c *collection) add(s *Summary) {
	if at, known := c.byID[s.ID]; known {
		if c.games[at].Result == pgn.Unknown {
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

// expand replaces folders by the PGN files in them.
func expand(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read games: %w", err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		inside, err := filepath.Glob(filepath.Join(path, "*.pgn"))
		if err != nil {
			return nil, fmt.Errorf("read games: %w", err)
		}
		files = append(files, inside...)
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

func summarize(o *pgn.Outline) *Summary {
	s := &Summary{
		ID: idFrom(o), Site: o.Tag("Site"), StartTime: beganFrom(o),
		White: playerFrom(o, "White"), Black: playerFrom(o, "Black"), RatingKnown: ratingKnownFrom(o), Rated: ratedFrom(o),
		Speed: SpeedOf(o.Tag("TimeControl")), Result: o.Result, Plies: o.Plies,
		Version: o.Tag(tagVersion), Network: o.Tag(tagNetwork),
	}
	if tag := o.Tag("Result"); s.Result == pgn.Unknown && tag != "" {
		s.Result = tag
	}
	s.End = endOf(s.Result, o.Tag("Termination"), o.Last)
	return s
}

// SpeedOf returns how Lichess names a time control such as "180+2": by the time
// that 40 moves take. It is "" for what is no time control.
func SpeedOf(control string) string {
	if control == "-" || strings.HasPrefix(control, "1/") {
		return "correspondence"
	}
	base, inc, _ := strings.Cut(control, "+")
	seconds, err := strconv.ParseFloat(base, 64)
	if err != nil {
		return ""
	}
	bonus, err := strconv.ParseFloat(inc, 64)
	if err != nil && inc != "" {
		return ""
	}
	switch total := seconds + 40*bonus; {
	case total < 30:
		return "ultraBullet"
	case total < 180:
		return "bullet"
	case total < 480:
		return "blitz"
	case total < 1500:
		return "rapid"
	}
	return "classical"
}

// endOf works out how a game ended from what a record says.
func endOf(result, termination, last string) End {
	switch strings.ToLower(termination) {
	case "time forfeit":
		return TimeForfeit
	case "abandoned":
		return Abandoned
	case "rules infraction":
		return Infraction
	}
	switch {
	case result == pgn.Unknown:
		return Unfinished
	case strings.HasSuffix(strings.TrimRight(last, "!?"), "#"):
		return Checkmate
	case result == pgn.Draw:
		return Drawn
	}
	return Resignation
}
