package bot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/lichess"
)

// maxQueued bounds the challenges that wait for an answer. More than that is
// abuse; they are left to expire.
const maxQueued = 100

// challengeQueue answers challenges. One that the policy declines is declined at once. One
// that it accepts waits for a slot, in the order of the policy, until it is
// withdrawn or has waited so long that it is about to expire: then it is declined with
// "later", so that the challenger knows.
type challengeQueue struct {
	bot     *Bot
	changed chan struct{}

	mu      sync.Mutex
	waiting []*challenge
}

// challenge is a challenge that waits for its answer.
type challenge struct {
	*lichess.Challenge
	Decision
	offer      Offer // that the decision is on, less what changes while it waits
	receivedAt time.Time

	backoff *backoff.ExponentialBackOff // between tries to decline it; nil before the first
	retryAt time.Time                   // when to decline it again
}

func (c *challenge) participant() participant {
	return participant{
		opponent: c.Challenger.ID,
		bot:      c.Challenger.IsBot(),
		clock:    c.TimeControl.Type == lichess.ClockControl,
	}
}

func newChallengeQueue(b *Bot) *challengeQueue {
	return &challengeQueue{bot: b, changed: make(chan struct{}, 1)}
}

// notify makes the desk look again: a challenge came, or a slot may be free.
func (q *challengeQueue) notify() {
	signal(q.changed)
}

// add takes in a challenge. After each reconnect the server sends those that
// still wait again.
func (q *challengeQueue) add(e *lichess.ChallengeCreated) {
	me, c := q.bot.me(), &e.Challenge
	if c.Challenger != nil && strings.EqualFold(c.Challenger.ID, me.ID) {
		q.bot.matchmaker.pending.created(c)
		q.bot.outgoing.add(c)
		return
	}
	w := &challenge{Challenge: c, offer: OfferOf(e, me.Perfs[lichess.Crazyhouse].Rating), receivedAt: time.Now()}
	decision := q.decide(w)
	if decision.Accept && q.bot.memory.isAvoided(idOf(c.Challenger), w.receivedAt) {
		decision = decline(lichess.DeclineLater, "has aborted too many games")
	}
	w.Decision = decision // from here on the desk's, which may judge anew
	if q.enqueue(w) {
		q.bot.log.Info().Str("challenge", c.ID).Str("opponent", nameOf(c.Challenger)).
			Str("control", c.TimeControl.Show).Bool("rated", c.Rated).Bool("accept", decision.Accept).
			Str("rule", decision.Rule).Str("reason", string(decision.Reason)).Msg("challenge decided")
		q.notify()
	}
}

// OfferOf returns what a challenge offers, for a policy to decide on. rating is
// ours, unless the challenge says a newer one.
func OfferOf(e *lichess.ChallengeCreated, rating int) Offer {
	o := Offer{Challenge: &e.Challenge, Playable: e.Compat == nil || e.Compat.Bot, Rating: rating}
	if to := e.Challenge.DestUser; to != nil && to.Rating > 0 {
		o.Rating = to.Rating
	}
	return o
}

// enqueue queues a challenge that is new. Under the lock, each is either still
// waiting or has its slot: a line that comes twice must not be accepted twice,
// or two would play the one game.
func (q *challengeQueue) enqueue(c *challenge) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := slices.ContainsFunc(q.waiting, func(w *challenge) bool { return w.ID == c.ID })
	if known || q.bot.slots.has(c.ID) || len(q.waiting) == maxQueued {
		return false
	}
	q.waiting = append(q.waiting, c)
	q.bot.emitChallenge(c) // before anything else can be told of it
	return true
}

// remove forgets a challenge that was taken back, or declined elsewhere.
func (q *challengeQueue) remove(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := len(q.waiting)
	q.waiting = slices.DeleteFunc(q.waiting, func(w *challenge) bool { return w.ID == id })
	if len(q.waiting) < waiting {
		q.bot.emit(ChallengeClosed{id, Gone, "withdrawn"})
	}
}

// humanWaits reports whether a human waits for an answer.
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

// answer declines a challenge, or accepts it in the goroutine of its game, so
// that several can be accepted while one waits for the server.
func (q *challengeQueue) answer(ctx context.Context, c *challenge) {
	if c.Accept {
		q.bot.games.Go(func() { q.accept(ctx, c) })
		return
	}
	q.decline(ctx, c)
}

