package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
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
			"clock is left, or after games.drain_timeout. A second one stops at once. The server keeps\n" +
			"the games; the next start takes them up.\n\n" +
			"On SIGHUP, and when the file changes, the configuration is loaded again. A wrong one is\n" +
			"reported and changes nothing. Server, token, engine, records, page and log stay as they\n" +
			"were, but for the books; the log names what takes effect with the next start.",
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
	log, err := newLogger(c, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	for _, warning := range s.warnings(c) {
		log.Warn().Msg(warning)
	}
	if err := limitHeap(c.Engine.HashMB, memlimit.FromCgroup); err != nil {
		log.Warn().Err(err).Msg("Go's heap may grow past the memory")
	}
	reloads := newReloader(s, c, log)
	secret, err := c.Token(os.LookupEnv)
	if err != nil {
		return err
	}
	page, err := newPage(c, log)
	if err != nil {
		return err
	}
	client, err := newClient(c, secret, observeRequests(page, logRequests(log)))
	if err != nil {
		return err
	}
	defer client.Close()
	e, err := newEngine(c, log)
	if err != nil {
		return err
	}
	defer e.openings.close()
	o := botOptions(c, client, e, log)
	shut, err := keepRecords(c, &o)
	if err != nil {
		return err
	}
	defer shut()
	log.Info().Str("version", version()).Str("server", c.Lichess.URL).Int("games_max", c.Games.Max).Int("threads", searchThreads(c)).Msg("starting")
	_, stopPage := servePage(cmd.Context(), page, c.Web.Listen, log)
	defer stopPage()
	b := showBot(page, o)
	dog := newWatchdog(b.CheckLiveness, log)
	if page != nil {
		page.ShowHealth(dog.healthy)
	}
	defer dog.start(cmd.Context())()
	defer reloads.start(cmd.Context(), func(c *config.Config) {
		e.openings.reload(c, log)
		b.Reload(botOptions(c, client, e, log))
	})()
	return runUntilSignals(cmd.Context(), b)
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
			stop(&leftError{b.Running()})
		case <-running.Done():
		}
	})
	defer unhook()
	err := b.Run(running)
	var left *leftError
	switch stopped := context.Cause(running); {
	case errors.As(stopped, &left) && len(left.games) > 0:
		return left
	case stopped != nil || err == nil:
		return nil
	}
	if errors.Is(err, lichess.ErrUnauthorized) {
		err = fmt.Errorf("stopped: Lichess does not accept the token (any more): create a new one with the scopes bot:play and challenge:read at %s: %w", lichess.DefaultURL+tokenPath, err)
	}
	return fmt.Errorf("%w; \"zhbot check\" says what is wrong and what to do", err)
}

// leftError says which games were on when the bot was stopped at once.
type leftError struct{ games []string }

func (e *leftError) Error() string {
	return "stopped at once; games still on, which the next start takes up: " + strings.Join(e.games, ", ")
}
