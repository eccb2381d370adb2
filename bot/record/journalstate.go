package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// JournalState is a running game as read back from its journal.
type JournalState struct {
	// Game has only its ID, and a nil Game.Game, if the first line of the journal was
	// truncated by a crash.
	Game
	Greeted   bool
	Takebacks int // granted
	// LevelNow is the level of play; "" if none was recorded.
	LevelNow string
}

func (l *JournalState) clone() *JournalState {
	c := *l
	c.Notes = slices.Clone(l.Notes)
	if l.Game.Game != nil {
		c.Game.Game = l.Game.Game.Clone()
	}
	return &c
}

// Unfinished returns the games whose journals were found when the archive was opened, or
// closed since, and which have not been saved or discarded, sorted by id.
func (a *Archive) Unfinished() []*JournalState {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []*JournalState
	for _, l := range a.journals {
		if l.state != nil {
			list = append(list, l.state.clone())
		}
	}
	slices.SortFunc(list, func(x, y *JournalState) int { return strings.Compare(x.ID, y.ID) })
	return list
}

// readJournals reads the journals, and sets aside those that cannot be read.
func (a *Archive) readJournals() error {
	dir := filepath.Join(a.dir, liveDir)
	entries, err := os.ReadDir(dir)
	a.journals = map[string]*liveJournal{}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), journalExt)
		if !ok || !gameID.MatchString(id) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if text, err := file.ReadRegular(path, file.MaxSize); err == nil {
			a.journals[id] = &liveJournal{state: readJournal(id, text), found: true}
		} else {
			a.repairs = append(a.repairs, Repair{File: e.Name(), Err: file.SetAside(path, err)})
		}
	}
	return err
}

// readJournal reads a journal. Lines that cannot be parsed are skipped.
func readJournal(id string, text []byte) *JournalState {
	l := new(JournalState)
	l.ID = id
	for line := range bytes.Lines(text) {
		l.applyLine(line)
	}
	return l
}

// applyLine applies a line of the journal, if it can be parsed.
func (l *JournalState) applyLine(line []byte) {
	var e entry
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch {
	case e.Game != nil && l.Game.Game == nil:
		e.Game.addTo(&l.Game)
		l.LevelNow = l.Level
	case l.Game.Game == nil:
	case e.Move != nil:
		l.applyMove(e.Move)
	case e.Back != nil:
		l.truncate(*e.Back)
	case e.Level != "":
		l.LevelNow, l.Level = e.Level, LevelVaried
	case e.Greeted:
		l.Greeted = true
	case e.Takebacks > 0 || e.Fallbacks > 0:
		l.Takebacks, l.Fallbacks = e.Takebacks, e.Fallbacks
	}
}

func (l *JournalState) applyMove(m *move) {
	if m.Ply > l.Game.Game.Ply() || m.Ply < 0 {
		return // an earlier line is missing
	}
	l.truncate(m.Ply)
	if l.Game.Game.PlayUCI(m.UCI) == nil {
		l.Notes = append(l.Notes, m.note())
	}
}

func (l *JournalState) truncate(plies int) {
	if plies >= 0 && plies < l.Game.Game.Ply() {
		l.Game.Game.TakeBack(l.Game.Game.Ply() - plies)
		l.Notes = l.Notes[:plies]
	}
}

// entry is a line of a journal. Exactly one field is set, or both counts.
type entry struct {
	Game      *header `json:"game,omitempty"`
	Move      *move   `json:"move,omitempty"`
	Back      *int    `json:"back,omitempty"` // number of plies left after a takeback
	Greeted   bool    `json:"greeted,omitempty"`
	Level     string  `json:"level,omitempty"` // a new one
	Takebacks int     `json:"takebacks,omitempty"`
	Fallbacks int     `json:"fallbacks,omitempty"`
}

// header is what stays the same during a game.
type header struct {
	Summary
	HasClock  bool   `json:"clock"`
	InitialMS int64  `json:"initial_ms"`
	IncMS     int64  `json:"increment_ms"`
	FEN       string `json:"fen"`
}

func headerOf(g *Game) *header {
	return &header{g.Summary, !g.Clock.IsZero(), g.Clock.Initial.Milliseconds(), g.Clock.Increment.Milliseconds(), g.Game.Start().FEN()}
}

// addTo fills in a game, unless the FEN is invalid.
func (f *header) addTo(g *Game) {
	start, err := rules.ParseFEN(f.FEN)
	if err != nil {
		return
	}
	id := g.ID
	g.Summary = f.Summary
	g.ID, g.Status = id, lichess.StatusUnknownFinish
	g.Clock = lichess.Clock{Initial: time.Duration(f.InitialMS) * time.Millisecond, Increment: time.Duration(f.IncMS) * time.Millisecond}
	g.Speed, g.Game = g.Clock.Speed(), rules.NewGame(start)
}

// move is a move with its annotations.
type move struct {
	Ply     int    `json:"ply"`
	UCI     string `json:"uci"`
	ClockMS *int64 `json:"clock_ms,omitempty"`
	Eval    *eval  `json:"eval,omitempty"`
	LagMS   int64  `json:"lag_ms,omitempty"`
}

// eval is our evaluation after a move, from White's point of view.
type eval struct {
	Centipawns int `json:"cp"`
	Mate       int `json:"mate,omitempty"`
	Depth      int `json:"depth"`
}

func moveOf(ply int, m rules.Move, n Note) *move {
	out := &move{Ply: ply, UCI: m.String(), LagMS: n.Lag.Milliseconds()}
	if n.HasClock {
		ms := n.Clock.Milliseconds()
		out.ClockMS = &ms
	}
	if e := n.Eval; e.Known {
		out.Eval = &eval{e.Centipawns, e.Mate, e.Depth}
	}
	return out
}

func (m *move) note() Note {
	n := Note{Lag: time.Duration(m.LagMS) * time.Millisecond}
	if m.ClockMS != nil {
		n.Clock, n.HasClock = time.Duration(*m.ClockMS)*time.Millisecond, true
	}
	if e := m.Eval; e != nil {
		n.Eval = pgn.Eval{Known: true, Score: pgn.Score{Centipawns: e.Centipawns, Mate: e.Mate}, Depth: e.Depth}
	}
	return n
}
