// Package pgn reads and writes crazyhouse games in Portable Game Notation.
//
// A [Reader] takes games one by one from files of any size, a bad game does
// not hide the next one. [Game.WriteTo] writes as Lichess does: all moves on a
// line, with clocks and evaluations as comments.
package pgn

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// Game is a game with its tags, in the order they stand.
type Game struct {
	Tags   []Tag
	Start  rules.Position
	Moves  []Move
	Result string // "1-0", "0-1", "1/2-1/2" or "*"
}

// Tag is a pair such as [White "zhbot"].
type Tag struct {
	Name, Value string
}

// Move is a move with what is noted on it.
type Move struct {
	Move     rules.Move
	Clock    time.Duration // [%clk]: time left to the mover
	HasClock bool
	Eval     Eval
	Comment  string // the rest of the comments
}

// Eval is an evaluation in White's view, as [%eval] writes it.
type Eval struct {
	Known      bool
	Centipawns int
	Mate       int // moves to mate, negative when White is mated; 0 for none
	Depth      int // 0 if not said
}

// Tag returns the value of a tag, "" if there is none.
func (g *Game) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// Results of games as PGN writes them.
const (
	WhiteWins = "1-0"
	BlackWins = "0-1"
	Draw      = "1/2-1/2"
	Unknown   = "*"
)

func isResult(s string) bool {
	return s == WhiteWins || s == BlackWins || s == Draw || s == Unknown
}
