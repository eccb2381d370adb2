package match

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Contestant is one of the two engines of a match.
type Contestant int

// The seats. Results are told from the view of Engine.
const (
	Engine Contestant = iota
	Opponent
)

// Other returns the other seat.
func (s Contestant) Other() Contestant { return 1 - s }

// String returns "engine" or "opponent".
func (s Contestant) String() string { return [...]string{"engine", "opponent"}[s&1] }

// MarshalText writes the seat as String does.
func (s Contestant) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Contestant) UnmarshalText(text []byte) error {
	for _, seat := range []Contestant{Engine, Opponent} {
		if string(text) == seat.String() {
			*s = seat
			return nil
		}
	}
	return fmt.Errorf("seat %q: want engine or opponent", text)
}

// Ending says how a game ended: in a way of the rules, such as "checkmate", or
// in one of these.
type Ending string

// Endings by what an engine did or failed to do. It loses the game.
const (
	TimeForfeit Ending = "time forfeit"
	IllegalMove Ending = "illegal move"
	Crash       Ending = "crash"
	Hang        Ending = "hang"
	FalseClaim  Ending = "false claim" // it said that the game was over, and did not move
	Resignation Ending = "resignation"
)

// Endings by [Adjudication].
const (
	WinAdjudicated Ending = "win adjudicated"
	TooManyPlies   Ending = "too many plies"
)

// Game is a finished game.
type Game struct {
	Number int          `json:"number"` // games 2n and 2n+1 are pair n
	White  Contestant   `json:"white"`
	Names  [2]string    `json:"names"` // what the engines call themselves, by seat
	Result rules.Result `json:"result"`
	Ending Ending       `json:"ending"`
	Detail string       `json:"detail,omitempty"` // what went wrong
	Moves  string       `json:"moves"`            // with the opening, in UCI notation
	Usage  [2]Usage     `json:"usage"`            // by seat
}

// check refuses a record that is damaged.
func (g *Game) check() error {
	switch {
	case g.Number < 0 || g.White != Contestant(g.Number%2):
		return fmt.Errorf("game %d with White for the %s does not exist", g.Number, g.White)
	case g.Result == rules.NoResult:
		return fmt.Errorf("game %d has no result", g.Number)
	}
	return nil
}

// Pair returns the number of the pair that the game belongs to.
func (g *Game) Pair() int { return g.Number / 2 }

// contestant returns who plays a colour.
func (g *Game) contestant(c rules.Color) Contestant {
	if c == rules.White {
		return g.White
	}
	return g.White.Other()
}

// colorOf returns the colour that a seat plays.
func (g *Game) colorOf(s Contestant) rules.Color {
	if s == g.White {
		return rules.White
	}
	return rules.Black
}

// HalfPoints returns what a seat made of the game: 0, 1 or 2.
func (g *Game) HalfPoints(s Contestant) int { return int(2 * g.Result.Points(g.colorOf(s))) }

// loser returns who has lost; in a drawn game that means nothing.
func (g *Game) loser() Contestant {
	if g.HalfPoints(Engine) == 0 {
		return Engine
	}
	return Opponent
}

// setLoss ends the game with a loss for a seat.
func (g *Game) setLoss(s Contestant, e Ending, detail string) {
	g.Ending, g.Detail, g.Result = e, detail, rules.WinOf(g.colorOf(s.Other()))
}

// Usage is what an engine spent on its moves.
type Usage struct {
	Moves        int           `json:"moves"`
	Nodes        uint64        `json:"nodes"`
	Time         time.Duration `json:"time"`
	Left         time.Duration `json:"left,omitempty"` // on the clock at the end
	Depths       int           `json:"depths"`         // the depths of its searches, added up
	DepthSamples int           `json:"deep"`           // searches that told a depth
}

func (u *Usage) addMove(i engine.Info) {
	u.Moves++
	u.Nodes += i.Nodes
	u.Time += i.Time
	if i.Depth > 0 {
		u.Depths += i.Depth
		u.DepthSamples++
	}
}

func (u *Usage) add(v Usage) {
	u.Moves += v.Moves
	u.Nodes += v.Nodes
	u.Time += v.Time
	u.Left += v.Left
	u.Depths += v.Depths
	u.DepthSamples += v.DepthSamples
}

// NPS returns the nodes searched per second.
func (u Usage) NPS() uint64 {
	if u.Time <= 0 {
		return 0
	}
	return uint64(float64(u.Nodes) / u.Time.Seconds())
}

// MoveTime returns the average time for a move.
func (u Usage) MoveTime() time.Duration { return u.Time / time.Duration(max(u.Moves, 1)) }

// Depth returns the average depth.
func (u Usage) Depth() float64 { return float64(u.Depths) / float64(max(u.DepthSamples, 1)) }
