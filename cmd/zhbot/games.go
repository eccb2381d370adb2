package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/fetch"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess"
)

// gamesFetch is a command line of "zhbot games fetch".
type gamesFetch struct {
	settings settings
	user     string
	since    time.Time
	output   string
}

func newGamesFetchCommand() *cobra.Command {
	var f gamesFetch
	cmd := &cobra.Command{Use: "fetch", RunE: f.run}
	flags := cmd.Flags()
	flags.StringVar(&f.user, "user", "", "whose games (default the account's)")
	sinceFlag(flags, &f.since)
	flags.StringVar(&f.output, "output", "", "folder for the games (default the records)")
	_ = cmd.MarkFlagDirname("output")
	f.settings.addFlags(flags)
	return cmd
}

func (f *gamesFetch) run(cmd *cobra.Command, _ []string) error {
	if f.user != "" && !lichess.ValidUserName(f.user) {
		return &usageError{fmt.Errorf("--user %q: this is not a user name", f.user)}
	}
	c, err := f.settings.load()
	if err != nil {
		return err
	}
	client, err := f.newClient(c)
	if err != nil {
		return err
	}
	defer client.Close()
	o := fetch.Options{Since: f.since, Site: c.Lichess.URL}
	games, err := f.selectUser(cmd.Context(), client, &o)
	if err != nil {
		return interrupted("games fetch", err)
	}
	if o.Dir, err = f.folder(c, &o); err != nil {
		return err
	}
	return f.fetch(cmd, client, o, &fetchProgress{out: cmd.ErrOrStderr(), total: games, now: time.Now()})
}

// newClient returns a client, without a token if none is configured and none is needed.
func (f *gamesFetch) newClient(c *config.Config) (*lichess.Client, error) {
	client, err := app.Connect(c)
	if errors.Is(err, config.ErrNoToken) && f.user != "" {
		return app.NewClient(c, "")
	}
	return client, err
}

// selectUser sets whose games are fetched, and returns how many games they have.
func (f *gamesFetch) selectUser(ctx context.Context, client *lichess.Client, o *fetch.Options) (games int, err error) {
	if !client.IsAnonymous() {
		account, err := client.Account(ctx)
		if err != nil {
			return 0, err
		}
		o.User = cmp.Or(f.user, account.Username)
		if o.Own = strings.EqualFold(o.User, account.Username); o.Own {
			o.User = account.Username
			return account.Count.All, nil
		}
	}
	account, err := client.User(ctx, f.user)
	switch {
	case errors.Is(err, lichess.ErrNotFound):
		return 0, fmt.Errorf("there is no user %s", f.user)
	case err != nil:
		return 0, err
	case account.Disabled:
		return 0, fmt.Errorf("the account %s is closed: its games are not public", f.user)
	}
	o.User = f.user
	return account.Perfs[lichess.Crazyhouse].Games, nil
}

// folder returns where the games go. Those of another player are not among the bot's own.
func (f *gamesFetch) folder(c *config.Config, o *fetch.Options) (string, error) {
	switch {
	case f.output != "":
		return f.output, nil
	case c.Records.Dir == "":
		return "", errors.New("games fetch: records.dir is empty: name a folder with --output")
	case o.Own:
		return c.Records.Dir, nil
	}
	return filepath.Join(c.Records.Dir, "players", strings.ToLower(o.User)), nil
}

func (f *gamesFetch) fetch(cmd *cobra.Command, client *lichess.Client, o fetch.Options, progress *fetchProgress) error {
	errOut := cmd.ErrOrStderr()
	o.Progress = progress.show
	o.Waiting = func(wait time.Duration, err error) {
		progress.bar.Clear()
		fmt.Fprintf(errOut, "%s; continuing in %s\n", term.Printable(err.Error()), wait.Round(time.Second))
	}
	o.Invalid = func(_ string, reason error) {
		progress.bar.Clear()
		fmt.Fprintln(errOut, "skipped:", term.Printable(reason.Error()))
	}
	result, err := fetch.Games(cmd.Context(), client, o)
	progress.bar.Finish()
	switch {
	case errors.Is(err, record.ErrInUse):
		return fmt.Errorf("games fetch: %w (--output)", err)
	case err != nil && result == fetch.Result{}:
		return interrupted("games fetch", err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", o.Dir, describeFetch(&result))
	switch {
	case err != nil:
		next := "the next fetch continues there"
		if !o.Since.IsZero() {
			next = "the same command adds the rest"
		}
		return fmt.Errorf("%w; %s", interrupted("games fetch", err), next)
	case result.Invalid > 0:
		return fmt.Errorf("games fetch: %d games could not be read", result.Invalid)
	}
	return nil
}

// describeFetch describes what was fetched.
func describeFetch(r *fetch.Result) string {
	parts := []string{fmt.Sprintf("%s received, %d added", count(r.Received, "game"), r.Added)}
	for _, part := range []struct {
		n    int
		what string
	}{
		{r.Completed, "completed"}, {r.Known, "known"}, {r.Unfinished, "left to the bot, which has their evaluations"},
		{r.InProgress, "in progress"}, {r.Others, "of other variants or not played"}, {r.Invalid, "invalid"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

// fetchProgress shows how far a fetch has come: by games if it gets all, else by days.
type fetchProgress struct {
	out   io.Writer
	total int // games of the user
	now   time.Time
	bar   *term.Progress // nil before the first game
}

func (p *fetchProgress) show(now fetch.Progress) {
	total, done, unit := p.total, now.Games, "games"
	if !now.From.IsZero() {
		total, done, unit = days(p.now.Sub(now.From)), days(now.At.Sub(now.From)), "days"
	}
	if p.bar == nil {
		p.bar = term.NewProgress(p.out, max(total, 1), unit)
	}
	p.bar.Set(done)
}

// days returns the number of days in a time span, rounded up.
func days(d time.Duration) int { return int((d + 24*time.Hour - 1) / (24 * time.Hour)) }
