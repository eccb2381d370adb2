// Package app puts zhbot together. [Run] runs the bot as a process: it starts the bot,
// reloads its settings, drains it on a signal, and ends the process if it hangs, so that it
// is restarted. [NewSandboxBot] sets up the same bot for an embedded Lichess, with which
// [PlayDemo] plays.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess"
)

// process is what outlives a bot that Lichess refuses.
type process struct {
	log       zerolog.Logger
	page      *Page
	player    *mover.Mover
	records   *Records
	overrides bot.Overrides                 // of the operator
	settings  atomic.Pointer[config.Config] // in force
	playing   atomic.Pointer[bot.Bot]       // nil for none
}

// Run plays with the settings of a source until the bot ends, and logs to a writer. The
// end of ctx, by the first signal, drains the bot; the next SIGINT or SIGTERM stops it at
// once. On SIGHUP, and when the file changes, the settings are reloaded.
func Run(ctx context.Context, source config.Source, logTo io.Writer) error {
	c, err := config.Load(source)
	if err != nil {
		return err
	}
	background, err := NewBackground(c.Log, logTo)
	if err != nil {
		return err
	}
	defer background.Flush()
	log := background.Logger
	for _, warning := range source.Warnings(c, os.Environ()) {
		log.Warn().Msg(warning)
	}
	if err := mover.LimitHeap(c.HashSize(mover.Memory(), mover.Cores())); err != nil {
		log.Warn().Err(err).Msg("Go's heap may grow past the memory")
	}
	reloads := newReloader(source, c, log)
	p := &process{log: log}
	p.settings.Store(c)
	if p.page, err = NewPage(c, log); err != nil {
		return err
	}
	p.page.CountDroppedLines(background.Dropped)
	client, err := p.connect() // to reject an invalid token at once
	if err != nil {
		return err
	}
	client.Close()
	if p.player, err = mover.New(ctx, c, UserAgent(), log); err != nil {
		return err
	}
	defer p.player.Close()
	if p.records, err = OpenRecords(c, log); err != nil {
		return err
	}
	defer p.records.Close()
	log.Info().Str("version", Version()).Str("server", c.Lichess.URL).Int("games_max", c.Games.Max).
		Int("threads", c.Engine.SearchThreads(mover.Cores())).Msg("starting")
	_, stopPage := p.page.Serve(ctx)
	defer stopPage()
	watchdog := newWatchdog(p.checkLiveness, p.player.Kill, log, background.Flush)
	p.page.SetHealthCheck(watchdog.healthy)
	defer watchdog.start(ctx)()
	defer reloads.start(ctx, p.prepare)()
	operator := p.operator(reloads.request)
	p.page.SetOperator(operator)
	defer control.Start(ctx, c, operator, log)()
	return retryWhileRefused(ctx, c.Lichess.RetryRefused, log, func() (bool, error) { return p.play(ctx) })
}

func (p *process) connect() (*lichess.Client, error) {
	c := p.settings.Load()
	secret, err := c.Token()
	if err != nil {
		return nil, err
	}
	return NewClient(c, secret, p.page, p.log)
}

// play runs a bot until it ends, and reports whether it had been told to drain.
func (p *process) play(ctx context.Context) (drained bool, err error) {
	client, err := p.connect()
	if err != nil {
		return false, err
	}
	defer client.Close()
	o := BotOptions(p.settings.Load(), client, p.player, p.log)
	p.records.AddTo(&o)
	o.Overrides = &p.overrides
	b := p.page.NewBot(o, BotSettings(p.settings.Load()))
	p.playing.Store(b)
	defer p.playing.Store(nil)
	b.Reload(BotSettings(p.settings.Load())) // the settings may have changed meanwhile
	err = runUntilSignals(ctx, b)
	return b.Status().Draining, err
}

// operator carries out commands on the bot that plays.
func (p *process) operator(reload func(context.Context) (control.Reloaded, error)) *control.Operator {
	o := &control.Operator{
		Bot: func() control.Bot {
			if b := p.playing.Load(); b != nil {
				return b
			}
			return nil
		},
		Reload: reload, Log: p.log,
	}
	if dir := p.settings.Load().Records.Dir; dir != "" {
		o.Journal = control.NewJournal(filepath.Join(dir, control.JournalFile))
	}
	return o
}

// prepare reads the files that changed settings name, and returns a function that puts
// the settings in force.
func (p *process) prepare(s *config.Config) (apply func()) {
	useBooks := p.player.Prepare(&s.Engine, p.log)
	return func() {
		p.settings.Store(s)
		useBooks()
		if b := p.playing.Load(); b != nil {
			b.Reload(BotSettings(s))
		}
	}
}

// checkLiveness returns why the bot hangs, nil if it does not or if there is none.
func (p *process) checkLiveness(ctx context.Context) error {
	if b := p.playing.Load(); b != nil {
		return b.CheckLiveness(ctx)
	}
	return nil
}

// runUntilSignals runs the bot. The end of ctx, by the first signal, drains
// it; the next signal stops it.
func runUntilSignals(ctx context.Context, b *bot.Bot) error {
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	held := make(chan os.Signal, 1) // a signal before again is there does not end the process
	signal.Notify(held, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(held)
	unhook := context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(again)
		b.Drain()
		select {
		case <-again:
			if games := b.Running(); len(games) > 0 {
				stop(fmt.Errorf("%w: %s", errUnfinished, strings.Join(games, ", ")))
			}
			stop(nil)
		case <-running.Done():
		}
	})
	defer unhook()
	err := b.Run(running)
	switch stopped := context.Cause(running); {
	case errors.Is(stopped, errUnfinished):
		return stopped
	case stopped != nil || err == nil:
		return nil
	}
	if errors.Is(err, lichess.ErrUnauthorized) {
		err = fmt.Errorf("stopped: Lichess does not accept the token (any more), or the account is closed: create a new one at %s: %w", lichess.DefaultURL+config.TokenPath, err)
	}
	return fmt.Errorf("%w; \"zhbot check\" explains what is wrong and what to do", err)
}

var errUnfinished = errors.New("stopped at once; games still in progress, resumed at the next start")
