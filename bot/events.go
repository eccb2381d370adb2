package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/lichess"
)

// followEvents keeps the event stream open. Before each opening the games in
// play are taken up: the stream never replays what it missed.
func (b *Bot) followEvents(ctx context.Context) error {
	pauses := newPauses()
	for {
		opened := time.Now()
		err := b.eventSession(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return fmt.Errorf("event stream: %w", err)
		}
		if time.Since(opened) > time.Minute {
			pauses.Reset()
		}
		wait := pauses.NextBackOff()
		var limited *lichess.RateLimitError
		if errors.As(err, &limited) {
			wait = max(wait, limited.RetryAfter)
		}
		b.log.Warn().Err(err).Dur("retry_in", wait).Msg("event stream lost")
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// eventSession takes up the games in play, then follows one event stream to
// its end.
func (b *Bot) eventSession(ctx context.Context) error {
	if err := b.reconcile(ctx); err != nil {
		return err
	}
	if err := b.openings.Wait(ctx); err != nil {
		return err
	}
	stream, err := b.opts.Client.StreamEvents(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	b.log.Info().Msg("event stream open")
	for {
		event, err := stream.Next()
		var line *lichess.LineError
		if errors.As(err, &line) {
			b.log.Warn().Err(err).Msg("event not read")
			continue
		}
		if err != nil {
			return err
		}
		b.handle(ctx, event)
	}
}

func (b *Bot) handle(ctx context.Context, event lichess.Event) {
	switch e := event.(type) {
	case *lichess.ChallengeCreated:
		b.challenged(e)
	case *lichess.ChallengeCanceled:
		b.withdrawn(&e.Challenge)
	case *lichess.ChallengeDeclined:
		b.withdrawn(&e.Challenge)
	case *lichess.GameStart:
		b.play(ctx, &e.Game)
	case *lichess.GameFinish:
		b.finish(&e.Game)
	case *lichess.UnknownEvent:
		b.log.Debug().Str("type", e.Type).Msg("unknown event")
	}
}

// fatal reports whether trying again is pointless until a person acts.
func fatal(err error) bool {
	var scope *lichess.ScopeError
	return errors.Is(err, lichess.ErrUnauthorized) || errors.As(err, &scope)
}

// newPauses returns growing pauses with jitter, from a quarter of a second to
// half a minute.
func newPauses() *backoff.ExponentialBackOff {
	p := backoff.NewExponentialBackOff()
	p.InitialInterval, p.MaxInterval = 250*time.Millisecond, 30*time.Second
	p.Reset()
	return p
}

// pause waits, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
