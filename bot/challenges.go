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

// maxWaiting bounds the challenges that wait for an answer. More than that is
// abuse; they are left to expire.
const maxWaiting = 100

// desk answers challenges. One that the policy declines is declined at once. One
// that it accepts waits for a slot, in the order of the policy, until it is
// withdrawn or has waited so long that it is about to expire: then it is declined with
// "later", so that the challenger knows.
type desk struct {
	bot  *Bot
	wake chan struct{}

	mu      sync.Mutex
	waiting []*challenge
}

// challenge is a challenge that waits for its answer.
type challenge struct {
	*lichess.Challenge
	Decision
	offer Offer // that the decision is on, less what changes while it waits
	came  time.Time

	pauses  *backoff.ExponentialBackOff // between tries to decline it; nil before the first
	retryAt time.Time                   // when to decline it again
}

func (c *challenge) party() party {
	return party{
		opponent: c.Challenger.ID,
		bot:      c.Challenger.IsBot(),
		clock:    c.TimeControl.Type == lichess.ClockControl,
	}
}

func newDesk(b *Bot) *desk { return &desk{bot: b, wake: make(chan struct{}, 1)} }

// poke makes the desk look again: a challenge came, or a slot may be free.
func (d *desk) poke() {
	wake(d.wake)
}

// add takes in a challenge. After each reconnect the server sends those that
// still wait again.
func (d *desk) add(e *lichess.ChallengeCreated) {
	me, c := d.bot.me(), &e.Challenge
	if c.Challenger != nil && strings.EqualFold(c.Challenger.ID, me.ID) {
		d.bot.matches.outbox.created(c)
		d.bot.own.sent(c)
		return
	}
	w := &challenge{Challenge: c, offer: OfferOf(e, me.Perfs[lichess.Crazyhouse].Rating), came: time.Now()}
	decision := d.judge(w)
	if decision.Accept && d.bot.memory.shunned(idOf(c.Challenger), w.came) {
		decision = decline(lichess.DeclineLater, "has aborted too many games")
	}
	w.Decision = decision // from here on the desk's, which may judge anew
	if d.enter(w) {
		d.bot.log.Info().Str("challenge", c.ID).Str("opponent", nameOf(c.Challenger)).
			Str("control", c.TimeControl.Show).Bool("rated", c.Rated).Bool("accept", decision.Accept).
			Str("rule", decision.Rule).Str("reason", string(decision.Reason)).Msg("challenge decided")
		d.poke()
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

// enter queues a challenge that is new. Under the lock, each is either still
// waiting or has its slot: a line that comes twice must not be accepted twice,
// or two would play the one game.
func (d *desk) enter(c *challenge) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := slices.ContainsFunc(d.waiting, func(w *challenge) bool { return w.ID == c.ID })
	if known || d.bot.slots.has(c.ID) || len(d.waiting) == maxWaiting {
		return false
	}
	d.waiting = append(d.waiting, c)
	d.bot.tellChallenge(c) // before anything else can be told of it
	return true
}

// withdraw forgets a challenge that was taken back, or declined elsewhere.
func (d *desk) withdraw(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	waiting := len(d.waiting)
	d.waiting = slices.DeleteFunc(d.waiting, func(w *challenge) bool { return w.ID == id })
	if len(d.waiting) < waiting {
		d.bot.tell(ChallengeClosed{id, Gone, "withdrawn"})
	}
}

// waits reports whether a human waits for an answer.
func (d *desk) waits() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.waiting, func(c *challenge) bool { return c.Accept && !c.Challenger.IsBot() })
}

// serve answers challenges until the context ends.
func (d *desk) serve(ctx context.Context) error {
	for {
		c, again := d.next()
		if c != nil {
			d.answer(ctx, c)
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.wake:
		case <-again:
		}
	}
}

// answer declines a challenge, or accepts it in the goroutine of its game, so
// that several can be accepted while one waits for the server.
func (d *desk) answer(ctx context.Context, c *challenge) {
	if c.Accept {
		d.bot.games.Go(func() { d.accept(ctx, c) })
		return
	}
	d.decline(ctx, c)
}

