package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/duplicate"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/lichess"
)

// followEvents keeps the event stream open, within Lichess's limits. After each
// opening the games in progress are listed, since the stream never replays what it
// missed; and before each but the first, so that no opening is wasted on a server
// that is down.
func (b *Bot) followEvents(ctx context.Context) error {
	openings := newOpenings(b.timing, b.opts.State, b.log)
	defer openings.close()
	next := b.timing.retry.Start()
	opened := false // has been open
	duplicates := duplicate.Detector{Backoff: b.timing.duplicateBackoff, Tolerated: 1}
	for {
		if err := openings.wait(ctx); err != nil {
			return err
		}
		began := time.Now()
		err := b.eventSession(ctx, &opened)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case retry.IsFatal(err):
			return fmt.Errorf("event stream: %w", err)
		case errors.Is(err, errSilentEvents):
			b.log.Info().Err(err).Msg("event stream reopened")
			b.emit(event.StreamLost{Err: err})
			continue
		case time.Since(began) > longLivedEvents:
			next.Reset()
		}
		wait := max(next.After(err), b.detectDuplicate(ctx, &duplicates, err))
		b.log.Warn().Err(err).Dur("retry_in", wait).Msg("event stream lost")
		b.emit(event.StreamLost{Err: err, RetryIn: wait})
		if err := retry.Sleep(ctx, wait); err != nil {
			return err
		}
		if err := b.awaitServer(ctx); err != nil {
			return fmt.Errorf("event stream: %w", err)
		}
	}
}

// longLivedEvents is the age from which the end of an event stream is not a sign of
// trouble.
const longLivedEvents = time.Minute

// awaitServer waits until the server answers, and resumes the games that it lists. A
// rate limit is an answer too.
func (b *Bot) awaitServer(ctx context.Context) error {
	return b.timing.retry.Do(ctx, b.log, "listing the games in progress", retry.IsFatal, func() error {
		err := b.syncGames(ctx)
		var limited *lichess.RateLimitError
		if errors.As(err, &limited) {
			return nil
		}
		return err
	})
}

// detectDuplicate checks whether the server ended the event stream because another
// program opened it, and returns how long to leave it to that program.
func (b *Bot) detectDuplicate(ctx context.Context, detector *duplicate.Detector, end error) time.Duration {
	if !errors.Is(end, io.EOF) || b.opts.Client.Ping(ctx) != nil {
		return 0 // a network error, or a server restart
	}
	wait := detector.StreamEnded(time.Now())
	if wait > 0 {
		b.log.Error().Dur("retry_in", wait).
			Msg("another program uses this token: its event stream ends ours; stop it, or give it a token of its own")
		b.emit(event.SecondInstance{})
	}
	return wait
}

// eventSession follows one event stream to its end, and sets opened once it is open.
func (b *Bot) eventSession(ctx context.Context, opened *bool) error {
	session, watch := b.watchSilence(ctx) // not for the games, which outlive it
	defer watch.stop()
	stream, err := b.opts.Client.StreamEvents(session)
	if err != nil {
		return err
	}
	defer stream.Close()
	watch.start()
	b.log.Info().Msg("event stream open")
	b.emit(event.StreamOpened{Reopened: *opened})
	if *opened {
		b.outgoing.RequestLookup() // what it missed
	}
	*opened = true
	b.requestSync()
	for {
		e, err := stream.Next()
		watch.reset()
		var line *lichess.LineError
		switch {
		case errors.As(err, &line):
			b.log.Warn().Err(err).Msg("invalid event line")
		case err != nil:
			return cmp.Or(watch.cause(), err)
		default:
			end := b.liveness.BeginTask("an event")
			b.handle(ctx, e)
			end()
		}
	}
}

// handle handles an event. It sends no requests, so that the stream is read
// promptly.
func (b *Bot) handle(ctx context.Context, received lichess.Event) {
	switch e := received.(type) {
	case *lichess.ChallengeCreated:
		b.handleChallenge(e)
	case *lichess.ChallengeCanceled:
		b.queue.Remove(e.Challenge.ID)
		b.outgoing.Canceled(e.Challenge.ID)
	case *lichess.ChallengeDeclined:
		b.queue.Remove(e.Challenge.ID)
		b.outgoing.Declined(&e.Challenge)
	case *lichess.GameStart:
		b.join(ctx, &e.Game)
		b.outgoing.Started(e.Game.ID)
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
		b.outgoing.Created(c)
		return
	}
	b.queue.Add(e, me.Perfs[lichess.Crazyhouse].Rating)
}
