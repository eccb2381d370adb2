package bot

import (
	"context"
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

func (b *Bot) me() *lichess.Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account
}

// identify reads the account, retrying while the server is unavailable.
func (b *Bot) identify(ctx context.Context) error {
	var account *lichess.Account
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	err := event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second}.Do(ctx, b.log, "reading the account", permanent, func() (err error) {
		account, err = b.opts.Client.Account(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if err := CheckUpgraded(account); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	b.mu.Lock()
	b.account = account
	b.mu.Unlock()
	if offset := b.opts.Client.ClockOffset(); offset != 0 {
		b.log.Warn().Stringer("behind", offset).Msg("this machine's clock is wrong: set it, or daily limits and hours of play are off")
	}
	b.log.Info().Str("account", account.Username).Int("rating", account.Perfs[lichess.Crazyhouse].Rating).Msg("logged in")
	b.emit(event.LoggedIn{Account: account.Username, Rating: account.Perfs[lichess.Crazyhouse].Rating, Network: b.opts.Network})
	return nil
}

// checkScopes fails if the token allows following events but not playing; games in progress
// do not wait for it. If the token cannot be tested, later requests will be refused.
func (b *Bot) checkScopes(ctx context.Context) error {
	select {
	case <-b.resumed:
	case <-ctx.Done():
		return ctx.Err()
	}
	if token, err := b.opts.Client.TestToken(ctx); err == nil && token != nil {
		if err := checkToken(token, b.opts.Site); err != nil {
			return fmt.Errorf("start: %w", err)
		}
	}
	return nil
}
