package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// DirectChallenge is a challenge to a user.
type DirectChallenge struct {
	User  string
	Offer config.Offer
	Color lichess.Color // ours; "" for a random one
}

// DirectAnswer is the answer to a challenge.
type DirectAnswer struct {
	ID      string // of the challenge; "" if it was not sent
	Started bool   // it was accepted
	Reason  string // why not
}

// Challenge sends a challenge that the operator wants, and waits for its answer: even to a
// human, and regardless of the budget and of what is remembered about the opponent, but
// never without a slot. If the context ends before that, the challenge stays open and is
// followed.
func (c *Challenger) Challenge(ctx context.Context, d DirectChallenge) (DirectAnswer, error) {
	var answer DirectAnswer
	var err error
	if undone := c.do(ctx, func(ctx context.Context) { answer, err = c.challengeUser(ctx, d) }); undone != nil {
		return DirectAnswer{}, fmt.Errorf("challenge %s: %w", d.User, undone)
	}
	return answer, err
}

// challengeUser sends a challenge, follows it to its end and starts its game.
func (c *Challenger) challengeUser(ctx context.Context, d DirectChallenge) (DirectAnswer, error) {
	user, err := c.findUser(ctx, d.User)
	if err != nil {
		return DirectAnswer{}, fmt.Errorf("challenge %s: %w", d.User, err)
	}
	info := game.Info{Opponent: strings.ToLower(user.ID), Bot: user.IsBot(), Clock: true}
	id, a, err := c.send(ctx, outgoingRequest{
		user: user.Name, game: info, sender: event.Operator, wait: c.cfg.Timing.AnswerTimeout,
		request: lichess.ChallengeRequest{
			Rated: d.Offer.Rated, Clock: d.Offer.Clock, Color: d.Color, Opponent: lichess.OpponentKind(info.Bot),
		},
	})
	if err != nil {
		return DirectAnswer{}, err
	}
	if !a.started {
		return DirectAnswer{ID: id, Reason: a.reason}, nil
	}
	c.cfg.Games.Start(ctx, id, info)
	return DirectAnswer{ID: id, Started: true}, nil
}

// findUser returns a user by name.
func (c *Challenger) findUser(ctx context.Context, name string) (*lichess.UserStatus, error) {
	if strings.EqualFold(name, c.cfg.Account().ID) {
		return nil, errors.New("that is this bot")
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list, err := c.cfg.Client.UserStatuses(ctx, strings.ToLower(name))
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errors.New("no such user")
	}
	return &list[0], nil
}
