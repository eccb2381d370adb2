package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// liveFileName is the name of the file that has the games in progress.
const liveFileName = "live.json"

// Live is a game in progress, with what Lichess does not send again: its contender, our
// evaluations, clocks and lags, the greeting, takebacks. It is not changed, but replaced.
type Live struct {
	Game      *Game
	Greeted   bool
	Takebacks int // granted
	// LevelNow is the level of play; "" if it is unknown.
	LevelNow string
}

// liveGames are the games in progress, by id.
type liveGames map[string]*Live

// liveEntry is a Live in the file.
type liveEntry struct {
	Summary
	TimeControl string `json:"time_control"` // as in PGN
	FEN         string `json:"fen"`
	Moves       string `json:"moves"` // in UCI
	Notes       []Note `json:"notes"`
	Greeted     bool   `json:"greeted,omitempty"`
	Takebacks   int    `json:"takebacks,omitempty"`
	LevelNow    string `json:"level_now,omitempty"`
}

// MarshalJSON encodes the game with its moves.
func (l *Live) MarshalJSON() ([]byte, error) {
	g := l.Game
	moves := make([]string, g.Board.Ply())
	for ply, m := range g.Board.Moves() {
		moves[ply] = m.String()
	}
	return json.Marshal(liveEntry{
		g.Summary, pgn.TimeControl(g.Clock).String(), g.Board.Start().FEN(), strings.Join(moves, " "), g.Notes,
		l.Greeted, l.Takebacks, l.LevelNow,
	})
}

// UnmarshalJSON decodes a game, up to the first illegal move.
func (l *Live) UnmarshalJSON(text []byte) error {
	var e liveEntry
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	start, err := rules.ParseFEN(e.FEN)
	if err != nil {
		return fmt.Errorf("game in progress: %w", err)
	}
	g := &Game{Summary: e.Summary, Board: rules.NewGame(start)}
	g.Status = lichess.StatusUnknownFinish
	g.setTimeControl(e.TimeControl)
	for moves := strings.Fields(e.Moves); len(moves) > 0 && g.Board.PlayUCI(moves[0]) == nil; {
		moves = moves[1:]
	}
	g.Notes = make([]Note, g.Board.Ply())
	copy(g.Notes, e.Notes)
	*l = Live{g, e.Greeted, e.Takebacks, e.LevelNow}
	return nil
}

var errOldJournals = errors.New("an older version kept games in progress there: they go on without its evaluations")

// openLive reads the games in progress. What it cannot use, and the journals of older
// versions, it sets aside; errors are among the repairs.
func (a *Archive) openLive() {
	var err error
	if a.live, err = openStored[liveGames](a.dir, liveFileName); err != nil {
		a.repairs = append(a.repairs, Repair{File: liveFileName, Err: err})
	}
	if a.live.data == nil {
		a.live.data = liveGames{}
	}
	for id, l := range a.live.data {
		if l == nil {
			delete(a.live.data, id)
			continue
		}
		l.Game.ID, a.found[id] = id, true
	}
	folder := filepath.Join(a.dir, "live")
	if info, err := os.Lstat(folder); err == nil && info.IsDir() && os.Remove(folder) != nil {
		a.repairs = append(a.repairs, Repair{File: "live", Err: file.SetAside(folder, errOldJournals)})
	}
}

// Track keeps a game in progress as it is now. [Archive.WriteLive] writes it.
func (a *Archive) Track(l *Live) {
	a.live.View(func(games *liveGames) { (*games)[l.Game.ID] = l })
}

// Untrack forgets a game in progress that is not worth a record.
func (a *Archive) Untrack(id string) {
	a.live.View(func(games *liveGames) { delete(*games, id) })
}

// WriteLive writes the games in progress to disk, if they have changed.
func (a *Archive) WriteLive() error { return a.live.Update(func(*liveGames) {}) }

// Live returns a game in progress, of this run or an earlier one, nil if there is none. One
// that has been saved is none.
func (a *Archive) Live(id string) (found *Live) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isPending(id) {
		return nil
	}
	a.live.View(func(games *liveGames) { found = (*games)[id] })
	return found
}

// Unfinished returns the ids of the games in progress, sorted.
func (a *Archive) Unfinished() (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live.View(func(games *liveGames) { ids = slices.Sorted(maps.Keys(*games)) })
	return slices.DeleteFunc(ids, a.isPending)
}

// isPending reports whether a finished game waits to be written. The caller holds the lock.
func (a *Archive) isPending(id string) bool {
	return slices.ContainsFunc(a.pending, func(p *pendingGame) bool { return p.id == id })
}
