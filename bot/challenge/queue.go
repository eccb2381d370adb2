package challenge

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// maxQueued bounds the queued challenges, those to accept and those to decline. More
// than that is abuse: but for those that are always allowed, they are left to expire.
const maxQueued = 100

// Config holds the dependencies of a queue. All fields are required.
type Config struct {
	Client    Client
	Games     *game.Registry
	Opponents *opponent.Memory
	Policy    func() *Policy             // the current one
	IsListed  func(*lichess.Player) bool // on the block list
	Emit      func(event.Event)
	Log       zerolog.Logger
}

// Client answers challenges; a [lichess.Client] does.
type Client interface {
	AcceptChallenge(ctx context.Context, id string, opponent lichess.OpponentKind) error
	DeclineChallenge(ctx context.Context, id string, reason lichess.DeclineReason) error
}

const (
	slotWait = 15 * time.Second // for a challenge to get a slot
	expiry   = 20 * time.Second // after which Lichess lets a challenge with a clock expire
)

// Queue answers challenges. Those that the policy declines are declined one after the
// other. One that it accepts waits for a slot, in the order of the policy, until it is
// withdrawn or about to expire; then it is declined with "later", so that the challenger
// knows. No accept waits for a decline.
// It is safe for concurrent use.
type Queue struct {
	cfg     Config
	changed chan struct{} // capacity 1: a challenge arrived, or a slot may be free

	others rate.Sometimes // limits the warnings that somebody else accepts our challenges

	mu        sync.Mutex // for all that follows, and the challenges that wait
	waiting   []*queued
	declining bool // a decline is in flight
}

// queued is a challenge in the queue.
type queued struct {
	*lichess.Challenge
	event.Decision
	offer      Offer // the input of the decision, without what changes while it waits
	receivedAt time.Time
	slot       *game.Entry // for its game; nil until it is accepted
	atLimit    bool        // no slot can be its, since its challenger has games.max_per_opponent games

	backoff *event.Waits // between attempts to answer it; nil before the first
	retryAt time.Time    // when to answer it again
}

func (c *queued) game() game.Info {
	return game.Info{
		Opponent: c.Challenger.ID,
		Bot:      c.Challenger.IsBot(),
		Clock:    c.TimeControl.Type == lichess.ClockControl,
	}
}

// expiredAt reports whether at a time a challenge no longer stands: its challenger may
// have left, though Lichess would still have it accepted. Without a clock it stands until
// it is answered or withdrawn.
func (c *queued) expiredAt(t time.Time) bool {
	return c.TimeControl.Type == lichess.ClockControl && t.Sub(c.receivedAt) > expiry
}

// replaces reports whether the server has cancelled an earlier challenge for this one, as
// Lichess does without an event if both have the same challenger. A rematch is an offer in
// its game instead.
func (c *queued) replaces(old *queued) bool {
	return c.Challenger != nil && old.Challenger != nil && strings.EqualFold(c.Challenger.ID, old.Challenger.ID) &&
		c.RematchOf == "" && old.RematchOf == ""
}

// NewQueue returns an empty queue.
func NewQueue(c Config) *Queue {
	return &Queue{cfg: c, changed: make(chan struct{}, 1), others: rate.Sometimes{Interval: time.Hour}}
}

// Notify makes the queue check again: a slot may be free, or the policy has changed.
func (q *Queue) Notify() { event.Wake(q.changed) }

// Decide decides on an offer by the current policy and what is known about the
// challenger.
func (q *Queue) Decide(o Offer) event.Decision {
	if p := o.Challenge.Challenger; p != nil && p.ID != "" {
		id, now := strings.ToLower(p.ID), time.Now()
		o.Listed, o.Avoided = q.cfg.IsListed(p), q.cfg.Opponents.IsAvoided(id, now)
		o.Today = q.cfg.Opponents.CountWithin(day, id, now, q.cfg.Games.GamesWith(p.ID)...)
	}
	decision := q.cfg.Policy().Decide(o)
	if decision.Accept && q.cfg.Games.IsDraining() {
		return decline(lichess.DeclineLater, game.ErrDraining.Error())
	}
	return decision
}

const day = 24 * time.Hour

// Add queues an incoming challenge; rating is our own. After each reconnect the
// server sends the open ones again.
func (q *Queue) Add(e *lichess.ChallengeCreated, rating int) {
	c := &queued{Challenge: &e.Challenge, offer: OfferOf(e, rating), receivedAt: time.Now()}
	decision := q.Decide(c.offer)
	c.Decision = decision // owned by the queue from here on, which may decide again
	if q.enqueue(c) {
		q.cfg.Log.Info().Str("challenge", c.ID).Str("opponent", event.PlayerOf(c.Challenger).Name).
			Stringer("control", c.TimeControl).Bool("rated", c.Rated).Bool("accept", decision.Accept).
			Str("rule", decision.Rule).Str("reason", string(decision.Reason)).Msg("challenge decided")
		q.Notify()
	}
}