// decline declines a challenge. While it is not clear that the server has heard, the
// challenge goes back to the queue, to be declined again for as long as it is open.
func (q *challengeQueue) decline(ctx context.Context, c *challenge) {
	bounded, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := q.bot.opts.Client.DeclineChallenge(bounded, c.ID, c.Reason)
	log := q.bot.log.With().Str("challenge", c.ID).Str("reason", string(c.Reason)).Str("rule", c.Rule).Logger()
	outcome := Gone
	switch {
	case err == nil:
		outcome = Declined
		log.Info().Msg("challenge declined")
	case errors.Is(err, lichess.ErrNotFound), ctx.Err() != nil:
		log.Debug().Err(err).Msg("challenge not declined, none the worse")
	case !lichess.IsRefusal(err) && q.declineLater(c, err):
		log.Warn().Err(err).Time("again_at", c.retryAt).Msg("challenge not declined yet")
		return
	default:
		log.Warn().Err(err).Msg("challenge not declined")
	}
	q.bot.emit(ChallengeClosed{c.ID, outcome, c.Rule})
}

// declineLater puts a challenge back to be declined again, and reports whether it
// will still be open then: one with a clock is shown to its challenger for a while
// only, any other until it is answered or withdrawn.
func (q *challengeQueue) declineLater(c *challenge, err error) bool {
	if c.backoff == nil {
		c.backoff = q.bot.timing.retry.start()
	}
	c.retryAt = time.Now().Add(nextWait(err, c.backoff))
	if c.TimeControl.Type == lichess.ClockControl && c.retryAt.Sub(c.receivedAt) > q.bot.timing.challengeTimeout {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.ContainsFunc(q.waiting, func(w *challenge) bool { return w.ID == c.ID }) { // told again meanwhile
		q.waiting = append(q.waiting, c)
	}
	q.notify()
	return true
}

// accept accepts a challenge that has a slot and plays the game. Without a clear
// no the game may have started, so its stream is asked.
func (q *challengeQueue) accept(ctx context.Context, c *challenge) {
	err := q.sendAccept(ctx, c)
	log := q.bot.log.With().Str("challenge", c.ID).Str("opponent", nameOf(c.Challenger)).Logger()
	switch {
	case err == nil:
		log.Info().Msg("challenge accepted")
	case !certainlyRefused(err) || q.bot.slots.inPhase(c.ID, live):
		log.Warn().Err(err).Msg("challenge perhaps accepted")
	default:
		q.bot.slots.release(c.ID)
		log.Info().Err(err).Msg("challenge not accepted")
		q.bot.memory.recordLimit(err, idOf(c.Challenger), time.Now())
		if errors.Is(err, lichess.ErrUnauthorized) {
			q.bot.requestSync() // which ends the bot if the token is refused there as well
		}
		if canStillDecline(err) {
			c.Decision = decline(lichess.DeclineLater, "rate limit")
			q.decline(ctx, c)
			return
		}
		q.bot.emit(ChallengeClosed{c.ID, Gone, "refused by the server"})
		return
	}
	q.bot.emit(ChallengeClosed{c.ID, Accepted, c.Rule})
	q.bot.play(ctx, c.ID, nil)
}

// sendAccept tells the server that a challenge is accepted. While the answer leaves open
// whether the server heard, it is told again for as long as the challenge is shown.
// A refusal then may mean that it heard the first time, so it leaves that open too.
func (q *challengeQueue) sendAccept(ctx context.Context, c *challenge) error {
	var ambiguous error
	next := q.bot.timing.gameRetry.start()
	for !q.bot.isDraining() {
		err := q.bot.opts.Client.AcceptChallenge(ctx, c.ID, lichess.OpponentKind(c.Challenger.IsBot()))
		switch {
		case err == nil:
			return nil
		case certainlyRefused(err):
			return cmp.Or(ambiguous, err)
		}
		ambiguous = err
		wait := next.NextBackOff()
		if time.Since(c.receivedAt)+wait > q.bot.timing.challengeTimeout || sleep(ctx, wait) != nil || q.bot.slots.inPhase(c.ID, live) {
			break
		}
	}
	return cmp.Or(ambiguous, errDraining)
}

// certainlyRefused reports whether a challenge surely was not accepted.
func certainlyRefused(err error) bool {
	var limited *lichess.RateLimitError
	return errors.Is(err, errDraining) || errors.As(err, &limited) || lichess.IsRefusal(err)
}

// canStillDecline reports whether the challenge is still there to be declined: a limit
// kept us from accepting, not that it is gone.
func canStillDecline(err error) bool {
	var api *lichess.APIError
	var limited *lichess.RateLimitError
	return errors.Is(err, errDraining) || errors.As(err, &limited) || errors.As(err, &api) && api.Limit != nil
}

func nameOf(p *lichess.Player) string {
	if p == nil || p.Name == "" {
		return "anonymous"
	}
	return p.Name
}
