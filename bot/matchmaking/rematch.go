package matchmaking

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// rematchWait is how long a rematch that we offer waits for an answer before it is
// cancelled: it does not expire by itself.
const rematchWait = 30 * time.Second

// CheckRematch reports whether our opponent in a game, a human, may have it again with
// colours reversed, and the rule that decides; us is our colour.
func (c *Challenger) CheckRematch(full *lichess.GameFull, us rules.Color) (rule string, ok bool) {
	ours, theirs := players(full, us)
	switch {
	case theirs.IsBot() || theirs.AILevel > 0 || theirs.ID == "",
		!c.cfg.Opponents.AllowRematch(opponent.ID(theirs), time.Now(), false):
		return "send me a challenge", false
	case full.TournamentID != "":
		return "this is a tournament", false
	case c.cfg.Games.IsDraining():
		return "I am shutting down", false
	}
	return c.cfg.Accepts(rematchOf(full, theirs), ours.Rating)
}

// OfferRematch challenges the opponent of a game to a rematch, if it may have one and a
// slot is free. It does not wait for the answer, which may take longer than the game's end.
func (c *Challenger) OfferRematch(ctx context.Context, full *lichess.GameFull, us rules.Color) {
	if _, ok := c.CheckRematch(full, us); !ok {
		return
	}
	_, theirs := players(full, us)
	r := outgoingRequest{
		user: theirs.Name, sender: event.Rematch, wait: rematchWait,
		request: lichess.ChallengeRequest{
			Rated: full.Rated, Clock: full.Clock, Days: full.DaysPerTurn,
			Color: lichess.Color(us.Other().String()), Opponent: lichess.Human,
		},
	}
	c.cfg.Games.Go(func() {
		if c.cfg.Opponents.AllowRematch(opponent.ID(theirs), time.Now(), true) {
			_, _, _ = c.send(ctx, r) // which logs how it ended
		}
	})
}

func players(full *lichess.GameFull, us rules.Color) (ours, theirs *lichess.Player) {
	if us == rules.White {
		return &full.White, &full.Black
	}
	return &full.Black, &full.White
}

// rematchOf returns the challenge for a rematch, with the game's terms.
func rematchOf(full *lichess.GameFull, challenger *lichess.Player) *lichess.Challenge {
	c := &lichess.Challenge{
		Challenger: challenger, Variant: full.Variant, Rated: full.Rated, Speed: full.Speed,
		TimeControl: lichess.TimeControl{Type: lichess.UnlimitedControl}, RematchOf: full.ID,
	}
	switch {
	case !full.Clock.IsZero():
		c.TimeControl = lichess.TimeControl{Type: lichess.ClockControl, Clock: full.Clock}
	case full.DaysPerTurn > 0:
		c.TimeControl = lichess.TimeControl{Type: lichess.CorrespondenceControl, DaysPerTurn: full.DaysPerTurn}
	}
	return c
}
