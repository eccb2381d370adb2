// Package pgn reads and writes crazyhouse games in Portable Game Notation.
//
// A [Reader] takes games one by one from files of any size, a bad game does
// not hide the next one. [Outlines] only counts their moves, but reads an
// archive of 100,000 games in seconds. [Game.WriteTo] writes as Lichess does: all moves on a
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
	NAG      NAG
	Comment  string // the rest of the comments
}

// NAG judges a move, as $4 does in the text; 0 is no judgement.
type NAG uint8

// Some of the glyphs that PGN numbers.
const (
	GoodMove   NAG = 1 // !
	Mistake    NAG = 2 // ?
	Brilliant  NAG = 3 // !!
	Blunder    NAG = 4 // ??
	Inaccuracy NAG = 6 // ?!
)

// Eval is an evaluation in White's view, as [%eval] writes it.
type Eval struct {
	Known      bool
	Centipawns int
	Mate       int // moves to mate, negative when White is mated; 0 for none
	Depth      int // 0 if not said
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
