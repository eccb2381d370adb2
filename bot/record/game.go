package record

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// Game is a finished game with all that its record says.
type Game struct {
	ID           string
	Site         string // where it was played: the game's address
	Rated        bool
	Created      time.Time
	White, Black Player
	RatingKnown  bool // the players' RatingDiff is known
	HasClock     bool
	Initial      time.Duration
	Increment    time.Duration
	Game         *rules.Game
	Notes        []Note // by ply; may be shorter than the game
	Status       string // Lichess's name of how it ended
	Winner       string // "white", "black", or "" for none
	Version      string // of the engine that played; "" if not known
	Network      string // that it judged positions with; "" if not known
	PostMortem   string // why we lost, in a line; "" if we did not
}

// statusUnknown is the status of a game whose end nobody has told us.
const statusUnknown = "unknownFinish"

// Player is one side of a game.
type Player struct {
	Name       string `json:"name"`
	Title      string `json:"title,omitempty"`
	Rating     int    `json:"rating"` // 0 if unknown
	RatingDiff int    `json:"-"`
}

// Note is what is known beyond a move itself.
type Note struct {
	Clock      time.Duration // left to the mover after the move
	HasClock   bool
	Evaluated  bool // we searched for this move; what follows is its worth
	Centipawns int  // White's view
	Mate       int  // moves to mate, negative when White is mated; 0 for none
	Depth      int
	Lag        time.Duration // our move's way to the server and back; 0 if not measured
}
