package bot

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// A challenge is answered at once: accepted when policy and slots allow it,
// else declined with the reason. One that comes while all slots are taken is
// declined with "later" rather than left to expire, so that the challenger
// knows.

// answer is a challenge with what to say to it.
type answer struct {
	challenge *lichess.Challenge
	Decision
	withdrawn *atomic.Bool
}

// maxUnanswered bounds the challenges that wait for their answer to be sent;
// beyond it they are left to expire.
const maxUnanswered = 100

// startDeadline is how long an accepted game may take to start before its slot
// is given up.
const startDeadline = 20 * time.Second

// challenged decides on a challenge, takes the slot, and queues the answer.
func (b *Bot) challenged(e *lichess.ChallengeCreated) {
	c := &e.Challenge
	if c.Challenger != nil && c.Challenger.ID == b.account.ID {
		return // our own, echoed
	}
	d := b.opts.Policy.Decide(Offer{Challenge: c, Playable: e.Compat == nil || e.Compat.Bot, Rating: b.rating()})
	if d.Accept {
		if err := b.slots.take(c.ID, c.Challenger.ID, c.Challenger.IsBot()); err != nil {
			d = decline(lichess.DeclineLater, err.Error())
		}
	}
	name := "anonymous"
	if c.Challenger != nil {
		name = c.Challenger.Name
	}
	b.log.Info().Str("challenge", c.ID).Str("opponent", name).Str("control", c.TimeControl.Show).Bool("rated", c.Rated).
		Bool("accept", d.Accept).Str("rule", d.Rule).Str("reason", string(d.Reason)).Msg("challenge decided")
	select {
	case b.answers <- answer{c, d, b.remember(c.ID)}:
	default:
		b.slots.release(c.ID)
		b.log.Warn().Str("challenge", c.ID).Msg("too many challenges: left to expire")
	}
}

// remember returns the flag that a withdrawal of the challenge will set.
func (b *Bot) remember(id string) *atomic.Bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	flag := new(atomic.Bool)
	b.unanswered[id] = flag
	return flag
}

// forget returns what remember has kept, nil if nothing.
func (b *Bot) forget(id string) *atomic.Bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	flag := b.unanswered[id]
	delete(b.unanswered, id)
	return flag
}

// withdrawn frees the slot of a challenge that was cancelled or declined.
func (b *Bot) withdrawn(c *lichess.Challenge) {
	if flag := b.forget(c.ID); flag != nil {
		flag.Store(true)
	}
	if b.slots.release(c.ID) {
		b.log.Info().Str("challenge", c.ID).Msg("challenge withdrawn")
	}
}

// answerChallenges sends the answers, one after the other.
func (b *Bot) answerChallenges(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case a := <-b.answers:
			b.send(ctx, a)
		}
	}
}

func (b *Bot) send(ctx context.Context, a answer) {
	c := a.challenge
	defer b.forget(c.ID)
	log := b.log.With().Str("challenge", c.ID).Logger()
	if a.withdrawn.Load() {
		return
	}
	if !a.Accept {
		if err := b.opts.Client.DeclineChallenge(ctx, c.ID, a.Reason); err != nil && !errors.Is(err, lichess.ErrNotFound) {
			log.Warn().Err(err).Msg("challenge not declined")
		}
		return
	}
	if b.isDraining() && b.slots.release(c.ID) {
		return
	}
	err := b.opts.Client.AcceptChallenge(ctx, c.ID, lichess.OpponentKind(c.Challenger.IsBot()))
	switch {
	case err == nil, lichess.IsTemporary(err) && !refused(err):
		b.games.Go(func() { b.awaitStart(ctx, c.ID) })
	case b.slots.release(c.ID):
		log.Info().Err(err).Msg("challenge gone before it was accepted")
	}
}

// refused reports whether the server, and not the network, said no.
func refused(err error) bool {
	var api *lichess.APIError
	var limited *lichess.RateLimitError
	return errors.As(err, &limited) || errors.As(err, &api) && api.StatusCode < 500
}

// awaitStart gives the slot up if the game has not started in time. A start
// may have been missed: the list of games in play decides.
func (b *Bot) awaitStart(ctx context.Context, id string) {
	deadline := time.NewTimer(b.startDeadline)
	defer deadline.Stop()
	select {
	case <-ctx.Done():
		return
	case <-deadline.C:
	}
	if b.slots.started(id) {
		return
	}
	if err := b.reconcile(ctx); err != nil {
		b.log.Warn().Err(err).Str("challenge", id).Msg("games in play not read")
	}
	if b.slots.release(id) {
		b.log.Warn().Str("challenge", id).Msg("accepted game never started: slot freed")
	}
}

func (b *Bot) isDraining() bool {
	select {
	case <-b.draining:
		return true
	default:
		return false
	}
}
