package bot

import (
	"context"
	"errors"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// followEvents follows the event stream. After each opening the games in progress are
// listed, since the stream never replays what it missed; and before each but the
// first, so that no opening is wasted on a server that is down.
func (b *Bot) followEvents(ctx context.Context) error {
	return followEventStream(ctx, eventStreamOptions{
		Client: b.opts.Client, Account: b.me().ID, State: b.opts.State, Timing: b.timing.events, Log: b.log, Emit: b.emit,
		AwaitServer: b.awaitServer,
		Opened: func(reopened bool) {
			if reopened {
				b.challenger.RequestLookup() // what it missed
			}
			b.requestSync()
		},
		Handle: func(e lichess.Event) {
			defer b.liveness.BeginTask("an event")()
			b.handle(ctx, e) // the games outlive the connection
		},
	})
}

// awaitServer waits until the server answers, and resumes the games that it lists. A
// rate limit is an answer too.
func (b *Bot) awaitServer(ctx context.Context) error {
	return b.timing.retry.Do(ctx, b.log, "listing the games in progress", event.IsFatal, func() error {
		err := b.syncGames(ctx)
		var limited *lichess.RateLimitError
		if errors.As(err, &limited) {
			return nil
		}
		return err
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
		b.join(ctx, &e.Game)
		b.challenger.Started(e.Game.ID)
	case *lichess.GameFinish:
		b.playing.DeliverFinal(&e.Game)
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
