package bot

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// A game that cannot be followed may still be in progress, with our clock running.
// So when one is abandoned, the list of games is read at once and again with growing
// pauses, and resumes the game if it is listed.

// recheckAbandoned requests the list of games after games were abandoned.
func (b *Bot) recheckAbandoned(ctx context.Context) error {
	// A game that is abandoned repeatedly must not cause constant requests.
	atOnce := rate.NewLimiter(rate.Every(b.timing.abandonedRecheck.Max), 10)
	var wait time.Duration // until the next check; 0 for none
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
				wait = b.timing.abandonedRecheck.Initial
			}
		case <-due:
			b.requestSync()
			if wait *= 2; wait > b.timing.abandonedRecheck.Max {
				wait = 0
			}
		}
	}
}
