package matchmaking

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// rematchWait is how long a rematch that we offer waits for an answer before it is
// cancelled: it does not expire by itself.
const rematchWait = 30 * time.Second

// Rematches offers humans the same game with colours reversed, if the policy for
// challenges allows it.
type Rematches struct {
	cfg      Config
	outgoing *Outgoing
	decide   func(c *lichess.Challenge, rating int) (rule string, accept bool)
}

// NewRematches returns a Rematches whose challenges outgoing follows. decide is the
// policy: it returns whether a challenge would be accepted, given our rating, and the
// rule that decides.
func NewRematches(c Config, outgoing *Outgoing, decide func(c *lichess.Challenge, rating int) (rule string, accept bool)) *Rematches {
	return &Rematches{c, outgoing, decide}
}

// Check reports whether our opponent in a game may have a rematch, and the rule that
// decides; us is our colour.
func (r *Rematches) Check(full *lichess.GameFull, us lichess.Color) (rule string, ok bool) {
	ours, theirs := players(full, us)
	switch {
	case theirs.IsBot() || theirs.AILevel > 0 || theirs.ID == "":
		return "send me a challenge", false
	case full.TournamentID != "":
		return "this is a tournament", false
	case r.cfg.isDraining():
		return "I am shutting down", false
	}
	return r.decide(rematchOf(full, theirs), ours.Rating)
}

// Offer challenges the opponent of a game to a rematch, if it may have one and a slot
// is free. It does not wait for the answer, which may take longer than the game's
// end.
func (r *Rematches) Offer(ctx context.Context, full *lichess.GameFull, us lichess.Color, log zerolog.Logger) {
	if _, ok := r.Check(full, us); !ok {
		return
	}
	_, theirs := players(full, us)
	game := game.Info{Opponent: opponent.ID(theirs), Clock: !full.Clock.IsZero()}
	slot, err := r.cfg.Slots.Reserve(game)
	if err != nil {
		log.Info().Err(err).Msg("no slot for a rematch")
		return
	}
	color := lichess.White
	if us == lichess.White {
		color = lichess.Black
	}
	terms := rematchOf(full, theirs)
	c := newChallenge{
		user: theirs.Name, game: game, slot: slot, sender: event.Rematch, wait: rematchWait,
		request: lichess.ChallengeRequest{
			Rated: terms.Rated, Clock: terms.TimeControl.Clock, Days: terms.TimeControl.DaysPerTurn, Color: color, Opponent: lichess.Human,
		},
	}
	r.cfg.Games.Go(func() {
		if id, a, err := r.outgoing.send(ctx, c); err == nil && a.started {
			r.cfg.start(ctx, id, game)
		}
	})
}

func players(full *lichess.GameFull, us lichess.Color) (ours, theirs *lichess.Player) {
	if us == lichess.White {
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
