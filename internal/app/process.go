package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess"
)

// Run plays with the settings of a source until the bot ends, and logs to a writer. The
// end of ctx, by the first signal, drains the bot; the next SIGINT or SIGTERM stops it at
// once. On SIGHUP, and when the file changes, the settings are reloaded. If the bot hangs,
// the process ends, so that it is restarted.
func Run(ctx context.Context, source config.Source, logTo io.Writer) error {
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
	for _, warning := range source.Warnings(c, os.Environ()) {
		log.Warn().Msg(warning)
	}
	if err := mover.LimitHeap(c.HashSize(mover.Memory(), mover.Cores())); err != nil {
		log.Warn().Err(err).Msg("Go's heap may grow past the memory")
	}
	reloads := newReloader(source, c, log)
	a, err := New(ctx, c, Options{Log: log})
	if err != nil {
		return err
	}
	defer a.Close()
	watchdog := newWatchdog(a.checkLiveness, a.mover.Kill, log, lines.Flush)
	defer watchdog.start(ctx)()
	defer reloads.start(ctx, a.Prepare)()
	operator := a.operator(reloads.reload)
	if a.page != nil {
		a.page.Metrics.CountDroppedLines(lines.dropped.Load)
		a.page.CheckHealth, a.page.Operator = watchdog.healthy, operator
	}
	a.ServePage(ctx)
	defer control.Start(ctx, c, operator, log)()
	return a.runUntilSignals(ctx)
}

// runUntilSignals runs the bot. The end of ctx, by the first signal, drains it; the next
// signal stops it.
func (a *App) runUntilSignals(ctx context.Context) error {
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	held := make(chan os.Signal, 1) // a signal before again is there does not end the process
	signal.Notify(held, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(held)
	defer context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(again)
		a.Drain()
		select {
		case <-again:
			if games := a.running(); len(games) > 0 {
				stop(fmt.Errorf("%w: %s", errUnfinished, strings.Join(games, ", ")))
			}
			stop(nil)
		case <-running.Done():
		}
	})()
	err := a.Run(running)
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
