package play

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// parseMove reads a legal move in UCI notation or SAN.
func parseMove(p *rules.Position, text string) (rules.Move, error) {
	m, err := p.ParseSAN(text)
	switch {
	case err == nil:
		return m, nil
	case errors.Is(err, rules.ErrIllegalMove):
		err = errors.New("not legal in this position")
	case strings.Contains(err.Error(), "ambiguous"):
		err = errors.New("ambiguous; name the square that the piece comes from, as in Nbd2")
	default:
		err = errors.New("not a move; write it as in e4, Nf3, O-O, N@f7, e8=Q or e2e4")
	}
	return rules.NoMove, fmt.Errorf("%q: %w", text, err)
}

// personName is the name of the person in PGN.
const personName = "Player"

// PGN returns the game as PGN.
func (s *session) PGN() *pgn.Game {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pgn()
}

// pgn returns the game as PGN. mu is held.
func (s *session) pgn() *pgn.Game {
	now, names := &s.state, [2]string{}
	names[now.settings.Side] = personName
	names[now.settings.Side.Other()] = fmt.Sprintf("%s, %s", s.o.EngineName, now.settings.Level.Describe())
	g := &pgn.Game{Start: now.settings.Start, Result: now.ending.Result, Tags: []pgn.Tag{
		{Name: "Event", Value: "Casual Crazyhouse game"}, {Name: "Site", Value: "zhbot play"},
		{Name: "Date", Value: now.started.Format("2006.01.02")},
		{Name: "White", Value: names[rules.White]}, {Name: "Black", Value: names[rules.Black]},
		{Name: "Result", Value: now.ending.Result.String()},
		{Name: "Time", Value: now.started.Format("15:04:05")}, {Name: "Variant", Value: "Crazyhouse"},
		{Name: "TimeControl", Value: pgn.TimeControl(now.settings.Clock).String()},
		{Name: "Termination", Value: now.ending.tag()},
	}}
	for i, m := range now.game.Moves() {
		move := pgn.Move{Move: m}
		if !now.settings.Clock.IsZero() {
			mover := now.settings.Start.Turn()
			if i%2 == 1 {
				mover = mover.Other()
			}
			move.Clock, move.HasClock = now.clocks[i+1][mover], true
		}
		g.Moves = append(g.Moves, move)
	}
	return g
}

// Ending is how a game ended; the zero value is one in progress.
type Ending struct {
	Result rules.Result
	By     string // "checkmate", "time", …
}

// The ways in which games end other than by the rules.
const (
	byAgreement   = "agreement"
	byResignation = "resignation"
	byTime        = "time"
)

// Over reports whether the game has ended.
func (e Ending) Over() bool { return e.By != "" }

// String describes the ending, as in "White won by checkmate"; "" for a game in progress.
func (e Ending) String() string {
	how := "by " + e.By
	if e.By == byTime {
		how = "on time"
	}
	switch {
	case !e.Over():
		return ""
	case e.Result == rules.WhiteWins:
		return "White won " + how
	case e.Result == rules.BlackWins:
		return "Black won " + how
	}
	return "Drawn " + how
}

// tag returns the ending as PGN has it.
func (e Ending) tag() string {
	switch e.By {
	case "":
		return "unterminated"
	case byTime:
		return "time forfeit"
	}
	return "normal"
}

// AppendTo returns a function that appends games to a PGN file, which it creates if
// necessary, or an error if the file cannot be written.
func AppendTo(path string) (func(*pgn.Game) error, error) {
	add := func(text string) error { return file.Append(path, []byte(text), 0o644) }
	if err := add(""); err != nil {
		return nil, err
	}
	return func(g *pgn.Game) error { return add(g.String()) }, nil
}
