package bot

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// A game that cannot be followed may still run, and our clock with it. So when one
// is given up, the list of games is read at once and again with growing pauses, and
// names it if it does.

// recheckAbandoned asks for the list of games after games were given up.
func (b *Bot) recheckAbandoned(ctx context.Context) error {
	// A game that is given up each time must not have the list read all the time.
	atOnce := rate.NewLimiter(rate.Every(b.timing.abandonedRecheck.max), 10)
	var wait time.Duration // to the next look; 0 if there is none to come
	for {
		var due <-chan time.Time
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.abandoned:
			if atOnce.Allow() {
				b.requestSync()
			}
			if wait == 0 {
				wait = b.timing.abandonedRecheck.initial
			}
		case <-due:
			b.requestSync()
			if wait *= 2; wait > b.timing.abandonedRecheck.max {
				wait = 0
			}
		}
	}
}
