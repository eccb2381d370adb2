package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// Answer is the answer to a challenge of ours.
type Answer struct {
	ID       string // of the challenge, and of the game if it was accepted
	Accepted bool
	Reason   string // why not
}

// Challenge sends a challenge that the operator wants, and waits for its answer: even to a
// human, and regardless of the budget and of what is remembered about the opponent, but
// never without a slot. If the context ends before that, the challenge stays open and is
// followed.
func (c *Challenger) Challenge(ctx context.Context, name string, r lichess.ChallengeRequest) (Answer, error) {
	var answer Answer
	var err error
	if undone := c.do(ctx, func(ctx context.Context) { answer, err = c.challengeUser(ctx, name, r) }); undone != nil {
		return Answer{}, fmt.Errorf("challenge %s: %w", name, undone)
	}
	return answer, err
}

// challengeUser sends a challenge and follows it to its end.
func (c *Challenger) challengeUser(ctx context.Context, name string, r lichess.ChallengeRequest) (Answer, error) {
	user, err := c.findUser(ctx, name)
	if err != nil {
		return Answer{}, fmt.Errorf("challenge %s: %w", name, err)
	}
	r.Opponent = lichess.OpponentKind(user.IsBot())
	id, a, err := c.send(ctx, outgoingRequest{
		user: user.Name, sender: event.Operator, wait: c.cfg.Timing.AnswerTimeout, request: r,
	})
	return Answer{ID: id, Accepted: a.started, Reason: a.reason}, err
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
