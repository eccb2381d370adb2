package bot

import (
	"context"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// handle handles an event. It sends no requests, so that the stream is read
// promptly.
func (b *Bot) handle(ctx context.Context, received lichess.Event) {
	defer b.liveness.BeginTask("an event")()
	switch e := received.(type) {
	case *lichess.ChallengeCreated:
		b.handleChallenge(e)
	case *lichess.ChallengeCanceled:
		b.queue.Remove(e.Challenge.ID)
		b.challenger.Canceled(e.Challenge.ID)
	case *lichess.ChallengeDeclined:
		b.queue.Remove(e.Challenge.ID)
		b.challenger.Declined(&e.Challenge)
	case *lichess.GameStart:
		b.reconciler.Join(ctx, &e.Game)
		b.challenger.Started(e.Game.ID)
	case *lichess.GameFinish:
		b.games.Final(&e.Game)
	case *lichess.UnknownEvent:
		b.log.Debug().Str("type", e.Type).Msg("unknown event")
	}
}

// handleChallenge queues a challenge to us, and follows one of ours.
func (b *Bot) handleChallenge(e *lichess.ChallengeCreated) {
	me, c := b.me(), &e.Challenge
	if c.Challenger != nil && strings.EqualFold(c.Challenger.ID, me.ID) {
		b.challenger.Created(c)
		return
	}
	b.queue.Add(e, me.Perfs[lichess.Crazyhouse].Rating)
}
