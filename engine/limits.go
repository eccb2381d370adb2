package engine

import (
	"time"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// Limits limit a search and say how to search. Zero fields set no limit; the first limit
// that is reached ends the search. Without any, a search runs until its context is done.
type Limits struct {
	// White and Black are the clocks when Search is called, with the increments per move.
	// They count if any of the four is set.
	White, Black       time.Duration
	WhiteInc, BlackInc time.Duration

	// MovesToGo is the number of moves until the clock is refilled; 0 means never.
	MovesToGo int

	// Overhead is the mean time that a move loses outside the engine, such as network
	// latency. It is subtracted from the clocks, not from MoveTime.
	Overhead time.Duration

	MoveTime time.Duration // maximum time

	// NodesTime is how many nodes count as one millisecond, in all time limits and in
	// Info.Time, so that a search on a clock is repeatable. It requires a single thread. 0
	// means real time.
	NodesTime uint64

	Depth int    // maximum depth in plies
	Nodes uint64 // maximum nodes, on a single thread
	Mate  int    // stop at a mate in at most this many moves

	// Infinite ignores the clocks and searches until the context is done, even if nothing
	// is left to search.
	Infinite bool

	// Ponder is like Infinite, on threads that no other search needs. At most as many
	// searches ponder at a time as there are threads; the others wait.
	Ponder bool

	// Background searches on threads that no other search needs, within all other limits.
	Background bool

	// SearchMoves restricts the search to these root moves; empty means all.
	SearchMoves []rules.Move

	// MultiPV is the number of best lines to search, each with a different first move; 0
	// and 1 mean only the best.
	MultiPV int

	// Bounds also reports the scores that are only known to be bounds, once a search has taken
	// three seconds.
	Bounds bool

	// Plain is for a position whose search panicked: a shallow search on one thread, with
	// the embedded network and an empty table.
	Plain bool

	Strength human.Strength // how well to play; the zero value is full strength
}

// Clock returns the clock of a colour.
func (l *Limits) Clock(c rules.Color) *time.Duration {
	if c == rules.White {
		return &l.White
	}
	return &l.Black
}

// hasClock reports whether a clock is set.
func (l *Limits) hasClock() bool {
	return l.White != 0 || l.Black != 0 || l.WhiteInc != 0 || l.BlackInc != 0
}

// Info is the state of a search.
type Info struct {
	Depth    int // plies searched completely
	SelDepth int // plies of the longest line searched
	Score    Score
	Bound    string // "lowerbound" or "upperbound" if Score is one, as in UCI; else ""
	Nodes    uint64
	NPS      uint64 // nodes per second
	Time     time.Duration
	HashFull int // permille of the transposition table in use
	PV       []rules.Move
	MultiPV  int // rank of the line from 1, or 0 if Limits.MultiPV is at most 1
}

// Result is the result of a search.
type Result struct {
	Move   rules.Move
	Ponder rules.Move // the expected reply, or NoMove
	Info   Info       // the final state of the search
	Lines  []Info     // that of each line, if Limits.MultiPV is more than 1
}
