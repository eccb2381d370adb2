package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
)

// server checks the token and its account.
func (k *checker) server(ctx context.Context, c *config.Config) {
	client, err := app.Connect(c, "")
	if err != nil {
		k.reportProblem("token", err, "")
		return
	}
	defer client.Close()
	found, err := bot.Inspect(ctx, client, c.Lichess.URL)
	if err != nil && !bot.IsRefused(err) {
		k.reportProblem("server", err, askOnline(c.Lichess.URL))
		return
	}
	k.reportOK("server: %s answers", c.Lichess.URL)
	if offset := client.ClockOffset().Round(time.Second); offset != 0 {
		k.reportNote(fmt.Sprintf("this machine's clock is %s %s: "+
			"daily limits and hours of play are off, and certificates may be rejected",
			offset.Abs(), map[bool]string{true: "slow", false: "fast"}[offset > 0]), "set it")
	}
	if found.Account != nil {
		k.reportOK("token: %s", &found)
	}
	if err == nil {
		err = bot.CheckUpgraded(found.Account)
	}
	switch refusal, refused := errors.AsType[*bot.Refusal](err); {
	case refused:
		k.reportProblem(refusal.About, errors.New(refusal.Text), refusal.Todo)
	case err != nil:
		k.reportProblem("token", err, "")
	default:
		for _, note := range found.Notes() {
			k.reportNote(note, "")
		}
		k.account(found.Account, c)
	}
}

// askOnline returns what to find out when the server at a URL does not answer.
func askOnline(url string) string {
	return fmt.Sprintf("is %s correct, and is this machine online?", url)
}

// account checks what the owner of a BOT account can improve.
func (k *checker) account(a *lichess.Account, c *config.Config) {
	rating := "no crazyhouse rating yet"
	if perf, played := a.Perfs[lichess.Crazyhouse]; played {
		rating = fmt.Sprintf("crazyhouse rating %d", perf.Rating)
	}
	k.reportOK("account: BOT %s, %s", a.Username, rating)
	if strings.TrimSpace(a.Profile.Bio) == "" {
		k.reportNote("the account has no bio: Lichess leaves it out of the list of online bots, so few will "+
			"challenge it",
			"write one at "+c.Lichess.URL+"/account/profile")
	}
	if a.IsNew(time.Now()) {
		k.reportNote("quick wins of an account younger than 7 days do not count",
			"offer 3 minutes and slower in matchmaking.offers until then")
	}
}
