package setup

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/internal/web"
)

// State is how far a bot is set up.
type State int

// The states, in the order in which a setup goes through them.
const (
	Misconfigured State = iota // Err describes the error in the settings
	NoToken
	Refused     // Err is the reason why Lichess does not accept token or account
	NotUpgraded // Account is not a BOT account
	Unreachable // Err is the reason why it is unknown whether Account is a BOT account
	Ready       // to run
	Running     // with a page at Page, "" for none
)

// Installation describes how far a bot is set up on this machine.
type Installation struct {
	State   State
	Account string // "" if not known
	Page    string
	Err     error
}

// askTimeout bounds how long an inspection waits for Lichess.
const askTimeout = 2 * time.Second

// Inspect finds out how far a bot is set up. If everything else exists and the bot is not
// running, it asks Lichess about the account, for at most two seconds.
func Inspect(ctx context.Context, source config.Source) Installation {
	c, err := config.Load(source)
	if err != nil {
		return Installation{State: Misconfigured, Err: err}
	}
	if account, yes := isRunning(ctx, c); yes {
		i := Installation{State: Running, Account: account}
		if c.Web.Listen != "" {
			i.Page = web.LocalURL(c.Web.Listen)
		}
		return i
	}
	token, err := c.Token()
	switch {
	case errors.Is(err, config.ErrNoToken) || errors.Is(err, fs.ErrNotExist):
		return Installation{State: NoToken, Err: err}
	case err != nil:
		return Installation{State: Misconfigured, Err: err}
	}
	return inspectAccount(ctx, c, token)
}

// ctlTimeout bounds how long a running bot may take to answer.
const ctlTimeout = time.Second

// isRunning reports whether a bot runs with these settings, and its account if it answers.
func isRunning(ctx context.Context, c *config.Config) (account string, yes bool) {
	ctx, cancel := context.WithTimeout(ctx, ctlTimeout)
	defer cancel()
	r, err := control.Send(ctx, c, control.Request{Command: "status"})
	if err == nil && r.Status != nil {
		return term.Printable(r.Status.Account), true
	}
	return "", record.InUse(c.Records.Dir)
}

// inspectAccount asks Lichess about the account of a token.
func inspectAccount(ctx context.Context, c *config.Config, token config.Secret) Installation {
	client, err := app.NewClient(c, token)
	if err != nil {
		return Installation{State: Misconfigured, Err: err}
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	found, err := bot.Inspect(ctx, client, c.Lichess.URL)
	i := Installation{State: Ready, Err: err}
	if found.Account != nil {
		i.Account = term.Printable(found.Account.Username)
	}
	switch {
	case bot.IsRefused(err):
		i.State = Refused
	case err != nil:
		i.State = Unreachable
	case !found.Account.IsBot():
		i.State = NotUpgraded
	}
	return i
}
