// Package pgn reads and writes crazyhouse games in Portable Game Notation.
//
// A [Reader] reads games one by one from files of any size and continues after
// an invalid one. [Headers] reads only the tags and counts the moves, which takes
// about a second for 100,000 games. [Game.WriteTo] writes as Lichess does: all moves on
// one line, with clocks and evaluations as comments.
package pgn

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// Game is a game with its tags in file order.
type Game struct {
	Tags    []Tag
	Start   rules.Position
	Comment string // before the first move
	Moves   []Move
	Result  rules.Result

	Variations int          // that were skipped
	Warnings   []*GameError // what could not be read; an unreadable move ends the moves
}

// Tag is a pair such as [White "zhbot"].
type Tag struct {
	Name, Value string
}

// Move is a move with its annotations.
type Move struct {
	Move     rules.Move
	Clock    time.Duration // [%clk]: time left to the mover
	HasClock bool
	Eval     Eval
	NAG      NAG    // the quality of the move, from $1 to $6
	Symbols  []NAG  // all others
	Comment  string // the rest of the comments
}

// NAG is a Numeric Annotation Glyph, written $4 in movetext; 0 is none.
type NAG uint8

// Some NAGs for the quality of a move.
const (
	Mistake    NAG = 2
	Blunder    NAG = 4
	Inaccuracy NAG = 6
)

// qualities are the glyphs of the NAGs for the quality of a move.
var qualities = []string{1: "!", "?", "!!", "??", "!?", "?!"}

// Eval is an evaluation from White's point of view, as [%eval] writes it.
type Eval struct {
	Known bool
	Score
	Depth int // 0 if not given
}

// Score is what an engine thinks of a position, from one side's point of view:
// centipawns or, if Mate is not 0, moves to mate, negative when that side is mated.
type Score struct {
	Centipawns int
	Mate       int
}

// For converts a score between White's point of view and a side's.
func (s Score) For(c rules.Color) Score {
	if c == rules.Black {
		return Score{-s.Centipawns, -s.Mate}
	}
	return s
}

// Tag returns the value of a tag, "" if there is none.
func (g *Game) Tag(name string) string { return tagValue(g.Tags, name) }

// SetTag sets the value of a tag, which is added if it is missing.
func (g *Game) SetTag(name, value string) {
	for i := range g.Tags {
		if g.Tags[i].Name == name {
			g.Tags[i].Value = value
			return
		}
	}
	g.Tags = append(g.Tags, Tag{name, value})
}

func tagValue(tags []Tag, name string) string {
	for _, t := range tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}
