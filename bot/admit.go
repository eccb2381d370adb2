package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/event"
)

// admitGames lets new games begin, once those in progress are resumed and the engine is
// ready, or does not become ready in time: then its fallback stands in for it.
//
// While the engine cannot be used (its program is missing, for instance), no new game
// begins. The fallback plays the games that are in progress, and after them Run ends with
// the error, unless the engine can be used by then: an operator who has made a mistake
// learns of it at once when nothing is at stake, and loses no game by it otherwise.
func (b *Bot) admitGames(ctx context.Context) error {
	deadline := time.Now().Add(b.timing.engineWait)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-b.resumed:
	}
	for reported := false; ; reported = true {
		err := b.awaitEngine(ctx, deadline)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			b.games.Open()
			return nil
		}
		changed, games := b.games.Changed(), b.games.Unfinished()
		if len(games) == 0 {
			return fmt.Errorf("start: %w", err)
		}
		if !reported {
			b.log.Error().Err(err).Strs("games", games).Msg("engine cannot be used: the fallback plays the games in progress, then the bot stops")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.games.Draining():
			return nil
		case <-changed:
		}
	}
}

// awaitEngine waits until the engine is ready, at most until the deadline, and returns why
// it cannot be used.
func (b *Bot) awaitEngine(ctx context.Context, deadline time.Time) error {
	if b.opts.AwaitEngine == nil {
		return nil
	}
	waiting, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	err := b.opts.AwaitEngine(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		b.log.Warn().Msg("engine still not ready: new games begin, and the fallback plays until it is")
		err = nil
	}
	if err == nil && b.opts.Program != nil {
		b.emit(event.EngineReady{Program: b.opts.Program()})
	}
	return err
}
