package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/lichess"
)

// Challenge sends a challenge that the operator wants, and waits for its answer: even to a
// human, and regardless of the budget and of what is remembered about the opponent, but
// never without a slot. If the context ends before that, the challenge stays open and is
// followed.
func (c *Challenger) Challenge(ctx context.Context, wanted control.Challenge) (control.Answer, error) {
	var answer control.Answer
	var err error
	if undone := c.do(ctx, func(ctx context.Context) { answer, err = c.challengeUser(ctx, wanted) }); undone != nil {
		return control.Answer{}, fmt.Errorf("challenge %s: %w", wanted.User, undone)
	}
	return answer, err
}

// challengeUser sends a challenge and follows it to its end.
func (c *Challenger) challengeUser(ctx context.Context, wanted control.Challenge) (control.Answer, error) {
	user, err := c.findUser(ctx, wanted.User)
	if err != nil {
		return control.Answer{}, fmt.Errorf("challenge %s: %w", wanted.User, err)
	}
	id, a, err := c.send(ctx, outgoingRequest{
		user: user.Name, sender: event.Operator, wait: c.cfg.Timing.AnswerTimeout,
		request: lichess.ChallengeRequest{
			Rated: wanted.Rated, Clock: wanted.Clock, Color: lichess.Color(wanted.Color), Opponent: lichess.OpponentKind(user.IsBot()),
		},
	})
	return control.Answer{ID: id, Accepted: a.started, Reason: a.reason}, err
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
