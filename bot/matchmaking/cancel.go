package matchmaking

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// cancelAllTimeout bounds the cancels at shutdown.
const cancelAllTimeout = 3 * time.Second

// Run cancels overdue challenges until the context ends; then, and when the bot
// drains, all that are open.
func (o *Outgoing) Run(ctx context.Context) error {
	defer o.close()
	var lookups sync.WaitGroup
	lookups.Go(func() { o.followLookups(ctx) })
	draining := o.cfg.Draining
	next := o.cfg.Timing.Cancel.Start()
	for {
		id, wait := o.nextDue(time.Now())
		var due <-chan time.Time
		if id != "" {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			lookups.Wait()
			o.cancelAll(ctx)
			return ctx.Err()
		case <-draining:
			o.expireAll()
			draining = nil
		case <-o.changed:
		case <-due:
			if err := o.cancel(ctx, id); err != nil {
				o.postpone(id, next.After(err))
			} else {
				next.Reset()
			}
		}
	}
}

// nextDue returns the challenge to cancel next, "" if none is open.
func (o *Outgoing) nextDue(now time.Time) (id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for other, c := range o.open {
		if left := c.due.Sub(now); id == "" || left < wait {
			id, wait = other, left
		}
	}
	return id, wait
}

// postpone postpones a cancel that failed.
func (o *Outgoing) postpone(id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.open[id]; c != nil {
		c.due = time.Now().Add(wait)
	}
}

// expireAll makes all challenges due.
func (o *Outgoing) expireAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.open {
		c.due = time.Now()
	}
}

// cancel cancels a challenge, unless it has become a game, which a cancel would
// abort. It returns an error only if a retry may help.
func (o *Outgoing) cancel(ctx context.Context, id string) error {
	if o.cfg.Slots.IsLive(id) {
		o.resolve(id, answer{started: true})
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	o.recordCancel(id)
	err := o.cfg.Client.CancelChallenge(ctx, id)
	log := o.cfg.Log.With().Str("challenge", id).Logger()
	switch {
	case err == nil:
		log.Info().Msg("outgoing challenge not answered: cancelled")
		o.resolve(id, answer{reason: opponent.NoAnswer})
	case lichess.IsTemporary(err), ctx.Err() != nil:
		log.Warn().Err(err).Msg("outgoing challenge not cancelled")
		return err
	default:
		log.Debug().Err(err).Msg("outgoing challenge was answered")
		o.resolve(id, o.queryOutcome(ctx, id))
	}
	return nil
}

// recordCancel records that we are about to cancel a challenge: if it has just
// become a game, the game is aborted.
func (o *Outgoing) recordCancel(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.canceled, id) {
		o.canceled = append(o.canceled, id)
		o.canceled = slices.Delete(o.canceled, 0, max(0, len(o.canceled)-maxAnswered))
	}
}

// WasCanceled reports whether we sent a cancel for a challenge.
func (o *Outgoing) WasCanceled(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.canceled, id)
}

// cancelAll cancels all open challenges, whose games nobody would play.
func (o *Outgoing) cancelAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelAllTimeout)
	defer cancel()
	for ctx.Err() == nil {
		id, _ := o.nextDue(time.Now())
		if id == "" {
			return
		}
		if o.cancel(ctx, id) != nil { // which has logged why
			o.resolve(id, answer{reason: opponent.NoAnswer})
		}
	}
}

// close answers all followers, present and future.
func (o *Outgoing) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, c := range o.open {
		close(c.resolved)
		if c.answer != nil {
			c.answer <- answer{reason: opponent.NoAnswer}
		}
	}
	clear(o.open)
}
