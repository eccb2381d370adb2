package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Inspection is what Lichess says about a token and its account.
type Inspection struct {
	Account *lichess.Account
	Scopes  []string  // of the token
	Expires time.Time // the token; zero if never
}

// Refusal is why a token, or the account that it belongs to, cannot be a bot's. Its texts
// may contain names from the network.
type Refusal struct {
	About string // "token" or "account"
	Text  string
	Todo  string // what its owner can do
}

func (r *Refusal) Error() string { return r.Text + ": " + r.Todo }

// IsRefused reports whether Lichess refuses the token or the account, so that retrying is
// pointless.
func IsRefused(err error) bool {
	return event.IsFatal(err) || errors.As(err, new(*Refusal))
}

// Inspect asks the server at a URL about the token of a client and its account. The error
// is a *[Refusal] if they cannot be a bot's. An account that may become one is no error:
// see [CheckUpgraded].
func Inspect(ctx context.Context, client *lichess.Client, url string) (i Inspection, err error) {
	token, err := client.TestToken(ctx)
	if err != nil {
		return i, err
	}
	if err := checkToken(token, url); err != nil {
		return i, err
	}
	i.Scopes, i.Expires = token.Scopes, token.Expires
	i.Account, err = client.Account(ctx)
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		return i, &Refusal{
			"account", "Lichess does not accept the token's account: it may be closed",
			"open it again, or use another account",
		}
	case err != nil:
		return i, err
	}
	return i, checkAccount(i.Account)
}

// checkToken returns why a token, nil if the server does not know it, cannot be a bot's.
func checkToken(token *lichess.TokenInfo, url string) error {
	create := "create another one at " + url + config.TokenPath
	switch {
	case token == nil:
		return &Refusal{"token", "Lichess does not know this token: it is mistyped, revoked or expired", create}
	case !slices.Contains(token.Scopes, "bot:play"):
		return &Refusal{"token", "this token lacks the scope bot:play; it has " + listScopes(token.Scopes), create}
	}
	return nil
}

// checkAccount returns why an account neither is a bot's nor can become one.
func checkAccount(a *lichess.Account) error {
	switch {
	case a.Disabled:
		return &Refusal{"account", a.Username + " is closed", "use another account"}
	case a.TOSViolation:
		return &Refusal{
			"account", a.Username + " is marked for breaking Lichess's terms of service",
			"write to Lichess, or use another account",
		}
	case !a.IsBot() && a.Count.All > 0:
		return &Refusal{
			"account", fmt.Sprintf("%s is not a BOT account, and has played %d games, so Lichess will not turn it "+
				"into one", a.Username, a.Count.All), "use an account that has never played",
		}
	}
	return nil
}

// CheckUpgraded returns a *[Refusal] if an account is not a BOT account yet.
func CheckUpgraded(a *lichess.Account) error {
	if a.IsBot() {
		return nil
	}
	return &Refusal{
		"account", a.Username + " is not a BOT account",
		"run \"zhbot setup\", which turns it into one if it has never played; that cannot be undone",
	}
}

// String describes token and account.
func (i *Inspection) String() string {
	return fmt.Sprintf("of %s, scopes %s", i.Account.Username, listScopes(i.Scopes))
}

// Notes returns what the owner should know about a token with which a bot can play.
func (i *Inspection) Notes() (notes []string) {
	if !slices.Contains(i.Scopes, "challenge:read") {
		notes = append(notes, "the token lacks the scope challenge:read: the bot does not always learn why one of "+
			"its challenges failed")
	}
	if !i.Expires.IsZero() {
		notes = append(notes, "the token expires on "+i.Expires.Format("2 January 2006"))
	}
	return notes
}

func listScopes(scopes []string) string { return cmp.Or(strings.Join(scopes, ", "), "none") }
