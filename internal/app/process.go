package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess"
)

// Run plays with the settings of a source until the bot ends, and logs to a writer. Of the
// process's signals, SIGHUP reloads the settings, as does a change of the file; the first
// SIGINT or SIGTERM drains the bot, as does the end of ctx, and the second one stops it at
// once. If the bot hangs, the process ends, so that it is restarted.
func Run(ctx context.Context, source config.Source, signals <-chan os.Signal, logTo io.Writer) (err error) {
	c, err := config.Load(source)
	if err != nil {
		return err
	}
	lines, err := newBackground(c.Log, logTo)
	if err != nil {
		return err
	}
	defer lines.Flush()
	log := lines.Logger
	s := followSignals(ctx, signals, func() {
		log.Error().Msgf("exiting %s after the second signal, although not everything is closed", stopTimeout)
		lines.Flush()
		os.Exit(1)
	})
	defer s.end()
	for _, warning := range source.Warnings(c, os.Environ()) {
		log.Warn().Msg(warning)
	}
	if err := mover.LimitHeap(c.HashSize(mover.Memory(), mover.Cores())); err != nil {
		log.Warn().Err(err).Msg("Go's heap may grow past the memory")
	}
	reloads := newReloader(source, c, s.hangups, log)
	a, err := New(s.draining, c, Options{Log: log})
	if err != nil {
		return err
	}
	defer func() {
		a.Close()
		err = errors.Join(err, a.unsaved)
	}()
	watchdog := newWatchdog(a.checkLiveness, a.mover.Kill, log, lines.Flush)
	defer watchdog.start(s.draining)()
	defer reloads.start(s.draining, a.Prepare)()
	operator := a.operator(reloads.reload)
	if a.page != nil {
		a.page.Metrics.CountDroppedLines(lines.dropped.Load)
		a.page.CheckHealth, a.page.Operator = watchdog.healthy, operator
	}
	a.ServePage(s.draining)
	defer control.Start(s.draining, c, operator, log)()
	defer context.AfterFunc(s.draining, a.Drain)()
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(s.stopping, func() {
		if games := a.running(); len(games) > 0 {
			stop(fmt.Errorf("%w: %s", errUnfinished, strings.Join(games, ", ")))
		}
		stop(nil)
	})()
	err = a.Run(running)
	switch stopped := context.Cause(running); {
	case errors.Is(stopped, errUnfinished):
		return stopped
	case stopped != nil:
		return nil
	}
	return err
}

var errUnfinished = errors.New("stopped at once; games still in progress, resumed at the next start")

// advise adds to the error with which a bot ended what to do about it. The server is at a URL.
func advise(err error, url string) error {
	if errors.Is(err, lichess.ErrUnauthorized) {
		err = fmt.Errorf("stopped: Lichess does not accept the token (any more), or the account is closed: create a new one at %s: %w", url+config.TokenPath, err)
	}
	return fmt.Errorf("%w; \"zhbot check\" explains what is wrong and what to do", err)
}
