package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// GamesSince calls visit for the archive's games that were created at a time or later,
// month by month in the order in which they ended, until visit returns false. Of a
// game's status only what a PGN keeps is known: Status is outoftime, aborted, cheat,
// unknownFinish, or empty. Games that cannot be parsed are skipped.
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
		if g := gameOf(text); !g.Created.Before(since) && !visit(g) {
			return false, nil
		}
	}
}

// gameOf converts a parsed PGN back to a Game; see [Game.PGN].
func gameOf(text *pgn.Game) *Game {
	g := &Game{
		ID: idFrom(text), Site: text.Tag("Site"), Rated: ratedFrom(text), Created: startTime(text),
		White: playerFrom(text, "White"), Black: playerFrom(text, "Black"), RatingKnown: ratingKnownFrom(text),
		Status: statusOf(text.Tag("Termination")), Result: text.Result,
		Game: rules.NewGame(text.Start), Version: text.Tag(tagVersion), Network: text.Tag(tagNetwork),
		PostMortem: text.Tag(tagPostMortem),
	}
	g.Initial, g.Increment, g.HasClock = parseTimeControl(text.Tag("TimeControl"))
	for _, m := range text.Moves {
		if g.Game.Play(m.Move) != nil {
			break // unreachable: the reader checked the move
		}
		g.Notes = append(g.Notes, Note{Clock: m.Clock, HasClock: m.HasClock, Eval: m.Eval})
	}
	return g
}

// statusOf is the inverse of termination as far as there is one.
func statusOf(termination string) lichess.Status {
	switch termination {
	case "Time forfeit":
		return lichess.StatusOutOfTime
	case "Abandoned":
		return lichess.StatusAborted
	case "Rules infraction":
		return lichess.StatusCheat
	case "Unknown":
		return lichess.StatusUnknownFinish
	}
	return ""
}

// parseTimeControl parses the format of [Game.timeControl]; the increment may be
// missing.
func parseTimeControl(text string) (initial, increment time.Duration, ok bool) {
	first, second, hasBonus := strings.Cut(text, "+")
	seconds, err := strconv.ParseFloat(first, 64)
	bonus, bonusErr := strconv.ParseFloat(second, 64)
	if err != nil || hasBonus && bonusErr != nil {
		return 0, 0, false
	}
	scale := float64(time.Second)
	return time.Duration(seconds * scale), time.Duration(bonus * scale), true
}
