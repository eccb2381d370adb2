package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// ErrNotBot is returned by Run for an account that cannot use the Bot API.
var ErrNotBot = errors.New("not a BOT account: run \"zhbot upgrade\" once, with an account that has never played")

// ErrNoScope is returned by Run for a token that allows following events but not playing.
var ErrNoScope = errors.New("the token lacks the scope bot:play: create one that has it")

// IsRefused reports whether Run ended because Lichess refuses the token or the
// account, so that retrying is pointless. The tokens of a closed account are
// refused.
func IsRefused(err error) bool {
	return event.IsFatal(err) || errors.Is(err, ErrNotBot) || errors.Is(err, ErrNoScope)
}

// identify reads the account, retrying while the server is unavailable.
func (b *Bot) identify(ctx context.Context) error {
	var account *lichess.Account
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	err := b.timing.retry.Do(ctx, b.log, "reading the account", permanent, func() (err error) {
		account, err = b.opts.Client.Account(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if !account.IsBot() {
		return fmt.Errorf("start as %s: %w", account.Username, ErrNotBot)
	}
	// If this fails, later requests will be refused.
	if token, err := b.opts.Client.TestToken(ctx); err == nil && token != nil && !slices.Contains(token.Scopes, "bot:play") {
		return fmt.Errorf("start as %s: %w", account.Username, ErrNoScope)
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
