package bot

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// rematchWait is how long a rematch that we offer waits for an answer before it is
// canceled: it does not expire by itself.
const rematchWait = 30 * time.Second

// rematchChallenge returns the challenge for a rematch, with the game's terms.
func (g *game) rematchChallenge() *lichess.Challenge {
	c := &lichess.Challenge{
		Challenger: g.opponent(), Variant: g.full.Variant, Rated: g.full.Rated, Speed: g.full.Speed,
		TimeControl: lichess.TimeControl{Type: lichess.UnlimitedControl}, RematchOf: g.id,
	}
	switch {
	case g.full.Clock != nil:
		c.TimeControl = lichess.TimeControl{
			Type:      lichess.ClockControl,
			Limit:     lichess.Seconds(g.full.Clock.Initial.Duration() / time.Second),
			Increment: lichess.Seconds(g.full.Clock.Increment.Duration() / time.Second),
		}
	case g.full.DaysPerTurn > 0:
		c.TimeControl = lichess.TimeControl{Type: lichess.CorrespondenceControl, DaysPerTurn: g.full.DaysPerTurn}
	}
	return c
}

// checkRematch checks a rematch against the policy for challenges, and returns the
// deciding rule.
func (g *game) checkRematch() (rule string, ok bool) {
	b, them := g.bot, g.opponent()
	switch {
	case !isHuman(them) || them.ID == "":
		return "send me a challenge", false
	case g.full.TournamentID != "":
		return "this is a tournament", false
	case b.isDraining():
		return "I am shutting down", false
	}
	us := &g.full.White
	if g.us == rules.Black {
		us = &g.full.Black
	}
	d := b.queue.Decide(challenge.Offer{Challenge: g.rematchChallenge(), Playable: true, Rating: us.Rating})
	if d.Accept && b.memory.IsAvoided(opponent.ID(them), time.Now()) {
		return "too many aborted games", false
	}
	return d.Rule, d.Accept
}

// offerRematch challenges the opponent to the same game with colours changed, if
// that was requested and a slot is free. It has a goroutine of its own, since the
// answer may take longer than the game's end.
func (g *game) offerRematch(ctx context.Context) {
	if !g.rematchWanted {
		return
	}
	if _, ok := g.checkRematch(); !ok {
		return
	}
	b, id := g.bot, opponent.ID(g.opponent())
	p := slots.Game{Opponent: id, Clock: g.full.Clock != nil}
	slot, err := b.slots.Reserve(p)
	if err != nil {
		g.log.Info().Err(err).Msg("no slot for a rematch")
		return
	}
	color := lichess.White
	if g.us == rules.White {
		color = lichess.Black
	}
	c := g.rematchChallenge()
	request := lichess.ChallengeRequest{
		Rated: c.Rated, Limit: c.TimeControl.Limit.Duration(), Increment: c.TimeControl.Increment.Duration(),
		Days: c.TimeControl.DaysPerTurn, Color: color, Opponent: lichess.Human,
	}
	b.games.Go(func() { b.sendRematch(ctx, g.log, slot, p, request) })
}

// sendRematch sends the challenge and waits for its outcome.
func (b *Bot) sendRematch(ctx context.Context, log zerolog.Logger, slot *slots.Reservation, p slots.Game, request lichess.ChallengeRequest) {
	c, err := b.opts.Client.CreateChallenge(ctx, p.Opponent, request)
	if err != nil {
		log.Warn().Err(err).Msg("rematch not offered")
		slot.Release()
		return
	}
	slot.Bind(c.ID)
	log.Info().Str("challenge", c.ID).Msg("rematch offered")
	if a := <-b.outgoing.follow(c.ID, rematchWait); !a.started {
		slot.Release()
	} else if b.slots.Register(c.ID, p) {
		b.games.Go(func() { b.play(ctx, c.ID, nil) })
	}
}
