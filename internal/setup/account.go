package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
)

// server checks the token and its account.
func (k *checker) server(ctx context.Context, c *config.Config) {
	client, err := newClient(c)
	if err != nil {
		k.reportProblem("token", err, "")
		return
	}
	defer client.Close()
	if k.token(ctx, client, c) {
		k.account(ctx, client, c)
	}
}

// newClient returns a client that does not retry.
func newClient(c *config.Config) (*lichess.Client, error) {
	secret, err := c.Token()
	if err != nil {
		return nil, err
	}
	return app.NewClient(c, secret)
}

// token asks the server about the token.
func (k *checker) token(ctx context.Context, client *lichess.Client, c *config.Config) bool {
	info, err := client.TestToken(ctx)
	switch {
	case err != nil:
		k.reportProblem("server", err, AskOnline(c.Lichess.URL))
		return false
	case info == nil:
		k.reportProblem("token", errors.New("the server does not know it"), "it may be revoked, expired or mistyped: "+createToken(c))
		return false
	}
	k.reportOK("server: %s answers", c.Lichess.URL)
	if offset := client.ClockOffset().Round(time.Second); offset != 0 {
		k.reportNote(fmt.Sprintf("this machine's clock is %s %s: daily limits and hours of play are off, and certificates may be rejected",
			offset.Abs(), map[bool]string{true: "slow", false: "fast"}[offset > 0]), "set it")
	}
	if !slices.Contains(info.Scopes, "bot:play") {
		k.reportProblem("token", fmt.Errorf("it lacks the scope bot:play; it has %s", joinOrNone(info.Scopes)), createToken(c))
		return false
	}
	k.reportOK("token: of %s, scopes %s", info.UserID, joinOrNone(info.Scopes))
	if !slices.Contains(info.Scopes, "challenge:read") {
		k.reportNote("the token lacks the scope challenge:read: the bot does not always learn why one of its challenges failed", "")
	}
	return true
}

// AskOnline returns what to find out when the server at a URL does not answer.
func AskOnline(url string) string {
	return fmt.Sprintf("is %s correct, and is this machine online?", url)
}

// createToken tells how to create a token with all scopes that the bot uses.
func createToken(c *config.Config) string {
	return "create one at " + c.Lichess.URL + config.TokenPath
}

func joinOrNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// account checks the account that the token belongs to.
func (k *checker) account(ctx context.Context, client *lichess.Client, c *config.Config) {
	a, err := client.Account(ctx)
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		k.reportProblem("account", err, "is it closed? Open it again, or use another account")
	case err != nil:
		k.reportProblem("account", err, "")
	case a.Disabled || a.TOSViolation:
		k.reportProblem("account", fmt.Errorf("%s is closed or marked by Lichess", a.Username), "write to Lichess, or use another account")
	case !a.IsBot() && a.Count.All > 0:
		k.reportProblem("account", fmt.Errorf("%s is not a BOT account, and has played before", a.Username), "Lichess upgrades only accounts that have never played a game: use another one")
	case !a.IsBot():
		k.reportProblem("account", fmt.Errorf("%s is not a BOT account", a.Username), "run \"zhbot upgrade\" once, which cannot be undone")
	default:
		rating := "no crazyhouse rating yet"
		if perf, played := a.Perfs[lichess.Crazyhouse]; played {
			rating = fmt.Sprintf("crazyhouse rating %d", perf.Rating)
		}
		k.reportOK("account: BOT %s, %s", a.Username, rating)
		k.bio(a, c)
		k.takebacks(ctx, client, c)
		matchmaking := app.BotSettings(c).Matchmaking
		if note := matchmaking.NewAccountNote(a, time.Now()); note != "" {
			k.reportNote("matchmaking: "+note, "")
		}
	}
}

// bio prints a note if players will not find the bot. Only its owner can change that.
func (k *checker) bio(a *lichess.Account, c *config.Config) {
	if strings.TrimSpace(a.Profile.Bio) == "" {
		k.reportNote("the account has no bio: Lichess leaves it out of the list of online bots, so few will challenge it",
			"write one at "+c.Lichess.URL+"/account/profile")
	}
}

// takebacks prints a note if the account may not be asked for the takebacks that the
// settings grant. Only its owner can change that.
func (k *checker) takebacks(ctx context.Context, client *lichess.Client, c *config.Config) {
	if c.Play.Takebacks == 0 {
		return
	}
	todo := "allow them at " + c.Lichess.URL + "/account/preferences/game-behavior"
	switch p, err := client.Preferences(ctx); {
	case err != nil:
		k.reportNote(fmt.Sprintf("play.takebacks: unknown whether Lichess lets opponents ask for takebacks: %v", err), todo)
	case p.Takeback == lichess.TakebackNever:
		k.reportNote("play.takebacks: the account's preferences forbid takebacks, so nobody can ask for one", todo)
	}
}
