package bot

import (
	"context"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// followEvents follows the event stream. After each opening the games in progress are
// listed, since the stream never replays what it missed; and before each but the
// first, so that no opening is wasted on a server that is down.
func (b *Bot) followEvents(ctx context.Context) error {
	return followEventStream(ctx, eventStreamOptions{
		Client: b.opts.Client, Account: b.me().ID, State: b.opts.State, Timing: b.timing.events, Log: b.log, Emit: b.emit,
		AwaitServer: b.reconciler.AwaitServer,
		Opened: func(reopened bool) {
			if reopened {
				b.challenger.RequestLookup() // what it missed
			}
			b.games.RequestSync()
		},
		Handle: func(e lichess.Event) {
			defer b.liveness.BeginTask("an event")()
			b.handle(ctx, e) // the games outlive the connection
		},
	})
}

// handle handles an event. It sends no requests, so that the stream is read
// promptly.
func (b *Bot) handle(ctx context.Context, received lichess.Event) {
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
