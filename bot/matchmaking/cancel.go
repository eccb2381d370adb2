package matchmaking

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/lichess"
)

const (
	requestTimeout = 15 * time.Second
	// cancelAllTimeout bounds the cancels at shutdown.
	cancelAllTimeout = 3 * time.Second
)

// Open returns the outgoing challenges that nobody has answered, the first to be cancelled
// first.
func (c *Challenger) Open() []control.OpenChallenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]control.OpenChallenge, 0, len(c.open))
	for _, o := range c.open {
		list = append(list, o.OpenChallenge)
	}
	slices.SortFunc(list, func(a, b control.OpenChallenge) int {
		return cmp.Or(a.CancelAt.Compare(b.CancelAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Withdraw has all open challenges cancelled, and waits until they are.
func (c *Challenger) Withdraw(ctx context.Context) ([]control.Canceled, error) {
	list := []control.Canceled{}
	for _, o := range c.withdrawAll() {
		select {
		case <-o.done:
		case <-c.ended:
		case <-ctx.Done():
			return list, fmt.Errorf("not all challenges cancelled: %w", ctx.Err())
		}
		outcome := c.outcomeOf(o) // from here on nobody changes it
		list = append(list, control.Canceled{ID: o.ID, User: o.User, Started: outcome.started})
	}
	return list, nil
}

// withdrawAll marks all open challenges for the operator, and returns them by id.
func (c *Challenger) withdrawAll() []*outgoing {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open { // at once, or one may be cancelled before it is marked
		o.withdrawn, o.CancelAt = true, time.Now()
	}
	event.Wake(c.openChanged)
	return slices.SortedFunc(maps.Values(c.open), func(a, b *outgoing) int { return cmp.Compare(a.ID, b.ID) })
}

// expireAll makes all challenges due.
func (c *Challenger) expireAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open {
		o.CancelAt = time.Now()
	}
}

// nextDue returns the challenge to cancel next and how long to wait, "" if none is open.
func (c *Challenger) nextDue() (id string, wait time.Duration) {
	if open := c.Open(); len(open) > 0 {
		return open[0].ID, time.Until(open[0].CancelAt)
	}
	return "", 0
}

// postpone postpones a cancel that failed.
func (c *Challenger) postpone(id string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.open[id]; o != nil {
		o.CancelAt = time.Now().Add(wait)
	}
}

// cancel cancels a challenge, unless it has become a game, which a cancel would
// abort. It returns an error only if a retry may help.
func (c *Challenger) cancel(ctx context.Context, id string) error {
	if c.cfg.Games.HasBegun(id) {
		c.close(id, outcome{started: true})
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, requestTimeout)
	defer stop()
	c.recordCancel(id)
	err := c.cfg.Client.CancelChallenge(ctx, id)
	log := c.cfg.Log.With().Str("challenge", id).Logger()
	switch {
	case err == nil:
		log.Info().Msg("outgoing challenge not answered: cancelled")
		c.close(id, outcome{reason: opponent.NoAnswer})
	case lichess.IsTemporary(err), ctx.Err() != nil:
		log.Warn().Err(err).Msg("outgoing challenge not cancelled")
		return err
	default:
		log.Debug().Err(err).Msg("outgoing challenge was answered")
		c.close(id, c.queryOutcome(ctx, id))
	}
	return nil
}

// recordCancel records that we are about to cancel a challenge.
func (c *Challenger) recordCancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.find(id); o != nil {
		o.canceled = true
	}
}

// WasCanceled reports whether we sent a cancel for a challenge: if it had just become a
// game, the game is aborted.
func (c *Challenger) WasCanceled(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.find(id)
	return o != nil && o.canceled
}

// queryOutcome asks the server for the outcome of a challenge that could not be
// cancelled. Where the server does not show it, or the token lacks the scope
// challenge:read, the list of games in progress shows whether it was accepted.
func (c *Challenger) queryOutcome(ctx context.Context, id string) outcome {
	shown, err := c.cfg.Client.ShowChallenge(ctx, id)
	switch {
	case err != nil:
		games, err := c.cfg.Client.Playing(ctx)
		started := err == nil && slices.ContainsFunc(games, func(g lichess.Game) bool { return g.ID == id })
		return outcome{started: started, reason: opponent.NoAnswer}
	case shown.Status == "declined":
		return outcome{reason: reasonOf(shown)}
	}
	return outcome{started: shown.Status == "accepted", reason: opponent.NoAnswer}
}

// cancelAll cancels all open challenges, whose games nobody would play.
func (c *Challenger) cancelAll(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelAllTimeout)
	defer stop()
	for ctx.Err() == nil {
		id, _ := c.nextDue()
		if id == "" {
			return
		}
		if c.cancel(ctx, id) != nil { // which has logged why
			c.close(id, outcome{reason: opponent.NoAnswer})
		}
	}
}
