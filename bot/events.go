package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// followEvents keeps the event stream open, within what Lichess allows. After
// each opening the games in play are looked up, since the stream never replays
// what it missed; and before each but the first, so that no opening is spent on
// a server that is down.
func (b *Bot) followEvents(ctx context.Context) error {
	openings := newOpenings(b.pace, b.opts.State, b.log)
	defer openings.close()
	next := b.pace.pauses.begin()
	opened := false // has been open
	rival := rivalry{pauses: b.pace.rival, tolerated: 1}
	for {
		if err := openings.wait(ctx); err != nil {
			return err
		}
		began := time.Now()
		err := b.eventSession(ctx, &opened)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return fmt.Errorf("event stream: %w", err)
		case errors.Is(err, errMuteEvents):
			b.log.Info().Err(err).Msg("event stream opened again")
			b.tell(StreamLost{Err: err})
			continue
		case time.Since(began) > longLivedEvents:
			next.Reset()
		}
		wait := max(pauseAfter(err, next), b.suspect(ctx, &rival, err))
		b.log.Warn().Err(err).Dur("retry_in", wait).Msg("event stream lost")
		b.tell(StreamLost{Err: err, RetryIn: wait})
		if err := pause(ctx, wait); err != nil {
			return err
		}
		if err := b.awaitServer(ctx); err != nil {
			return fmt.Errorf("event stream: %w", err)
		}
	}
}

// longLivedEvents is how old an event stream must be for its end to be no sign
// of trouble.
const longLivedEvents = time.Minute

// awaitServer returns when the server answers; the games that it names are taken
// up. A rate limit is an answer too.
func (b *Bot) awaitServer(ctx context.Context) error {
	return b.persist(ctx, "listing the games in play", fatal, func() error {
		err := b.takeUp(ctx)
		var limited *lichess.RateLimitError
		if errors.As(err, &limited) {
			return nil
		}
		return err
	})
}

// suspect looks whether the server ended the event stream because somebody else
// opened it, and returns for how long to leave it to them.
func (b *Bot) suspect(ctx context.Context, rival *rivalry, end error) time.Duration {
	if !errors.Is(end, io.EOF) || b.opts.Client.Ping(ctx) != nil {
		return 0 // the connection, or a server that restarts
	}
	wait := rival.ended(time.Now())
	if wait > 0 {
		b.log.Error().Dur("retry_in", wait).
			Msg("another program uses this token: its event stream ends ours; stop it, or give it a token of its own")
		b.tell(SecondInstance{})
	}
	return wait
}

// eventSession follows one event stream to its end, and notes that it was open.
func (b *Bot) eventSession(ctx context.Context, opened *bool) error {
	session, watch := b.watchSilence(ctx) // games outlive it
	defer watch.stop()
	stream, err := b.opts.Client.StreamEvents(session)
	if err != nil {
		return err
	}
	defer stream.Close()
	watch.start()
	b.log.Info().Msg("event stream open")
	b.tell(StreamOpened{Reopened: *opened})
	if *opened {
		b.own.search() // what it missed
	}
	*opened = true
	b.askResync()
	for {
		event, err := stream.Next()
		watch.heard()
		var line *lichess.LineError
		switch {
		case errors.As(err, &line):
			b.log.Warn().Err(err).Msg("event not read")
		case err != nil:
			return cmp.Or(watch.mute(), err)
		default:
			end := b.liveness.begin("an event")
			b.handle(ctx, event)
			end()
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
		b.own.settled(e.Challenge.ID, answer{reason: refusedNoAnswer})
	case *lichess.ChallengeDeclined:
		b.desk.withdraw(e.Challenge.ID)
		b.own.settled(e.Challenge.ID, answer{reason: reasonOf(&e.Challenge)})
	case *lichess.GameStart:
		b.join(ctx, &e.Game)
		b.own.settled(e.Game.ID, answer{started: true})
	case *lichess.GameFinish:
		b.slots.finish(&e.Game)
	case *lichess.UnknownEvent:
		b.log.Debug().Str("type", e.Type).Msg("unknown event")
	}
}
