package matchmaking

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/lichess"
)

// newChallenge is a challenge to be sent.
type newChallenge struct {
	user    string // name of its receiver
	request lichess.ChallengeRequest
	game    game.Info
	slot    *game.Reservation // for the game
	sender  event.Sender
	wait    time.Duration // for an answer
	wanted  func() bool   // called before it is sent and after; nil if it always is
}

func (c *newChallenge) isWanted() bool { return c.wanted == nil || c.wanted() }

// errUnwanted means that a challenge is no longer wanted.
var errUnwanted = errors.New("no longer wanted")

// send sends a challenge and waits for its answer. The slot of a game that does not
// start is released.
func (o *Outgoing) send(ctx context.Context, c newChallenge) (id string, a answer, err error) {
	r := &c.request
	log := o.cfg.Log.With().Str("by", string(c.sender)).Str("opponent", c.user).Stringer("control", r.Clock).Bool("rated", r.Rated).Logger()
	if id, err = o.post(ctx, &c); err != nil {
		c.slot.Release()
		log.Info().Err(err).Msg("challenge not sent")
		return "", answer{}, err
	}
	c.slot.Bind(id)
	o.endReplaced(id, c.user)
	log.Info().Str("challenge", id).Msg("challenge sent")
	o.cfg.Emit(event.ChallengeSent{
		ID: id, Opponent: c.user, Bot: c.game.Bot, Sender: c.sender,
		HasClock: c.game.Clock, Initial: r.Clock.Initial, Increment: r.Clock.Increment, Rated: r.Rated, At: time.Now(),
	})
	if !c.isWanted() {
		c.wait = 0
	}
	a = <-o.follow(id, c.user, c.wait)
	if !a.started && c.slot.Release() {
		o.cfg.Emit(event.ChallengeClosed{ID: id, Outcome: event.Declined, Rule: a.reason})
		log.Info().Str("challenge", id).Str("reason", a.reason).Msg("challenge not accepted by the opponent")
		return id, a, nil
	}
	a.started = true // whatever the answer was, if the game has taken the slot
	o.cfg.Emit(event.ChallengeClosed{ID: id, Outcome: event.Accepted})
	log.Info().Str("game", id).Msg("challenge accepted by the opponent")
	return id, a, nil
}

// post posts a challenge and returns its id, even if the reply is lost. An error means
// that the server does not seem to have the challenge.
func (o *Outgoing) post(ctx context.Context, c *newChallenge) (id string, err error) {
	learned, forget := o.expect(c.game.Opponent)
	defer forget()
	o.cfg.Opponents.Challenged(c.game.Bot, time.Now())
	switch {
	case o.cfg.isDraining():
		return "", game.ErrDraining
	case !c.isWanted():
		return "", errUnwanted
	}
	sent, err := o.cfg.Client.CreateChallenge(ctx, c.user, c.request)
	if err == nil {
		o.add(sent)
		return sent.ID, nil
	}
	o.cfg.Opponents.RecordLimit(err, c.game.Opponent, time.Now())
	var limited *lichess.RateLimitError
	if lichess.IsRefusal(err) || errors.As(err, &limited) || errors.Is(err, lichess.ErrNotSent) {
		return "", err
	}
	if id = o.findSent(ctx, c.game.Opponent, learned); id == "" {
		return "", err
	}
	return id, nil
}

// expect returns a channel that receives the id of a challenge that is about to be
// sent, until forget is called.
func (o *Outgoing) expect(opponent string) (id <-chan string, forget func()) {
	e := &expectedChallenge{opponent, make(chan string, 1)}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.expected = append(o.expected, e)
	return e.id, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.expected = slices.DeleteFunc(o.expected, func(other *expectedChallenge) bool { return other == e })
	}
}

// isTo reports whether a challenge may be the one that is expected.
func (e *expectedChallenge) isTo(user *lichess.Player) bool {
	return user != nil && strings.EqualFold(user.ID, e.opponent)
}

// findSent returns the id of a challenge whose reply was lost, from the event stream
// or the list of challenges; "" if the server does not seem to have it.
func (o *Outgoing) findSent(ctx context.Context, opponent string, learned <-chan string) string {
	if id := awaitID(ctx, learned, o.cfg.Timing.IDTimeout); id != "" || ctx.Err() != nil {
		return id
	}
	if id := o.findListed(ctx, opponent); id != "" {
		return id
	}
	return awaitID(ctx, learned, o.cfg.Timing.LateIDTimeout) // a slow server may not have had it yet
}

// awaitID waits for the id of a challenge that is being sent; it returns "" after the
// timeout.
func awaitID(ctx context.Context, learned <-chan string, timeout time.Duration) string {
	select {
	case id := <-learned:
		return id
	case <-ctx.Done():
	case <-time.After(timeout):
	}
	return ""
}

// findListed returns the id of a challenge to an opponent, followed by no sender yet, from
// the list of challenges; "" if there is none.
func (o *Outgoing) findListed(ctx context.Context, opponent string) string {
	list, err := o.cfg.Client.Challenges(ctx)
	if err != nil {
		o.cfg.Log.Debug().Err(err).Msg("outgoing challenges not listed")
		return ""
	}
	for i := range list.Out {
		if c := &list.Out[i]; c.DestUser != nil && strings.EqualFold(c.DestUser.ID, opponent) && !o.isFollowed(c.ID) {
			o.add(c)
			return c.ID
		}
	}
	return ""
}

// isFollowed reports whether a sender waits for the answer to a challenge.
func (o *Outgoing) isFollowed(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.open[id]
	return c != nil && c.answer != nil
}
