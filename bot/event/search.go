package event

import (
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// SearchInfo is the progress of a search.
type SearchInfo struct {
	Depth int
	Score pgn.Score // for the side to move
	Nodes uint64
	NPS   uint64
	Time  time.Duration
	PV    []rules.Move
}

// Fallback is the reason why our own search chose a move that an engine program should
// have chosen; it is empty if there is no such program, or if the move is the program's.
type Fallback string

// The reasons for a fallback.
const (
	FallbackCrashed     Fallback = "crashed"       // the program ended during the search
	FallbackLate        Fallback = "late"          // the program did not answer in time
	FallbackIllegal     Fallback = "illegal"       // the program made an illegal move, or wrote without end
	FallbackStarting    Fallback = "starting"      // the program has not been ready yet
	FallbackNotRunning  Fallback = "not_running"   // the program has failed, and is to be started again
	FallbackBusy        Fallback = "busy"          // all processes of the program search for other games
	FallbackShortOfTime Fallback = "short_of_time" // too little time is left to ask the program
	FallbackPanicked    Fallback = "panicked"      // an earlier search of the position panicked
)

// Fallbacks returns the values that a result can have, besides the empty one.
func Fallbacks() []Fallback {
	return []Fallback{FallbackCrashed, FallbackLate, FallbackIllegal, FallbackStarting, FallbackNotRunning, FallbackBusy, FallbackShortOfTime, FallbackPanicked}
}
