package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// Account returns the account's name, "" before Run has read it.
func (b *Bot) Account() string {
	if account := b.me(); account != nil {
		return account.Username
	}
	return ""
}

func (b *Bot) me() *lichess.Account { return b.account.Load() }

// rated returns our account with the rating after the latest game.
func (b *Bot) rated() *lichess.Account {
	me := *b.me()
	perf := me.Perfs[lichess.Crazyhouse]
	perf.Rating = b.recent.latestRating()
	me.Perfs = map[string]lichess.PerfRating{lichess.Crazyhouse: perf}
	return &me
}

// identify reads the account, retrying while the server is unavailable.
func (b *Bot) identify(ctx context.Context, done chan<- struct{}) error {
	var account *lichess.Account
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	err := event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second}.Do(ctx, b.log,
		"reading the account", permanent, func() (err error) {
			if account, err = b.opts.Client.Account(ctx); err != nil {
				b.noteOffline(err)
			}
			return err
		})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if err := CheckUpgraded(account); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	b.account.Store(account)
	if offset := b.opts.Client.ClockOffset(); offset != 0 {
		b.log.Warn().Stringer("behind", offset).
			Msg("this machine's clock is wrong: set it, or daily limits and hours of play are off")
	}
	b.log.Info().Str("account", account.Username).Int("rating", account.Perfs[lichess.Crazyhouse].Rating).
		Msg("logged in")
	b.emit(event.LoggedIn{Account: account.Username, Rating: account.Perfs[lichess.Crazyhouse].Rating,
		Network: b.opts.Network})
	b.engineDue = time.Now().Add(engineWait)
	close(done)
	return nil
}

// reconcile keeps the games in step with the server's list, and closes resumed once those in
// progress are known.
func (b *Bot) reconcile(ctx context.Context, resumed chan<- struct{}) error {
	return b.manager.Reconcile(ctx, func() {
		close(resumed)
		b.challenger.RequestLookup()
	})
}

// loadHistory reads the records of earlier runs, as far as they can be read.
func (b *Bot) loadHistory(ctx context.Context, done chan<- struct{}) error {
	defer close(done)
	if b.opts.History == nil {
		return nil
	}
	if err := b.memory.Load(ctx, b.opts.History, b.me().Username, time.Now()); err != nil && ctx.Err() == nil {
		b.log.Warn().Err(err).Msg("game history not fully loaded")
	}
	return nil
}

// awaitHistory waits for the records of earlier runs, which are needed for new games, but not
// for a slow disk.
func (b *Bot) awaitHistory(ctx context.Context, loaded <-chan struct{}, ready chan<- struct{}) error {
	defer close(ready)
	select {
	case <-loaded:
	case <-time.After(historyWait):
		b.log.Warn().Msg("game history still being read: playing without it")
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// checkScopes fails if the token allows following events but not playing; games in progress
// do not wait for it. If the token cannot be tested, later requests will be refused.
func (b *Bot) checkScopes(ctx context.Context) error {
	if token, err := b.opts.Client.TestToken(ctx); err == nil && token != nil {
		if err := checkToken(token, b.opts.Site); err != nil {
			return fmt.Errorf("start: %w", err)
		}
	}
	return nil
}

// admitGames lets new games begin once the engine is ready, or is not in time: then
// its fallback stands in for it.
//
// While the engine cannot be used (its program is missing, for instance), no new game
// begins. The fallback plays the games that are in progress, and after them Run ends with
// the error, unless the engine can be used by then: an operator who has made a mistake
// learns of it at once when nothing is at stake, and loses no game by it otherwise.
func (b *Bot) admitGames(ctx context.Context) error {
	for reported := false; ; reported = true {
		err := b.awaitEngine(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			b.games.Open()
			return nil
		}
		changed, games := b.games.Changed(), b.games.Unfinished()
		if len(games) == 0 && !b.games.IsDraining() {
			return fmt.Errorf("start: %w", err)
		}
		if !reported {
			b.log.Error().Err(err).Strs("games", games).
				Msg("engine cannot be used: the fallback plays the games in progress, then the bot stops")
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

// awaitEngine waits until the engine is ready, for a while, and returns why
// it cannot be used.
func (b *Bot) awaitEngine(ctx context.Context) error {
	if b.opts.AwaitEngine == nil {
		return nil
	}
	waiting, cancel := context.WithDeadline(ctx, b.engineDue)
	defer cancel()
	err := b.opts.AwaitEngine(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		b.log.Warn().Msg("engine still not ready: new games begin, and the fallback plays until it is")
		err = nil
	}
	return err
}