// enqueue queues a challenge that is new. Under the lock, each challenge is either
// queued or has its slot: a repeated line must not be accepted twice, or two
// goroutines would play the same game.
func (q *Queue) enqueue(c *queued) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.holds(c.ID) || q.cfg.Games.Has(c.ID) {
		return false
	}
	q.drop(c.replaces, event.Gone, "replaced by the challenger's next one")
	alike := 0
	for _, w := range q.waiting {
		if w.Accept == c.Accept {
			alike++
		}
	}
	if alike >= maxQueued && c.Rule != allowed && c.Rule != allowedByOperator {
		return false
	}
	q.waiting = append(q.waiting, c)
	q.cfg.Emit(event.ChallengeDecided{ // before any other event about it
		ID: c.ID, Challenger: event.PlayerOf(c.Challenger), Clock: c.TimeControl.Clock,
		Rated: c.Rated, Decision: c.Decision,
	})
	return true
}

// holds reports whether a challenge is queued. The caller holds the lock.
func (q *Queue) holds(id string) bool {
	return slices.ContainsFunc(q.waiting, func(c *queued) bool { return c.ID == id })
}

// Remove removes a challenge that was withdrawn, or declined elsewhere.
func (q *Queue) Remove(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop(func(c *queued) bool { return c.ID == id }, event.Gone, "withdrawn")
}

// drop drops the challenges that are closed on the server. The caller holds the lock.
func (q *Queue) drop(isClosed func(*queued) bool, outcome event.Outcome, rule string) {
	q.waiting = slices.DeleteFunc(q.waiting, func(c *queued) bool {
		closed := isClosed(c)
		if closed {
			q.cfg.Emit(event.ChallengeClosed{ID: c.ID, Outcome: outcome, Rule: rule})
		}
		return closed
	})
}

// HumanWaits reports whether a human is waiting for a slot.
func (q *Queue) HumanWaits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.waiting, func(c *queued) bool {
		return c.Accept && !c.atLimit && !c.Challenger.IsBot()
	})
}

// Waiting returns the names of those whose challenges wait for a slot, in the order in
// which they arrived.
func (q *Queue) Waiting() (names []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range slices.SortedFunc(slices.Values(q.waiting), compareBy(config.FirstCome)) {
		if c.Accept {
			names = append(names, event.PlayerOf(c.Challenger).Name)
		}
	}
	return names
}

// Run answers challenges until the context ends.
func (q *Queue) Run(ctx context.Context) error {
	for {
		c, recheck := q.next()
		if c != nil {
			q.answer(ctx, c)
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-q.changed:
		case <-recheck:
		}
	}
}

// next dequeues a challenge that can be answered now: one to accept with its slot
// reserved, or one to decline if no decline is in flight. If there is none, it returns a
// channel that fires when to check again, nil if the queue is empty. A challenge to accept
// is decided on again: its challenger may have started other games meanwhile, and the
// settings may have changed.
func (q *Queue) next() (c *queued, recheck <-chan time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop(func(c *queued) bool {
		started := q.cfg.Games.Has(c.ID)
		if started {
			q.reportOther(c.ID)
		}
		return started
	}, event.Accepted, "its game has started")
	slices.SortStableFunc(q.waiting, compareBy(q.cfg.Policy().Order))
	shortest := slotWait
	for i, c := range q.waiting {
		wait := time.Until(c.retryAt)
		if wait <= 0 && c.Accept {
			wait = q.reserve(c)
		}
		switch {
		case wait > 0:
			shortest = min(shortest, wait)
		case c.Accept || !q.declining:
			q.declining = q.declining || !c.Accept
			q.waiting = slices.Delete(q.waiting, i, i+1)
			return c, nil
		}
	}
	if len(q.waiting) > 0 {
		recheck = time.After(shortest)
	}
	return nil, recheck
}

// reportOther reports that somebody else has accepted a challenge to us.
func (q *Queue) reportOther(id string) {
	q.others.Do(func() {
		q.cfg.Log.Warn().Str("challenge", id).Msg("the account's owner or another program has accepted a challenge: " +
			"if it is a program, stop it, or give it an account of its own")
	})
}

// reserve decides again on a challenge and reserves its slot. It returns how long to
// wait for one; 0 if the challenge can be answered. The caller holds the lock.
func (q *Queue) reserve(c *queued) (wait time.Duration) {
	if c.Decision = q.Decide(c.offer); !c.Accept {
		return 0
	}
	if c.expiredAt(time.Now()) {
		c.Decision = decline(lichess.DeclineLater, "waited too long")
		return 0
	}
	slot, err := q.cfg.Games.Reserve(c.ID, c.game())
	c.atLimit = errors.Is(err, game.ErrPerOpponent)
	left := slotWait - time.Since(c.receivedAt)
	switch {
	case err == nil:
		c.slot = slot
	case errors.Is(err, game.ErrKnown), left > 0 && !errors.Is(err, game.ErrDraining):
		return max(left, 1)
	default:
		c.Decision = decline(lichess.DeclineLater, err.Error())
	}
	return 0
}

// compareBy orders challenges by priority, then by time.
func compareBy(o config.Order) func(a, b *queued) int {
	return func(a, b *queued) int {
		return cmp.Or(slices.Compare(priority(o, a), priority(o, b)), a.receivedAt.Compare(b.receivedAt))
	}
}

// priority returns a challenge's sort key, least first. Declines come first: they
// need no slot.
func priority(o config.Order, c *queued) []int {
	switch {
	case !c.Accept:
		return []int{0}
	case o == config.FirstCome:
		return []int{1}
	case o == config.TitledFirst && c.Challenger.Title != "" && !c.Challenger.IsBot():
		return []int{1, -c.Challenger.Rating}
	case !c.Challenger.IsBot():
		return []int{2, -c.Challenger.Rating}
	}
	return []int{3, -c.Challenger.Rating}
}
