package rules

import "fmt"

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

// ParseResult parses "1-0", "0-1", "1/2-1/2" or "*"; ok is false for any other text.
func ParseResult(text string) (r Result, ok bool) {
	for r, name := range results {
		if text == name {
			return Result(r), true
		}
	}
	return NoResult, false
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
