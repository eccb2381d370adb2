package match

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// Contestant is one of the two engines of a match.
type Contestant int

// The contestants. Results are those of Engine.
const (
	Engine Contestant = iota
	Opponent
)

// Other returns the other contestant.
func (c Contestant) Other() Contestant { return 1 - c }

// String returns "engine" or "opponent".
func (c Contestant) String() string { return [...]string{"engine", "opponent"}[c&1] }

// MarshalText encodes the contestant as [Contestant.String] does.
func (c Contestant) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText decodes what MarshalText returns.
func (c *Contestant) UnmarshalText(text []byte) error {
	for _, contestant := range []Contestant{Engine, Opponent} {
		if string(text) == contestant.String() {
			*c = contestant
			return nil
		}
	}
	return fmt.Errorf("contestant %q: want engine or opponent", text)
}

// Ending is how a game ended: by the rules, such as "checkmate", or in one of the
// following ways.
type Ending string

// Endings by a fault of an engine, which loses the game.
const (
	TimeForfeit Ending = "time forfeit"
	IllegalMove Ending = "illegal move"
	Crash       Ending = "crash"
	Hang        Ending = "hang"
	FalseClaim  Ending = "false claim" // it claimed the end of the game instead of a move
	Resignation Ending = "resignation"
)

// faults are those that no engine should have.
var faults = []Ending{TimeForfeit, IllegalMove, Crash, Hang, FalseClaim}

// Endings by [Adjudication].
const (
	WinAdjudicated  Ending = "win adjudicated"
	DrawAdjudicated Ending = "draw adjudicated"
	TooManyPlies    Ending = "too many plies"
)

// Game is the record of a finished game.
type Game struct {
	Number int          `json:"number"` // games 2n and 2n+1 are pair n
	White  Contestant   `json:"white"`
	Names  [2]string    `json:"names"` // as the engines report them, by contestant
	Result rules.Result `json:"result"`
	Ending Ending       `json:"ending"`
	Detail string       `json:"detail,omitempty"` // what went wrong
	Moves  string       `json:"moves"`            // with the opening, in UCI notation
	Usage  [2]Usage     `json:"usage"`            // by contestant
}

// check returns an error for an inconsistent record, or one of another shard.
func (g *Game) check(s Shard) error {
	switch {
	case g.Number < 0 || g.White != Contestant(g.Number%2):
		return fmt.Errorf("game %d with White for the %s does not exist", g.Number, g.White)
	case !s.Has(g.Number / 2):
		return fmt.Errorf("game %d is not of shard %s", g.Number, s)
	case g.Result == rules.NoResult:
		return fmt.Errorf("game %d has no result", g.Number)
	}
	return nil
}

// contestant returns who plays a colour.
func (g *Game) contestant(c rules.Color) Contestant {
	if c == rules.White {
		return g.White
	}
	return g.White.Other()
}

// colorOf returns the colour of a contestant.
func (g *Game) colorOf(s Contestant) rules.Color {
	if s == g.White {
		return rules.White
	}
	return rules.Black
}

// Points returns the points of the engine: 0, ½ or 1.
func (g *Game) Points() float64 { return g.Result.Points(g.colorOf(Engine)) }

// halfPoints returns twice the points of a contestant: 0, 1 or 2.
func (g *Game) halfPoints(s Contestant) int { return int(2 * g.Result.Points(g.colorOf(s))) }

// loser returns who lost; it is undefined for a draw.
func (g *Game) loser() Contestant {
	if g.halfPoints(Engine) == 0 {
		return Engine
	}
	return Opponent
}

// setLoss ends the game with a loss of a contestant.
func (g *Game) setLoss(s Contestant, e Ending, detail string) {
	g.Ending, g.Detail, g.Result = e, detail, rules.WinOf(g.colorOf(s.Other()))
}

// Usage is what an engine used for its moves.
type Usage struct {
	Moves        int           `json:"moves"`
	Nodes        uint64        `json:"nodes"`
	Time         time.Duration `json:"time"`
	Left         time.Duration `json:"left,omitempty"` // on the clock at the end
	Depths       int           `json:"depths"`         // sum of the depths of its searches
	DepthSamples int           `json:"deep"`           // searches that reported a depth
}

func (u *Usage) add(v Usage) {
	u.Moves += v.Moves
	u.Nodes += v.Nodes
	u.Time += v.Time
	u.Left += v.Left
	u.Depths += v.Depths
	u.DepthSamples += v.DepthSamples
}
