// Package search is the interface between the bot and an engine: what the bot requests
// of a search, and what it gets back.
package search

import (
	"context"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Engine finds moves. It is called concurrently, at most once per game, and shares
// processor and memory among the games. A search on the opponent's time counts as
// finished once its context is done.
type Engine interface {
	// Search returns a legal move even if ctx is already done. It fails only when there
	// is none. The game must not change during the search. report, if not nil, is called
	// as the search gets deeper. An error of type [*PanicError] may come with the best
	// move found before the panic.
	Search(ctx context.Context, g *rules.Game, l Limits, report func(Info)) (Result, error)
	// EndGame is called when a game is over or no longer followed, after its last search.
	// It frees the resources that the engine keeps for that game.
	EndGame(id string)
}

// Limits bound a search. Zero means no limit.
type Limits struct {
	Game               string        // its id, by which an engine knows what it keeps for it; "" for none
	White, Black       time.Duration // clocks now
	WhiteInc, BlackInc time.Duration
	Overhead           time.Duration // what a move loses on its way to the server
	MoveTime           time.Duration // at most this long, clocks or none
	Nodes              uint64
	// Moves are the moves to choose from; nil means all. Moves that have lost before are
	// left out.
	Moves []rules.Move
	// Fresh are those of Moves that do not repeat the latest games with the opponent. Books
	// choose from these where they can; nil means that Moves will do.
	Fresh []rules.Move
	// Ponder searches on the opponent's time until it is cancelled, without any
	// bound, and never at the cost of another game's move.
	Ponder bool
	// Contender is the contender whose settings to use; "" for the general ones.
	Contender string
	// FullStrength asks for the best move, whatever the level of play is set to.
	FullStrength bool
	// Plain asks for a search by the simplest means, because another search of this
	// position panicked.
	Plain bool
	// Sharpness is how much a mistake would cost in this position, from 0 to 100. Of
	// searches that are due at the same time, the sharpest comes first.
	Sharpness int
}

// Info is the progress of a search.
type Info struct {
	Depth int
	Score pgn.Score // for the side to move
	Nodes uint64
	NPS   uint64
	Time  time.Duration
	PV    []rules.Move
}

// Result is the result of a search.
type Result struct {
	Move     rules.Move
	Ponder   rules.Move // the expected reply, or NoMove
	Info     Info
	Fallback Fallback
}

// Fallback is the reason why our own search chose a move that an engine program should
// have chosen; it is empty if there is no such program, or if the move is the program's.
type Fallback string

// The reasons for a fallback.
const (
	Crashed     Fallback = "crashed"       // the program ended during the search
	Late        Fallback = "late"          // the program did not answer in time
	Illegal     Fallback = "illegal"       // the program made an illegal move, or wrote without end
	Starting    Fallback = "starting"      // the program has not been ready yet
	NotRunning  Fallback = "not_running"   // the program has failed, and is to be started again
	Busy        Fallback = "busy"          // all processes of the program search for other games
	ShortOfTime Fallback = "short_of_time" // too little time is left to ask the program
	Panicked    Fallback = "panicked"      // an earlier search of the position panicked
)

// Fallbacks returns the values that a result can have, besides the empty one.
func Fallbacks() []Fallback {
	return []Fallback{Crashed, Late, Illegal, Starting, NotRunning, Busy, ShortOfTime, Panicked}
}

// PanicError is the error of a recovered panic. An [Engine] returns it along with
// the best move found before the panic, if there is one.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
