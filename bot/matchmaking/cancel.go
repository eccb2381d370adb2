package matchmaking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

const (
	requestTimeout = 15 * time.Second
	// lastCancelTimeout bounds a cancel at shutdown.
	lastCancelTimeout = 3 * time.Second
)

// OpenChallenge is one of our challenges that nobody has answered.
type OpenChallenge struct {
	ID       string    `json:"id"`
	User     string    `json:"user,omitempty"` // "" if unknown
	CancelAt time.Time `json:"cancel_at"`
}

// Canceled is a challenge that was to be cancelled.
type Canceled struct {
	ID, User string
	Started  bool // too late: it was accepted
}

// Open returns the outgoing challenges that nobody has answered, the first to be cancelled
// first.
func (c *Challenger) Open() []OpenChallenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []OpenChallenge{}
	for _, o := range c.known {
		if o.open {
			list = append(list, o.OpenChallenge)
		}
	}
	slices.SortFunc(list, func(a, b OpenChallenge) int {
		return cmp.Or(a.CancelAt.Compare(b.CancelAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Withdraw cancels all open challenges to a user, "" for anybody, and awaits their outcomes.
func (c *Challenger) Withdraw(ctx context.Context, user string) ([]Canceled, error) {
	list := []Canceled{}
	for _, o := range c.withdrawAll(user) {
		select {
		case <-o.done:
			list = append(list, Canceled{ID: o.ID, User: o.User, Started: o.started})
		case <-ctx.Done():
			return list, fmt.Errorf("not all challenges cancelled: %w", ctx.Err())
		}
	}
	return list, nil
}

// withdrawAll marks all open challenges to a user for the operator, and returns them.
func (c *Challenger) withdrawAll(user string) (open []*outgoing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.known { // at once, or one may be cancelled before it is marked
		if o.open && (user == "" || strings.EqualFold(o.User, user)) {
			o.cancelReason = withdrawn
			o.cancelAt(time.Now())
			open = append(open, o)
		}
	}
	return open
}

// awaitOutcome cancels a challenge when it is due, when the bot drains, or when the context
// ends, and returns once its outcome is known.
func (c *Challenger) awaitOutcome(ctx context.Context, o *outgoing) {
	draining, retries := c.cfg.Games.Draining(), c.cfg.Timing.Cancel.Start()
	for {
		select {
		case <-o.done:
			return
		case <-o.moved:
		case <-draining:
			draining = nil
			c.moveDue(o, 0)
		case <-time.After(min(c.untilDue(o), wantedInterval)):
			if c.cancelEarly(o, c.whyUnwanted(o.User)); c.untilDue(o) > 0 {
				continue
			}
			err := c.cancel(ctx, o.ID)
			if err == nil {
				return
			}
			c.moveDue(o, retries.After(err))
		case <-ctx.Done(): // nobody would play its game
			select {
			case <-o.done:
				return
			default:
			}
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastCancelTimeout)
			defer stop()
			if c.cancel(ctx, o.ID) != nil { // which has logged why
				c.close(o.ID, outcome{reason: opponent.NoAnswer})
			}
			return
		}
	}
}

// wantedInterval is how often an open challenge is checked for being still wanted.
const wantedInterval = time.Second

// whyUnwanted returns why no challenge of the plan to a user is wanted now, "" if one is: a person
// may need its slot.
func (c *Challenger) whyUnwanted(user string) string {
	switch {
	case c.cfg.HumanWaits():
		return yielded
	case !c.cfg.Settings().Enabled:
		return turnedOff
	case c.cfg.Blocks(&lichess.Player{ID: strings.ToLower(user), Name: user}):
		return withdrawn
	}
	return ""
}

// cancelEarly makes a challenge of the plan due for a reason, "" for none.
func (c *Challenger) cancelEarly(o *outgoing, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reason != "" && o.open && o.planned && o.cancelReason == "" {
		o.cancelReason, o.CancelAt = reason, time.Now()
	}
}

func (c *Challenger) untilDue(o *outgoing) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(o.CancelAt)
}

func (c *Challenger) moveDue(o *outgoing, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.CancelAt = time.Now().Add(wait)
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
		return outcome{started: err == nil && games.Find(id) != nil, reason: opponent.NoAnswer}
	case shown.Status == "declined":
		return outcome{reason: reasonOf(shown)}
	}
	return outcome{started: shown.Status == "accepted", reason: opponent.NoAnswer}
}
