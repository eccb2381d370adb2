package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// message returns a result that is only a message.
func message(format string, args ...any) (Result, error) {
	return Result{Message: fmt.Sprintf(format, args...)}, nil
}

func status(_ context.Context, c *call) (Result, error) {
	s := c.bot.Status()
	return Result{Message: s.Summary(), Status: &s}, nil
}

func pause(ctx context.Context, c *call) (Result, error) {
	p, canceled, err := c.bot.Pause(ctx, c.option)
	if err != nil {
		return Result{}, err
	}
	text := "paused"
	if p.Keep {
		text += ", also after a restart"
	}
	if len(canceled) > 0 {
		text += "; " + describe(canceled)
	}
	return message("%s; games in progress: %d", text, len(c.bot.Running()))
}

func resume(_ context.Context, c *call) (Result, error) {
	switch paused, err := c.bot.Resume(); {
	case err != nil:
		return Result{}, err
	case !paused:
		return message("was not paused")
	}
	return message("resumed")
}

func challenge(ctx context.Context, c *call) (Result, error) {
	color := lichess.Color("")
	for _, word := range []string{"white", "black"} {
		if c.has(word) {
			color = lichess.Color(word)
		}
	}
	a, err := c.bot.Challenge(ctx, c.user, lichess.ChallengeRequest{Clock: c.clock, Rated: !c.has("casual"), Color: color})
	return answered(c.user, a, err)
}

// answered returns the result of a challenge to a user.
func answered(user string, a matchmaking.Answer, err error) (Result, error) {
	result := Result{Challenge: a.ID}
	switch {
	case err != nil:
		return result, err
	case !a.Accepted:
		return result, fmt.Errorf("%s has not accepted: %s", user, a.Reason)
	}
	result.Game, result.Message = a.ID, fmt.Sprintf("%s has accepted: game %s", user, a.ID)
	return result, nil
}

func rematch(ctx context.Context, c *call) (Result, error) { return answered(c.bot.Rematch(ctx)) }

func gauntlet(ctx context.Context, c *call) (Result, error) {
	if c.has("stop") {
		switch ended, err := c.bot.EndGauntlet(); {
		case err != nil:
			return Result{}, err
		case !ended:
			return message("there is no gauntlet")
		}
		return message("gauntlet ended; a game in progress continues")
	}
	g := matchmaking.NewGauntlet(c.users, c.clock, !c.has("casual"), c.count)
	if err := c.bot.BeginGauntlet(ctx, g); err != nil {
		return Result{}, err
	}
	return message("gauntlet begun: %d games against each of %s", 2*g.Pairs, strings.Join(g.Opponents, ", "))
}

func cancel(ctx context.Context, c *call) (Result, error) {
	list, err := c.bot.CancelChallenges(ctx)
	switch {
	case err != nil:
		return Result{}, err
	case len(list) == 0:
		return message("we have no open challenge")
	}
	return message("%s", describe(list))
}

// describe describes challenges that were to be cancelled.
func describe(list []matchmaking.Canceled) string {
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = "challenge " + c.ID
		if c.User != "" {
			texts[i] += " to " + c.User
		}
		if c.Started {
			texts[i] += " was accepted just before"
		} else {
			texts[i] += " cancelled"
		}
	}
	return strings.Join(texts, ", ")
}

// setUser returns an action that moves a user to one of the operator's lists, "" for none.
func setUser(list record.UserList) action {
	return func(ctx context.Context, c *call) (Result, error) {
		was, canceled, err := c.bot.SetUser(ctx, c.user, list)
		switch {
		case err != nil:
			return Result{}, err
		case len(canceled) > 0:
			return message("%s is blocked; %s", c.user, describe(canceled))
		case list == "" && was == "":
			return message("%s was neither blocked nor allowed by the operator", c.user)
		case list == "":
			return message("%s is no longer %sed", c.user, was)
		}
		return message("%s is %sed", c.user, list)
	}
}

func setMatchmaking(_ context.Context, c *call) (Result, error) {
	on := c.has("on")
	c.bot.SetMatchmaking(on)
	switch {
	case !on:
		return message("matchmaking is off until the program ends")
	case c.bot.Status().Paused != nil:
		return message("matchmaking is on until the program ends; it begins when the bot is resumed")
	}
	return message("matchmaking is on until the program ends")
}

func arena(ctx context.Context, c *call) (Result, error) {
	if c.has("leave") {
		name, err := c.bot.LeaveArena(ctx, c.id)
		if err != nil {
			return Result{}, err
		}
		return message("arena %s (%s): left", name, c.id)
	}
	a, err := c.bot.JoinArena(ctx, c.id)
	if err != nil {
		return Result{}, err
	}
	return message("arena %s (%s): %s", a.Name, a.ID, a.State)
}

// inGame returns an action on a game.
func inGame(done string, do game.Command) action {
	return func(ctx context.Context, c *call) (Result, error) {
		id, err := findGame(c.game, c.bot.Running())
		if err != nil {
			return Result{}, err
		}
		if err := c.bot.Command(ctx, id, do); err != nil {
			return Result{Game: id}, fmt.Errorf("game %s: %w", id, err)
		}
		return Result{Game: id, Message: fmt.Sprintf("game %s: %s", id, done)}, nil
	}
}

// findGame returns the one of the games that a reference names.
func findGame(reference string, games []string) (string, error) {
	if slices.Contains(games, reference) {
		return reference, nil
	}
	var found []string
	for _, id := range games {
		if strings.HasPrefix(id, reference) {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("several games begin with %s: %s", reference, strings.Join(found, ", "))
	case len(games) == 0:
		return "", fmt.Errorf("no game %s: none is in progress", reference)
	}
	return "", fmt.Errorf("no game %s is in progress; those in progress are %s", reference, strings.Join(games, ", "))
}

func say(ctx context.Context, c *call) (Result, error) {
	return inGame("said", game.Say(c.text))(ctx, c)
}

func drain(_ context.Context, c *call) (Result, error) {
	c.bot.Drain()
	if games := c.bot.Running(); len(games) > 0 {
		return message("draining; games in progress: %s", strings.Join(games, ", "))
	}
	return message("draining; no game is in progress")
}

func reload(ctx context.Context, c *call) (Result, error) {
	if c.Reload == nil {
		return Result{}, errors.New("the configuration cannot be reloaded")
	}
	r, err := c.Reload(ctx)
	if err != nil {
		return Result{}, err
	}
	text := "nothing has changed"
	if len(r.Changed) > 0 {
		text = "changed: " + strings.Join(r.Changed, ", ")
	}
	if len(r.Later) > 0 {
		text += "; at the next start: " + strings.Join(r.Later, ", ")
	}
	return message("configuration reloaded; %s", text)
}