// decline declines a challenge. While it is not clear that the server has heard, the
// challenge goes back to the queue, to be declined again for as long as it is open.
func (d *desk) decline(ctx context.Context, c *challenge) {
	bounded, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := d.bot.opts.Client.DeclineChallenge(bounded, c.ID, c.Reason)
	log := d.bot.log.With().Str("challenge", c.ID).Str("reason", string(c.Reason)).Str("rule", c.Rule).Logger()
	outcome := Gone
	switch {
	case err == nil:
		outcome = Declined
		log.Info().Msg("challenge declined")
	case errors.Is(err, lichess.ErrNotFound), ctx.Err() != nil:
		log.Debug().Err(err).Msg("challenge not declined, none the worse")
	case !lichess.IsRefusal(err) && d.declineLater(c, err):
		log.Warn().Err(err).Time("again_at", c.retryAt).Msg("challenge not declined yet")
		return
	default:
		log.Warn().Err(err).Msg("challenge not declined")
	}
	d.bot.tell(ChallengeClosed{c.ID, outcome, c.Rule})
}

// declineLater puts a challenge back to be declined again, and reports whether it
// will still be open then: one with a clock is shown to its challenger for a while
// only, any other until it is answered or withdrawn.
func (d *desk) declineLater(c *challenge, err error) bool {
	if c.pauses == nil {
		c.pauses = d.bot.pace.pauses.begin()
	}
	c.retryAt = time.Now().Add(pauseAfter(err, c.pauses))
	if c.TimeControl.Type == lichess.ClockControl && c.retryAt.Sub(c.came) > d.bot.pace.shownFor {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.ContainsFunc(d.waiting, func(w *challenge) bool { return w.ID == c.ID }) { // told again meanwhile
		d.waiting = append(d.waiting, c)
	}
	d.poke()
	return true
}

// accept accepts a challenge that has a slot and plays the game. Without a clear
// no the game may have started, so its stream is asked.
func (d *desk) accept(ctx context.Context, c *challenge) {
	err := d.say(ctx, c)
	log := d.bot.log.With().Str("challenge", c.ID).Str("opponent", nameOf(c.Challenger)).Logger()
	switch {
	case err == nil:
		log.Info().Msg("challenge accepted")
	case !refused(err) || d.bot.slots.is(c.ID, live):
		log.Warn().Err(err).Msg("challenge perhaps accepted")
	default:
		d.bot.slots.free(c.ID)
		log.Info().Err(err).Msg("challenge not accepted")
		d.bot.memory.limited(err, idOf(c.Challenger), time.Now())
		if errors.Is(err, lichess.ErrUnauthorized) {
			d.bot.askResync() // which ends the bot if the token is refused there as well
		}
		if later(err) {
			c.Decision = decline(lichess.DeclineLater, "rate limit")
			d.decline(ctx, c)
			return
		}
		d.bot.tell(ChallengeClosed{c.ID, Gone, "refused by the server"})
		return
	}
	d.bot.tell(ChallengeClosed{c.ID, Accepted, c.Rule})
	d.bot.play(ctx, c.ID, nil)
}

// say tells the server that a challenge is accepted. While the answer leaves open
// whether the server heard, it is told again for as long as the challenge is shown.
// A refusal then may mean that it heard the first time, so it leaves that open too.
func (d *desk) say(ctx context.Context, c *challenge) error {
	var doubt error
	next := d.bot.pace.game.begin()
	for !d.bot.isDraining() {
		err := d.bot.opts.Client.AcceptChallenge(ctx, c.ID, lichess.OpponentKind(c.Challenger.IsBot()))
		switch {
		case err == nil:
			return nil
		case refused(err):
			return cmp.Or(doubt, err)
		}
		doubt = err
		wait := next.NextBackOff()
		if time.Since(c.came)+wait > d.bot.pace.shownFor || pause(ctx, wait) != nil || d.bot.slots.is(c.ID, live) {
			break
		}
	}
	return cmp.Or(doubt, errDraining)
}

// refused reports whether a challenge surely was not accepted.
func refused(err error) bool {
	var limited *lichess.RateLimitError
	return errors.Is(err, errDraining) || errors.As(err, &limited) || lichess.IsRefusal(err)
}

// later reports whether the challenge is still there to be declined: a limit
// kept us from accepting, not that it is gone.
func later(err error) bool {
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
