package setup

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/internal/web"
)

// Step is a command that makes sense now.
type Step struct{ Command, Does string }

// NextSteps returns a line on how far a bot is set up on this machine, and the commands that
// make sense now. It does not ask Lichess.
func NextSteps(ctx context.Context, source config.Source) (state string, next []Step) {
	var (
		again = Step{"setup", "asks for the token, upgrades the account, and starts the bot"}
		check = Step{"check", "explains what is wrong, and what to do about it"}
		demo  = Step{"demo", "plays against an embedded Lichess: no account, no network"}
		stats = Step{"stats", "shows how the games went"}
		all   = Step{"help", "lists all commands"}
	)
	c, err := config.Load(source)
	if err == nil {
		if account, yes := isRunning(ctx, c); yes {
			return strings.TrimSuffix("The bot is running as "+account, " as ") + pageNote(c) + ".", []Step{
				{"ctl status", "shows what it is doing"}, {"ctl drain", "ends it when its games are over"}, stats, all,
			}
		}
		_, err = c.Token()
	}
	switch {
	case errors.Is(err, config.ErrNoToken) || errors.Is(err, fs.ErrNotExist):
		return "No bot is set up here: there is no token.", []Step{again, demo, check, all}
	case err != nil:
		problem, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "configuration:\n  "), "\n")
		return "The settings are wrong: " + problem, []Step{check, again, demo, all}
	}
	return "A bot is set up here.", []Step{check, {"run", "plays"}, stats, all}
}

// isRunning reports whether a bot runs with these settings, and its account if it answers.
func isRunning(ctx context.Context, c *config.Config) (account string, yes bool) {
	if status := control.AskStatus(ctx, c); status != nil {
		return term.Printable(status.Account), true
	}
	return "", record.InUse(c.Records.Dir)
}

// pageNote returns the address of the live page as a clause, "" if there is none.
func pageNote(c *config.Config) string {
	if c.Web.Listen == "" {
		return ""
	}
	return "; its page is " + web.LocalURL(c.Web.Listen)
}

// ConfigFlag returns the flag that names a settings file, as it is typed into a shell.
func ConfigFlag(file string) string {
	if strings.ContainsAny(file, " \t'\"$&;()*?#!|<>`[]{}") {
		file = "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	}
	return "--config " + file
}
