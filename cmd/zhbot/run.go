package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

func newRunCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play on Lichess until stopped",
		Long: "run plays as the configured BOT account: it accepts challenges and plays their games.\n\n" +
			"The first SIGINT or SIGTERM drains: no new game begins, and run ends when no game with a\n" +
			"clock is left, or after games.drain_timeout. A second one stops at once. The games\n" +
			"stay on the server; the next start resumes them.\n\n" +
			"On SIGHUP, and when the file changes, the configuration is loaded again. An invalid one is\n" +
			"reported and changes nothing. Server, token, engine, records, page and log stay as they\n" +
			"were, but for the books; the log names what takes effect with the next start.\n\n" +
			"When Lichess refuses the token or the account (revoked, closed, not a BOT), run ends with exit\n" +
			"code 3, for starting again does not help; or it stays up and tries again now and then, if\n" +
			"lichess.retry_refused says so.",
		Example: "  ZHBOT_LICHESS_TOKEN=lip_… zhbot run\n  zhbot run --config config.yaml --set games.max=2",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runBot(cmd, &s)
		},
	}
	s.addFlags(cmd.Flags())
	return cmd
}

func runBot(cmd *cobra.Command, s *settings) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	log, flush, err := newBackgroundLogger(c, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer flush()
	for _, warning := range s.warnings(c) {
		log.Warn().Msg(warning)
	}
	if err := limitHeap(c.Engine.HashSize(usableMemory()), memlimit.FromCgroup); err != nil {
		log.Warn().Err(err).Msg("Go's heap may grow past the memory")
	}
	reloads := newReloader(s, c, log)
	page, err := newPage(c, log)
	if err != nil {
		return err
	}
	connect := func() (*lichess.Client, error) {
		secret, err := c.Token(os.LookupEnv)
		if err != nil {
			return nil, err
		}
		return newClient(c, secret, observeRequests(page, logRequests(log)))
	}
	client, err := connect() // to reject an invalid token at once
	if err != nil {
		return err
	}
	client.Close()
	e, err := newEngine(c, log)
	if err != nil {
		return err
	}
	defer e.openings.close()
	records := bot.Options{Log: log}
	closeRecords, err := openRecords(c, &records)
	if err != nil {
		return err
	}
	defer closeRecords()
	log.Info().Str("version", version()).Str("server", c.Lichess.URL).Int("games_max", c.Games.Max).Int("threads", searchThreads(c)).Msg("starting")
	_, stopPage := servePage(cmd.Context(), page, c.Web.Listen, log)
	defer stopPage()
	var current atomic.Pointer[config.Config]
	current.Store(c)
	var playing atomic.Pointer[bot.Bot] // nil for none
	watchdog := newWatchdog(func(ctx context.Context) error {
		if b := playing.Load(); b != nil {
			return b.CheckLiveness(ctx)
		}
		return nil
	}, log, flush)
	if page != nil {
		page.SetHealthCheck(watchdog.healthy)
	}
	defer watchdog.start(cmd.Context())()
	defer reloads.start(cmd.Context(), func(c *config.Config) {
		current.Store(c)
		e.openings.reload(c, log)
		if b := playing.Load(); b != nil {
			b.Reload(botOptions(c, nil, e, log))
		}
	})()
	return retryWhileRefused(cmd.Context(), c.Lichess.RetryRefused, log, func() error {
		client, err := connect()
		if err != nil {
			return err
		}
		defer client.Close()
		o := botOptions(current.Load(), client, e, log)
		o.Archive, o.History, o.State = records.Archive, records.History, records.State
		b := newObservedBot(page, o)
		playing.Store(b)
		defer playing.Store(nil)
		b.Reload(botOptions(current.Load(), nil, e, log)) // the settings may have changed meanwhile
		return runUntilSignals(cmd.Context(), b)
	})
}

// runUntilSignals runs the bot. The end of ctx, by the first signal, drains
// it; the next signal stops it.
func runUntilSignals(ctx context.Context, b *bot.Bot) error {
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	unhook := context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(again)
		b.Drain()
		select {
		case <-again:
			stop(&unfinishedError{b.Running()})
		case <-running.Done():
		}
	})
	defer unhook()
	err := b.Run(running)
	var unfinished *unfinishedError
	switch stopped := context.Cause(running); {
	case errors.As(stopped, &unfinished) && len(unfinished.games) > 0:
		return unfinished
	case stopped != nil || err == nil:
		return nil
	}
	if errors.Is(err, lichess.ErrUnauthorized) {
		err = fmt.Errorf("stopped: Lichess does not accept the token (any more), or the account is closed: create a new one with the scopes bot:play and challenge:read at %s: %w", lichess.DefaultURL+tokenPath, err)
	}
	return fmt.Errorf("%w; \"zhbot check\" says what is wrong and what to do", err)
}

// unfinishedError lists the games in progress when the bot was stopped at once.
type unfinishedError struct{ games []string }

func (e *unfinishedError) Error() string {
	return "stopped at once; games still in progress, resumed at the next start: " + strings.Join(e.games, ", ")
}
