package event

import (
	"time"

	"github.com/rs/zerolog"
)

// InvalidLines logs the invalid lines of a connection: one a minute, with the number of
// those left out before it. It belongs to one goroutine.
type InvalidLines struct {
	Log     zerolog.Logger
	Message string

	logged  time.Time // when one was, last
	leftOut int
}

// Add logs a line, or leaves it out.
func (l *InvalidLines) Add(err error) {
	if time.Since(l.logged) < time.Minute {
		l.leftOut++
		return
	}
	l.logged = time.Now()
	l.report(l.Log.Warn().Err(err))
}

// Close logs how many lines were left out.
func (l *InvalidLines) Close() {
	if l.leftOut > 0 {
		l.report(l.Log.Warn())
	}
}

func (l *InvalidLines) report(e *zerolog.Event) {
	e.Int("left_out", l.leftOut).Msg(l.Message)
	l.leftOut = 0
}
