package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// Direct sends the challenges that the operator requests: even to humans, and regardless
// of the budget and of what is remembered about opponents, but never without a slot.
type Direct struct {
	cfg      Config
	outgoing *Outgoing
	requests chan directRequest
	ended    chan struct{} // closed when Run has ended
}

// NewDirect returns a sender whose challenges outgoing follows.
func NewDirect(c Config, outgoing *Outgoing) *Direct {
	return &Direct{cfg: c, outgoing: outgoing, requests: make(chan directRequest), ended: make(chan struct{})}
}

// DirectChallenge is a challenge to a user.
type DirectChallenge struct {
	User  string
	Offer opponent.Offer
	Color lichess.Color // ours; "" for a random one
}

// DirectAnswer is the answer to a challenge.
type DirectAnswer struct {
	ID      string // of the challenge; "" if it was not sent
	Started bool   // it was accepted
	Reason  string // why not
}

type directRequest struct {
	DirectChallenge
	reply chan<- directReply // buffered
}

type directReply struct {
	answer DirectAnswer
	err    error
}

// Challenge sends a challenge and waits for its answer. If the context ends before that,
// the challenge stays open and is followed.
func (d *Direct) Challenge(ctx context.Context, c DirectChallenge) (DirectAnswer, error) {
	reply := make(chan directReply, 1)
	select {
	case d.requests <- directRequest{c, reply}:
	case <-d.ended:
		return DirectAnswer{}, game.ErrDraining
	case <-ctx.Done():
		return DirectAnswer{}, fmt.Errorf("challenge %s: %w", c.User, ctx.Err())
	}
	select {
	case r := <-reply:
		return r.answer, r.err
	case <-ctx.Done():
		return DirectAnswer{}, fmt.Errorf("challenge %s: its answer was not awaited: %w", c.User, ctx.Err())
	}
}

// Run sends challenges until the context ends or the bot drains. Their number is bounded
// by that of the slots.
func (d *Direct) Run(ctx context.Context) error {
	defer close(d.ended)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.cfg.Draining:
			return nil
		case r := <-d.requests:
			d.cfg.Games.Go(func() {
				answer, err := d.challenge(ctx, r.DirectChallenge)
				r.reply <- directReply{answer, err}
			})
		}
	}
}

// challenge sends a challenge, follows it to its end and starts its game.
func (d *Direct) challenge(ctx context.Context, c DirectChallenge) (DirectAnswer, error) {
	user, err := d.find(ctx, c.User)
	if err != nil {
		return DirectAnswer{}, fmt.Errorf("challenge %s: %w", c.User, err)
	}
	game := game.Info{Opponent: strings.ToLower(user.ID), Bot: user.IsBot(), Clock: true}
	slot, err := d.cfg.Slots.Reserve(game)
	if err != nil {
		return DirectAnswer{}, fmt.Errorf("challenge %s: %w", user.Name, err)
	}
	id, a, err := d.outgoing.send(ctx, newChallenge{
		user: user.Name, game: game, slot: slot, sender: event.Operator, wait: d.cfg.Timing.AnswerTimeout,
		request: lichess.ChallengeRequest{
			Rated: c.Offer.Rated, Clock: lichess.Clock{Initial: c.Offer.Initial, Increment: c.Offer.Increment}, Color: c.Color, Opponent: lichess.OpponentKind(game.Bot),
		},
	})
	if err != nil {
		return DirectAnswer{}, err
	}
	if !a.started {
		return DirectAnswer{ID: id, Reason: a.reason}, nil
	}
	d.cfg.start(ctx, id, game)
	return DirectAnswer{ID: id, Started: true}, nil
}

// find returns a user by name.
func (d *Direct) find(ctx context.Context, name string) (*lichess.UserStatus, error) {
	if strings.EqualFold(name, d.cfg.Account().ID) {
		return nil, errors.New("that is this bot")
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list, err := d.cfg.Client.UserStatuses(ctx, strings.ToLower(name))
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errors.New("no such user")
	}
	return &list[0], nil
}
