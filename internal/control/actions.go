package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// action carries out a command.
type action func(context.Context, *Operator) (Result, error)

// onBot returns an action on the bot that plays.
func onBot(do func(context.Context, Bot) (Result, error)) action {
	return func(ctx context.Context, o *Operator) (Result, error) {
		b := o.Bot()
		if b == nil {
			return Result{}, ErrNotPlaying
		}
		return do(ctx, b)
	}
}

// message returns a result that is only a message.
func message(format string, args ...any) Result { return Result{Message: fmt.Sprintf(format, args...)} }

var status = onBot(func(_ context.Context, b Bot) (Result, error) {
	s := b.Status()
	return Result{Message: s.Summary(), Status: &s}, nil
})

func pause(keep bool) action {
	return onBot(func(ctx context.Context, b Bot) (Result, error) {
		p, canceled, err := b.Pause(ctx, keep)
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
		return message("%s; games in progress: %d", text, len(b.Running())), nil
	})
}

var resume = onBot(func(_ context.Context, b Bot) (Result, error) {
	switch paused, err := b.Resume(); {
	case err != nil:
		return Result{}, err
	case !paused:
		return message("was not paused"), nil
	}
	return message("resumed"), nil
})

func challenge(c Challenge) action {
	return onBot(func(ctx context.Context, b Bot) (Result, error) {
		a, err := b.Challenge(ctx, c)
		result := Result{Challenge: a.ID}
		switch {
		case err != nil:
			return result, err
		case !a.Accepted:
			return result, fmt.Errorf("%s has not accepted: %s", c.User, a.Reason)
		}
		result.Game, result.Message = a.ID, fmt.Sprintf("%s has accepted: game %s", c.User, a.ID)
		return result, nil
	})
}

var cancel = onBot(func(ctx context.Context, b Bot) (Result, error) {
	list, err := b.CancelChallenges(ctx)
	if err != nil {
		return Result{}, err
	}
	if len(list) == 0 {
		return message("we have no open challenge"), nil
	}
	return message("%s", describe(list)), nil
})

// describe describes challenges that were to be cancelled.
func describe(list []Canceled) string {
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

func setMatchmaking(on bool) action {
	return onBot(func(_ context.Context, b Bot) (Result, error) {
		b.SetMatchmaking(on)
		switch {
		case !on:
			return message("matchmaking is off until the program ends"), nil
		case b.Status().Paused != nil:
			return message("matchmaking is on until the program ends; it begins when the bot is resumed"), nil
		}
		return message("matchmaking is on until the program ends"), nil
	})
}

func joinArena(id string) action {
	return onBot(func(ctx context.Context, b Bot) (Result, error) {
		a, err := b.JoinArena(ctx, id)
		if err != nil {
			return Result{}, err
		}
		return message("arena %s (%s): %s", a.Name, a.ID, a.State), nil
	})
}

// inGame returns an action on the game that a reference names.
func inGame(reference, done string, do func(Bot, context.Context, string) error) action {
	return onBot(func(ctx context.Context, b Bot) (Result, error) {
		id, err := findGame(reference, b.Running())
		if err != nil {
			return Result{}, err
		}
		if err := do(b, ctx, id); err != nil {
			return Result{Game: id}, fmt.Errorf("game %s: %w", id, err)
		}
		return Result{Game: id, Message: fmt.Sprintf("game %s: %s", id, done)}, nil
	})
}

func say(reference, text string) action {
	return inGame(reference, "said", func(b Bot, ctx context.Context, game string) error { return b.Say(ctx, game, text) })
}

var drain = onBot(func(_ context.Context, b Bot) (Result, error) {
	b.Drain()
	if games := b.Running(); len(games) > 0 {
		return message("draining; games in progress: %s", strings.Join(games, ", ")), nil
	}
	return message("draining; no game is in progress"), nil
})

func reload(ctx context.Context, o *Operator) (Result, error) {
	if o.Reload == nil {
		return Result{}, errors.New("the configuration cannot be reloaded")
	}
	r, err := o.Reload(ctx)
	if err != nil {
		return Result{}, err
	}
	text := "configuration reloaded"
	if len(r.Changed) > 0 {
		text += "; changed: " + strings.Join(r.Changed, ", ")
	} else {
		text += "; nothing has changed"
	}
	if len(r.Later) > 0 {
		text += "; at the next start: " + strings.Join(r.Later, ", ")
	}
	return message("%s", text), nil
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
