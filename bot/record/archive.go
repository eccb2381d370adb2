package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/rules/pgn"
)

// Archive is a folder of PGN files, one a month. It is safe for concurrent
// use; one program at a time writes to it.
type Archive struct {
	dir     string
	mu      sync.Mutex
	pending []pending // games that could not be written yet
}

type pending struct {
	file string
	text string
}

// maxPending bounds the games kept in memory while the disk refuses them.
const maxPending = 1000

// Open returns the archive in a folder, which it creates.
func Open(dir string) (*Archive, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	return &Archive{dir: dir}, nil
}

// Save appends a game to the file of the month it began in and waits until it
// is on disk. A game that can not be written is kept, and written before the
// next one.
func (a *Archive) Save(g *Game) error {
	var text strings.Builder
	if _, err := g.PGN().WriteTo(&text); err != nil {
		return fmt.Errorf("save game %s: %w", g.ID, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.pending) == maxPending {
		a.pending = a.pending[1:]
	}
	a.pending = append(a.pending, pending{g.Created.UTC().Format("2006-01") + ".pgn", text.String()})
	for len(a.pending) > 0 {
		if err := a.write(a.pending[0]); err != nil {
			return fmt.Errorf("save game %s (%d wait for the disk): %w", g.ID, len(a.pending), err)
		}
		a.pending = a.pending[1:]
	}
	return nil
}

// write appends to a file, all or nothing.
func (a *Archive) write(p pending) error {
	f, err := os.OpenFile(filepath.Join(a.dir, p.file), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Seek(0, 2)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(p.text); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// PGN returns the game with the tags that Lichess writes.
func (g *Game) PGN() *pgn.Game {
	out := &pgn.Game{Start: *g.Game.Start(), Result: g.result(), Tags: g.tags()}
	for i, m := range g.Game.Moves() {
		move := pgn.Move{Move: m}
		if i < len(g.Notes) {
			n := g.Notes[i]
			move.Clock, move.HasClock = n.Clock, n.HasClock
			move.Eval = pgn.Eval{Known: n.Evaluated, Centipawns: n.Centipawns, Mate: n.Mate, Depth: n.Depth}
		}
		out.Moves = append(out.Moves, move)
	}
	return out
}

func (g *Game) result() string {
	switch {
	case g.Winner == "white":
		return pgn.WhiteWins
	case g.Winner == "black":
		return pgn.BlackWins
	case g.Status == "aborted" || g.Status == "noStart" || g.Status == "unknownFinish":
		return pgn.Unknown
	}
	return pgn.Draw
}

func (g *Game) tags() []pgn.Tag {
	mode := "Casual"
	if g.Rated {
		mode = "Rated"
	}
	created := g.Created.UTC()
	tags := []pgn.Tag{
		{Name: "Event", Value: fmt.Sprintf("%s %s game", mode, g.Speed)},
		{Name: "Site", Value: g.Site},
		{Name: "Date", Value: created.Format("2006.01.02")},
		{Name: "White", Value: g.White.Name},
		{Name: "Black", Value: g.Black.Name},
		{Name: "Result", Value: g.result()},
		{Name: "GameId", Value: g.ID},
		{Name: "UTCDate", Value: created.Format("2006.01.02")},
		{Name: "UTCTime", Value: created.Format("15:04:05")},
		{Name: "WhiteElo", Value: elo(g.White.Rating)},
		{Name: "BlackElo", Value: elo(g.Black.Rating)},
	}
	if g.RatingKnown {
		tags = append(tags, pgn.Tag{Name: "WhiteRatingDiff", Value: fmt.Sprintf("%+d", g.White.RatingDiff)},
			pgn.Tag{Name: "BlackRatingDiff", Value: fmt.Sprintf("%+d", g.Black.RatingDiff)})
	}
	for _, t := range []pgn.Tag{{Name: "WhiteTitle", Value: g.White.Title}, {Name: "BlackTitle", Value: g.Black.Title}} {
		if t.Value != "" {
			tags = append(tags, t)
		}
	}
	return append(tags,
		pgn.Tag{Name: "Variant", Value: "Crazyhouse"},
		pgn.Tag{Name: "TimeControl", Value: g.timeControl()},
		pgn.Tag{Name: "Termination", Value: termination(g.Status)})
}

func elo(rating int) string {
	if rating == 0 {
		return "?"
	}
	return fmt.Sprint(rating)
}

func (g *Game) timeControl() string {
	if !g.HasClock {
		return "-"
	}
	return fmt.Sprintf("%d+%d", g.Initial/time.Second, g.Increment/time.Second)
}

// termination returns Lichess's word for how a game ended.
func termination(status string) string {
	switch status {
	case "outoftime":
		return "Time forfeit"
	case "timeout", "aborted", "noStart":
		return "Abandoned"
	case "cheat":
		return "Rules infraction"
	case "unknownFinish":
		return "Unknown"
	}
	return "Normal"
}
