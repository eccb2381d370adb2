package mover

import (
	"errors"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
)

// The time reserved for our own search if the program fails: a share of the clock, less
// the overhead of the move, and of the maximum time of a search, within bounds.
const (
	fallbackShare = 10
	minFallback   = 20 * time.Millisecond
	maxFallback   = time.Second
	minAsk        = 20 * time.Millisecond  // with less for the program it is not asked
	maxGrace      = 250 * time.Millisecond // for the answer to arrive; half of what is kept, at most
)

// split returns the limits of the program's search, and how long after their end its answer
// may arrive. ok is false if there is too little time.
func split(l engine.Limits, us rules.Color) (program engine.Limits, grace time.Duration, ok bool) {
	grace, ok = maxGrace, true
	keep := func(limit *time.Duration, lost time.Duration) {
		if *limit <= 0 {
			return // there is no limit
		}
		kept := min(max((*limit-lost)/fallbackShare, minFallback), maxFallback)
		*limit -= kept
		grace = min(grace, kept/2)
		ok = ok && *limit-lost >= minAsk
	}
	keep(l.Clock(us), l.Overhead)
	keep(&l.MoveTime, 0)
	return l, grace, ok
}

// fallbackFor returns the reason for a fallback after an error.
func fallbackFor(err error) event.Fallback {
	var reason noAnswer
	switch {
	case errors.As(err, &reason):
		return event.Fallback(reason)
	case errors.Is(err, external.ErrTimeout):
		return event.FallbackLate
	case errors.As(err, new(*external.IllegalMoveError)), errors.Is(err, external.ErrFlood):
		return event.FallbackIllegal
	}
	return event.FallbackCrashed
}

// fallbackHashMB is the most memory that our own search gets as a fallback.
const fallbackHashMB = 64

// ProgramSettings returns the settings of a program, given those of its engine: the threads
// that it shares with other programs, and all memory except the small table of the fallback.
func ProgramSettings(c *config.Config, e config.Engine) config.Engine {
	_, e.Threads = divide(EngineSettings(c), c.Contenders)
	e.HashMB -= min(max(e.HashMB/8, 1), fallbackHashMB)
	return e
}
