package web

import (
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Clock holds the clocks of a game, as the page's script expects it: milliseconds left at a
// time in Unix milliseconds.
type Clock struct {
	White   int64 `json:"white"`
	Black   int64 `json:"black"`
	At      int64 `json:"at"`
	Running bool  `json:"running"` // the clock of the side to move
}

// Evaluation is an evaluation from White's point of view, as the page's script expects it.
type Evaluation struct {
	Centipawns int    `json:"cp"`
	Mate       int    `json:"mate,omitempty"` // moves to mate, if it is not 0
	Depth      int    `json:"depth"`
	Nodes      uint64 `json:"nodes"`
	Searching  bool   `json:"searching"`
	Best       string `json:"best,omitempty"` // the best move in UCI notation
	Line       string `json:"line"`
	Steps      []Step `json:"steps,omitempty"` // of the best line, to step through
}

// EvaluationOf returns a recorded evaluation, nil if it is unknown.
func EvaluationOf(e pgn.Eval) *Evaluation {
	if !e.Known {
		return nil
	}
	return &Evaluation{Centipawns: e.Centipawns, Mate: e.Mate, Depth: e.Depth}
}

// Game is a game to step through, as the page's script expects it.
type Game struct {
	Start    string `json:"start"` // FEN
	FirstPly int    `json:"firstPly"`
	Steps    []Step `json:"steps"`

	Evaluation *Evaluation `json:"eval,omitempty"` // of the start position
}

// Step is a move and the position after it, as the page's script expects it.
type Step struct {
	SAN        string      `json:"san"`
	UCI        string      `json:"uci"`
	FEN        string      `json:"fen"`
	Check      bool        `json:"check,omitempty"`
	Clock      *int64      `json:"clock,omitempty"` // milliseconds left to the mover
	Evaluation *Evaluation `json:"eval,omitempty"`
	Glyph      string      `json:"glyph,omitempty"` // of an inaccuracy or worse
}

// View is a game as the viewer shows it.
type View struct {
	Game

	ID     string `json:"id"`
	Site   string `json:"site"` // URL of the game, "" for none
	White  Player `json:"white"`
	Black  Player `json:"black"`
	Us     string `json:"us"`     // the side at the bottom
	Result string `json:"result"` // in words, "" in progress

	// What an analysis has found, beside the evaluations and glyphs of the steps:
	Summary [][3]string `json:"summary,omitempty"` // what is compared, and White's and Black's
	By      string      `json:"by,omitempty"`      // who has made it
}

// Player is a player, as the page's script expects it.
type Player struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Rating string `json:"rating,omitempty"`
}

// NewGame returns a game without clocks and evaluations.
func NewGame(g *rules.Game) Game {
	return Game{Start: g.Start().FEN(), FirstPly: firstPly(g.Start()), Steps: steps(*g.Start(), g.Moves())}
}

// LineSteps returns the first moves of a line from a position.
func LineSteps(p *rules.Position, moves []rules.Move) []Step {
	return steps(*p, moves[:min(len(moves), maxLineMoves)])
}

// steps returns moves from a position, up to an illegal one; never nil.
func steps(at rules.Position, moves []rules.Move) []Step {
	steps := make([]Step, 0, len(moves))
	for _, m := range moves {
		if !at.IsLegal(m) {
			break
		}
		step := Step{SAN: at.SAN(m), UCI: at.UCI(m)}
		at = at.After(m)
		step.FEN, step.Check = at.FEN(), at.InCheck()
		steps = append(steps, step)
	}
	return steps
}

// firstPly returns the ply number of the first move of a game, 0 for a game from the start
// position.
func firstPly(start *rules.Position) int {
	return 2*(max(start.Fullmove(), 1)-1) + int(start.Turn())
}

// maxLineMoves is how many moves of a line are shown.
const maxLineMoves = 12
