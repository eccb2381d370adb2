package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/lichess"
)

// followEvents keeps the event stream open, within what Lichess allows. After
// each opening the games in play are looked up, since the stream never replays
// what it missed.
func (b *Bot) followEvents(ctx context.Context) error {
	openings := rate.NewLimiter(rate.Every(b.pace.openingEvery), b.pace.openings)
	next := b.pace.pauses.begin()
	opened := false // has been open
	for {
		if err := openings.Wait(ctx); err != nil {
			return err
		}
		began := time.Now()
		err := b.eventSession(ctx, &opened)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return fmt.Errorf("event stream: %w", err)
		case time.Since(began) > time.Minute:
			next.Reset()
		}
		wait := pauseAfter(err, next)
		b.log.Warn().Err(err).Dur("retry_in", wait).Msg("event stream lost")
		b.tell(StreamLost{Err: err, RetryIn: wait})
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// eventSession follows one event stream to its end, and notes that it was open.
func (b *Bot) eventSession(ctx context.Context, opened *bool) error {
	stream, err := b.opts.Client.StreamEvents(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	b.log.Info().Msg("event stream open")
	b.tell(StreamOpened{Again: *opened})
	*opened = true
	b.askResync()
	for {
		event, err := stream.Next()
		var line *lichess.LineError
		switch {
		case errors.As(err, &line):
			b.log.Warn().Err(err).Msg("event not read")
		case err != nil:
			return err
		default:
			b.handle(ctx, event)
		}
	}
}

// handle takes in an event. It sends nothing: the stream must be read on.
func (b *Bot) handle(ctx context.Context, event lichess.Event) {
	switch e := event.(type) {
	case *lichess.ChallengeCreated:
		b.desk.add(e)
	case *lichess.ChallengeCanceled:
		b.desk.withdraw(e.Challenge.ID)
		b.matches.outbox.settle(e.Challenge.ID, answer{reason: refusedNoAnswer})
	case *lichess.ChallengeDeclined:
		b.desk.withdraw(e.Challenge.ID)
		b.matches.outbox.settle(e.Challenge.ID, answer{reason: reasonOf(&e.Challenge)})
	case *lichess.GameStart:
		b.join(ctx, &e.Game)
		b.matches.outbox.settle(e.Game.ID, answer{started: true})
	case *lichess.GameFinish:
		b.slots.finish(&e.Game)
	case *lichess.UnknownEvent:
		b.log.Debug().Str("type", e.Type).Msg("unknown event")
	}
}
