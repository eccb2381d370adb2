package engine

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// Limits says how long to search. Zero fields set no limit; of several limits
// the first that is reached ends the search. Without any, a search runs until
// its context is done.
type Limits struct {
	// The clocks as they stand when Search is called, with what each move
	// adds. They count when any of the four is set.
	White, Black       time.Duration
	WhiteInc, BlackInc time.Duration

	// MovesToGo is the number of moves until the clock is refilled.
	MovesToGo int

	// Overhead is the mean time that a move loses outside the engine, such as
	// its way to the server. It is kept off the clocks, not off MoveTime.
	Overhead time.Duration

	MoveTime time.Duration // at most this long

	// NodesTime counts so many nodes as one millisecond, in every limit of time
	// and in Info.Time, so that searches on a clock can be repeated whatever
	// else the machine does; on one thread only. 0 measures time itself.
	NodesTime uint64

	Depth int    // at most this many plies deep
	Nodes uint64 // at most this many nodes, on one thread only
	Mate  int    // until a mate in this many moves is found

	// Infinite searches until the context is done, even when nothing is left
	// to search, and takes no notice of the clocks.
	Infinite bool

	// Ponder is Infinite on threads that no other search wants. No more searches
	// ponder at once than there are threads; the others wait.
	Ponder bool

	// Sharpness says how much one mistake would cost in this position, from 0 to
	// 100. Of searches that must move at the same time, the sharpest gets threads
	// first.
	Sharpness int

	// SearchMoves restricts the search to these moves; empty means all.
	SearchMoves []rules.Move

	// MultiPV asks for the best lines that begin with different moves, so many
	// of them as there are; 0 and 1 ask for the best one.
	MultiPV int

	// Plain searches a position whose search panicked before: shallow, on one thread,
	// with the hand-written evaluation and an empty table.
	Plain bool

	Strength Strength // how well to play; the zero value is as well as it can
}

// hasClock reports whether the clocks count.
func (l *Limits) hasClock() bool {
	return l.White != 0 || l.Black != 0 || l.WhiteInc != 0 || l.BlackInc != 0
}

// Info tells how far a search has come.
type Info struct {
	Depth    int // plies searched in full
	SelDepth int // plies of the longest line
	Score    Score
	Nodes    uint64
	NPS      uint64 // nodes per second
	Time     time.Duration
	HashFull int // permille of the transposition table in use
	PV       []rules.Move
	MultiPV  int // rank of the line, from 1, when Limits.MultiPV asked for several
}

// Result is what a search found. Ponder is the expected reply, NoMove if there
// is none; Info is the last state of the search.
type Result struct {
	Move   rules.Move
	Ponder rules.Move
	Info   Info
}
