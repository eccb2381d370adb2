package rules

import (
	"fmt"
	"slices"
)

// Termination is the way a game ended by the rules alone.
type Termination uint8

// The ways a game ends by the rules.
const (
	Ongoing Termination = iota
	Checkmate
	Stalemate
	ThreefoldRepetition
	FivefoldRepetition
	TooLong // more than 600 plies
)

// maxPlies is the number of plies after which Lichess calls a game a draw.
const maxPlies = 600

// String returns the termination in words, such as "checkmate".
func (t Termination) String() string {
	return [...]string{
		"ongoing", "checkmate", "stalemate", "threefold repetition", "fivefold repetition", "more than 600 plies",
	}[t]
}

// Outcome is the state of a game by the rules.
type Outcome struct {
	Termination Termination
	Winner      Color // meaningful for Checkmate only
}

// Over reports whether the game has ended.
func (o Outcome) Over() bool { return o.Termination != Ongoing }

// Result returns the result of the game, [NoResult] if it has not ended.
func (o Outcome) Result() Result {
	switch o.Termination {
	case Ongoing:
		return NoResult
	case Checkmate:
		return WinOf(o.Winner)
	}
	return Draw
}

// RepetitionLimit is the number of occurrences of a position that ends a game.
type RepetitionLimit int

// Lichess ends a game on the fifth occurrence, and on the third when a BOT
// plays in it.
const (
	Threefold RepetitionLimit = 3
	Fivefold  RepetitionLimit = 5
)

// Outcome returns the state of the game, with the given repetition limit. Lichess
// has neither a fifty-move rule nor insufficient material in crazyhouse.
func (g *Game) Outcome(limit RepetitionLimit) Outcome {
	switch n := g.Repetitions(); {
	case g.position.IsCheckmate():
		return Outcome{Checkmate, g.position.turn.Other()}
	case g.position.IsStalemate():
		return Outcome{Termination: Stalemate}
	case n >= int(Fivefold):
		return Outcome{Termination: FivefoldRepetition}
	case n >= int(limit):
		return Outcome{Termination: ThreefoldRepetition}
	case g.Ply() > maxPlies:
		return Outcome{Termination: TooLong}
	}
	return Outcome{}
}

// Result is the result of a game.
type Result uint8

// The results of games. NoResult is that of a game that is in progress, was aborted,
// or whose end is unknown.
const (
	NoResult Result = iota
	WhiteWins
	BlackWins
	Draw
)

// results are the texts of the results, as in PGN.
var results = [...]string{NoResult: "*", WhiteWins: "1-0", BlackWins: "0-1", Draw: "1/2-1/2"}

// WinOf returns the result of a game that a side has won.
func WinOf(c Color) Result {
	if c == White {
		return WhiteWins
	}
	return BlackWins
}

// ParseResult parses "1-0", "0-1", "1/2-1/2" or "*", or a draw as others write it; ok is false
// for any other text.
func ParseResult(text string) (r Result, ok bool) {
	switch text {
	case "1/2", "½", "½-½":
		return Draw, true
	}
	i := slices.Index(results[:], text)
	return Result(max(i, 0)), i >= 0
}

// String returns "1-0", "0-1", "1/2-1/2" or "*".
func (r Result) String() string { return results[r] }

// MarshalText encodes the result as [Result.String] does.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText decodes what MarshalText encodes.
func (r *Result) UnmarshalText(text []byte) error {
	parsed, ok := ParseResult(string(text))
	if !ok {
		return fmt.Errorf("result %q: want 1-0, 0-1, 1/2-1/2 or *", text)
	}
	*r = parsed
	return nil
}

// For returns the result from a side's point of view: "win", "draw", "loss" or "none".
func (r Result) For(c Color) string {
	switch r {
	case NoResult:
		return "none"
	case Draw:
		return "draw"
	case WinOf(c):
		return "win"
	}
	return "loss"
}

// Points returns what a side scored: 1 for a win, 0.5 for a draw, 0 otherwise.
func (r Result) Points(c Color) float64 {
	switch r {
	case WinOf(c):
		return 1
	case Draw:
		return 0.5
	}
	return 0
}
