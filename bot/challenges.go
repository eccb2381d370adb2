package bot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// maxQueued bounds the queued challenges. More than that is abuse; the rest are left
// to expire.
const maxQueued = 100

// challengeQueue answers challenges. One that the policy declines is declined at
// once. One that it accepts waits for a slot, in the order of the policy, until it
// is withdrawn or about to expire; then it is declined with "later", so that the
// challenger knows.
type challengeQueue struct {
	bot     *Bot
	changed chan struct{}

	mu      sync.Mutex
	waiting []*challenge
}

// challenge is a queued challenge.
type challenge struct {
	*lichess.Challenge
	event.Decision
	offer      Offer // the input of the decision, without what changes while it waits
	receivedAt time.Time
	slot       *slots.Reservation // for its game; nil until it is accepted

	backoff *retry.Waits // between attempts to decline it; nil before the first
	retryAt time.Time    // when to decline it again
}

func (c *challenge) game() slots.Game {
	return slots.Game{
		Opponent: c.Challenger.ID,
		Bot:      c.Challenger.IsBot(),
		Clock:    c.TimeControl.Type == lichess.ClockControl,
	}
}

func newChallengeQueue(b *Bot) *challengeQueue {
	return &challengeQueue{bot: b, changed: make(chan struct{}, 1)}
}

// notify wakes run: a challenge arrived, or a slot may be free.
func (q *challengeQueue) notify() {
	signal(q.changed)
}

// add queues an incoming challenge. After each reconnect the server sends the open
// ones again.
func (q *challengeQueue) add(e *lichess.ChallengeCreated) {
	me, c := q.bot.me(), &e.Challenge
	if c.Challenger != nil && strings.EqualFold(c.Challenger.ID, me.ID) {
		q.bot.matchmaker.pending.created(c)
		q.bot.outgoing.add(c)
		return
	}
	w := &challenge{Challenge: c, offer: OfferOf(e, me.Perfs[lichess.Crazyhouse].Rating), receivedAt: time.Now()}
	decision := q.decide(w)
	if decision.Accept && q.bot.memory.IsAvoided(opponent.ID(c.Challenger), w.receivedAt) {
		decision = decline(lichess.DeclineLater, "has aborted too many games")
	}
	w.Decision = decision // owned by the queue from here on, which may decide again
	if q.enqueue(w) {
		q.bot.log.Info().Str("challenge", c.ID).Str("opponent", nameOf(c.Challenger)).
			Str("control", c.TimeControl.Show).Bool("rated", c.Rated).Bool("accept", decision.Accept).
			Str("rule", decision.Rule).Str("reason", string(decision.Reason)).Msg("challenge decided")
		q.notify()
	}
}

// OfferOf returns what a challenge offers, as input for a policy. rating is ours,
// unless the challenge contains a newer one.
func OfferOf(e *lichess.ChallengeCreated, rating int) Offer {
	o := Offer{Challenge: &e.Challenge, Playable: e.Compat == nil || e.Compat.Bot, Rating: rating}
	if to := e.Challenge.DestUser; to != nil && to.Rating > 0 {
		o.Rating = to.Rating
	}
	return o
}

// enqueue queues a challenge that is new. Under the lock, each challenge is either
// queued or has its slot: a repeated line must not be accepted twice, or two
// goroutines would play the same game.
func (q *challengeQueue) enqueue(c *challenge) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := slices.ContainsFunc(q.waiting, func(w *challenge) bool { return w.ID == c.ID })
	if known || q.bot.slots.Has(c.ID) || len(q.waiting) == maxQueued {
		return false
	}
	q.waiting = append(q.waiting, c)
	q.bot.emitChallenge(c) // before any other event about it
	return true
}

// remove removes a challenge that was withdrawn, or declined elsewhere.
func (q *challengeQueue) remove(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := len(q.waiting)
	q.waiting = slices.DeleteFunc(q.waiting, func(w *challenge) bool { return w.ID == id })
	if len(q.waiting) < waiting {
		q.bot.emit(event.ChallengeClosed{ID: id, Outcome: event.Gone, Rule: "withdrawn"})
	}
}

// humanWaits reports whether a human is waiting for an answer.
func (q *challengeQueue) humanWaits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.waiting, func(c *challenge) bool { return c.Accept && !c.Challenger.IsBot() })
}

