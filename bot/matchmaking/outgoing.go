package matchmaking

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// outgoing is a challenge of ours. All fields are guarded by the lock of its Challenger.
// Once done is closed, all but canceled and CancelAt stay as they are and can be read without
// it.
type outgoing struct {
	OpenChallenge
	open         bool          // it has no outcome yet
	planned      bool          // by the plan, not the operator
	cancelReason string        // why we cancel it early; "" if we do not
	canceled     bool          // we have sent a cancel for it: if it has just become a game, that is aborted
	moved        chan struct{} // capacity 1: CancelAt is another time
	done         chan struct{} // closed when the outcome is known
	outcome
}

// cancelAt changes when to cancel the challenge. The caller holds the lock.
func (o *outgoing) cancelAt(at time.Time) {
	o.CancelAt = at
	event.Wake(o.moved)
}

// outcome is how an outgoing challenge ended.
type outcome struct {
	started bool
	reason  string // why not: Lichess's key in lower case, one of package opponent's, or one of those below
}

// Reasons why a challenge of ours ended through ourselves.
const (
	withdrawn = "cancelled by the operator"
	yielded   = "taken back for a person who waits"
	turnedOff = "matchmaking is off"
	replaced  = "replaced by our next challenge"
)

// isOurs reports whether a challenge ended through ourselves.
func (a outcome) isOurs() bool {
	return slices.Contains([]string{withdrawn, yielded, turnedOff, replaced}, a.reason)
}

// maxKnown is the number of challenges from which on closed ones are forgotten.
const maxKnown = 64

// find returns a challenge, open or closed, nil if it is unknown. The caller holds the
// lock.
func (c *Challenger) find(id string) *outgoing {
	if i := slices.IndexFunc(c.known, func(o *outgoing) bool { return o.ID == id }); i >= 0 {
		return c.known[i]
	}
	return nil
}

// add adds a challenge, which is closed. The caller holds the lock.
func (c *Challenger) add(id, user string) *outgoing {
	o := &outgoing{
		OpenChallenge: OpenChallenge{ID: id, User: user}, moved: make(chan struct{}, 1), done: make(chan struct{}),
	}
	c.known = append(c.known, o)
	return o
}

// handleShown handles an outgoing challenge that the server has shown, and passes its id
// to the sender that expects it. A challenge that no sender expects is cancelled after
// wait. One without a clock does not expire, and is ignored.
func (c *Challenger) handleShown(ctx context.Context, challenge *lichess.Challenge, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.find(challenge.ID) != nil
	i := slices.IndexFunc(c.sending, func(s *sending) bool { return s.isTo(challenge) })
	if i >= 0 && !known { // it is the one
		c.sending[i].id <- challenge.ID
		c.sending = slices.Delete(c.sending, i, i+1)
		wait = c.cfg.Timing.AnswerTimeout
	}
	if !known && challenge.TimeControl.Type == lichess.ClockControl && !c.cfg.Games.HasBegun(challenge.ID) {
		name := ""
		if challenge.DestUser != nil {
			name = challenge.DestUser.Name
		}
		c.track(ctx, challenge.ID, name, wait)
	}
}

// track adds an open challenge that is cancelled after a duration. The caller holds the
// lock.
func (c *Challenger) track(ctx context.Context, id, opponentName string, wait time.Duration) *outgoing {
	o := c.add(id, opponentName)
	o.open, o.CancelAt = true, c.deadline(wait)
	c.cfg.Games.Go(func() { c.awaitOutcome(ctx, o) })
	return o
}

// deadline returns when to cancel a challenge that may wait for a duration: at once
// while the bot drains.
func (c *Challenger) deadline(wait time.Duration) time.Time {
	if c.cfg.Games.IsDraining() {
		wait = 0
	}
	return time.Now().Add(wait)
}

// follow returns a challenge that was sent, and cancels it when it has waited for as long
// as its sender wants. The others to the same user are closed: Lichess has cancelled them,
// without an event.
func (c *Challenger) follow(ctx context.Context, id string, r *outgoingRequest) *outgoing {
	wait := r.wait
	if !c.isWanted(r) {
		wait = 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range slices.Clone(c.known) {
		if o.open && o.ID != id && strings.EqualFold(o.User, r.user) {
			c.end(o, outcome{reason: replaced})
		}
	}
	o := c.find(id)
	if o == nil {
		o = c.track(ctx, id, r.user, wait)
	}
	if !o.open {
		return o // whoever awaits it may read it without the lock
	}
	o.planned = r.sender == event.Matchmaking
	if o.User = r.user; o.cancelReason == "" {
		o.cancelAt(c.deadline(wait))
	}
	return o
}

// close records the outcome of a challenge, incoming or outgoing, unless it has one. It
// remembers that of an unknown challenge, which may be one that is being sent.
func (c *Challenger) close(id string, a outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.find(id)
	if o == nil {
		o = c.add(id, "")
	} else if !o.open {
		return
	}
	c.end(o, a)
}

// end ends a challenge that is not closed. The caller holds the lock.
func (c *Challenger) end(o *outgoing, a outcome) {
	if o.cancelReason != "" && a.reason == opponent.NoAnswer {
		a.reason = o.cancelReason
	}
	o.open, o.outcome = false, a
	close(o.done)
	if len(c.known) > maxKnown {
		i := slices.IndexFunc(c.known, func(o *outgoing) bool { return !o.open })
		c.known = slices.Delete(c.known, i, i+1)
	}
}

// reasonOf returns the reason of a decline.
func reasonOf(c *lichess.Challenge) string {
	return strings.ToLower(cmp.Or(c.DeclineReasonKey, string(lichess.DeclineGeneric)))
}