// run answers challenges until the context ends.
func (q *challengeQueue) run(ctx context.Context) error {
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

// answer declines a challenge, or accepts it in the goroutine of its game, so that
// accepts can be in flight concurrently.
func (q *challengeQueue) answer(ctx context.Context, c *challenge) {
	if c.Accept {
		q.bot.games.Go(func() { q.accept(ctx, c) })
		return
	}
	q.decline(ctx, c)
}

// decline declines a challenge. If it is unclear whether the request arrived, the
// challenge goes back to the queue, to be declined again while it is open.
func (q *challengeQueue) decline(ctx context.Context, c *challenge) {
	bounded, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := q.bot.opts.Client.DeclineChallenge(bounded, c.ID, c.Reason)
	log := q.bot.log.With().Str("challenge", c.ID).Str("reason", string(c.Reason)).Str("rule", c.Rule).Logger()
	outcome := event.Gone
	switch {
	case err == nil:
		outcome = event.Declined
		log.Info().Msg("challenge declined")
	case errors.Is(err, lichess.ErrNotFound), ctx.Err() != nil:
		log.Debug().Err(err).Msg("challenge already gone")
	case !lichess.IsRefusal(err) && q.declineLater(c, err):
		log.Warn().Err(err).Time("retry_at", c.retryAt).Msg("challenge not declined yet")
		return
	default:
		log.Warn().Err(err).Msg("challenge not declined")
	}
	q.bot.emit(event.ChallengeClosed{ID: c.ID, Outcome: outcome, Rule: c.Rule})
}

// declineLater requeues a challenge to be declined again, and reports whether it
// will still be open then: a challenge with a clock expires, any other stays open
// until it is answered or withdrawn.
func (q *challengeQueue) declineLater(c *challenge, err error) bool {
	if c.backoff == nil {
		c.backoff = q.bot.timing.retry.Start()
	}
	c.retryAt = time.Now().Add(c.backoff.After(err))
	if c.TimeControl.Type == lichess.ClockControl && c.retryAt.Sub(c.receivedAt) > q.bot.timing.challengeTimeout {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.ContainsFunc(q.waiting, func(w *challenge) bool { return w.ID == c.ID }) { // received again meanwhile
		q.waiting = append(q.waiting, c)
	}
	q.notify()
	return true
}

// accept accepts a challenge that has a slot and plays the game. Unless the server
// clearly refuses, the game may have started, so its stream is tried.
func (q *challengeQueue) accept(ctx context.Context, c *challenge) {
	err := q.sendAccept(ctx, c)
	log := q.bot.log.With().Str("challenge", c.ID).Str("opponent", nameOf(c.Challenger)).Logger()
	switch {
	case err == nil:
		log.Info().Msg("challenge accepted")
	case !certainlyRefused(err) || !c.slot.Release():
		log.Warn().Err(err).Msg("challenge acceptance unconfirmed")
	default:
		log.Info().Err(err).Msg("challenge not accepted")
		q.bot.memory.RecordLimit(err, opponent.ID(c.Challenger), time.Now())
		if errors.Is(err, lichess.ErrUnauthorized) {
			q.bot.requestSync() // ends the bot if the token is refused there as well
		}
		if canStillDecline(err) {
			c.Decision = decline(lichess.DeclineLater, "rate limit")
			q.decline(ctx, c)
			return
		}
		q.bot.emit(event.ChallengeClosed{ID: c.ID, Outcome: event.Gone, Rule: "refused by the server"})
		return
	}
	q.bot.emit(event.ChallengeClosed{ID: c.ID, Outcome: event.Accepted, Rule: c.Rule})
	q.bot.play(ctx, c.ID, nil)
}

// sendAccept accepts a challenge, and retries until it expires while the result is
// ambiguous. A refusal of a retry may mean that an earlier attempt succeeded, so the
// result stays ambiguous.
func (q *challengeQueue) sendAccept(ctx context.Context, c *challenge) error {
	var ambiguous error
	next := q.bot.timing.stream.Reopen.Start()
	for !q.bot.isDraining() {
		err := q.bot.opts.Client.AcceptChallenge(ctx, c.ID, lichess.OpponentKind(c.Challenger.IsBot()))
		switch {
		case err == nil:
			return nil
		case certainlyRefused(err):
			return cmp.Or(ambiguous, err)
		}
		ambiguous = err
		wait := next.Next()
		if time.Since(c.receivedAt)+wait > q.bot.timing.challengeTimeout || retry.Sleep(ctx, wait) != nil || q.bot.slots.IsLive(c.ID) {
			break
		}
	}
	return cmp.Or(ambiguous, slots.ErrDraining)
}

// certainlyRefused reports whether a challenge was certainly not accepted.
func certainlyRefused(err error) bool {
	var limited *lichess.RateLimitError
	return errors.Is(err, slots.ErrDraining) || errors.As(err, &limited) || lichess.IsRefusal(err)
}

// canStillDecline reports whether the challenge is still open to be declined: a
// limit prevented the accept, not that it is gone.
func canStillDecline(err error) bool {
	var api *lichess.APIError
	var limited *lichess.RateLimitError
	return errors.Is(err, slots.ErrDraining) || errors.As(err, &limited) || errors.As(err, &api) && api.Limit != nil
}

func nameOf(p *lichess.Player) string {
	if p == nil || p.Name == "" {
		return "anonymous"
	}
	return p.Name
}
