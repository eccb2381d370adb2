package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/livepage"
	"github.com/zhbot/zhbot/internal/logging"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// demo is the bot and a Lichess of its own.
type demo struct {
	count, concurrent int
	control           timeControl
	dir               string
	serve             string
	web               string
	verbose           bool
	threads           int
}

func newDemoCommand() *cobra.Command {
	d := demo{control: timeControl{15 * time.Second, 200 * time.Millisecond}}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play against an embedded Lichess, without account or network",
		Long: "demo starts a Lichess on this machine and the real bot, which talk over real HTTP, and plays\n" +
			"games against players of its own: one moves at random, one grabs what it can, one is our\n" +
			"engine with few nodes. It prints each result and a summary, and leaves the games as PGN.\n" +
			"It fails if the bot lost on time or posted a move twice or an illegal one.\n\n" +
			"With --serve only the server runs; its players challenge every bot that connects.",
		Example: "  zhbot demo\n  zhbot demo --games 40 --concurrent 8 --tc 10+0\n  zhbot demo --serve 127.0.0.1:9663",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.count < 1 || d.concurrent < 1 {
				return &usageError{errors.New("--games and --concurrent: want at least 1")}
			}
			if d.serve != "" {
				if !cmd.Flags().Changed("tc") {
					d.control = timeControl{time.Minute, time.Second} // what a bot accepts by default
				}
				return d.serveOnly(cmd.Context(), cmd.OutOrStdout())
			}
			return d.play(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVar(&d.count, "games", 4, "games to play")
	f.IntVar(&d.concurrent, "concurrent", 2, "games at once")
	f.Var(&d.control, "tc", "time control; with --serve 60+1 if not given")
	f.StringVar(&d.dir, "dir", "records", "folder for the PGN")
	f.StringVar(&d.web, "web", config.Default().Web.Listen, "address of the live page; \"\" for none")
	f.StringVar(&d.serve, "serve", "", "only run the server, at this host:port; without a host, on this machine only")
	threadsFlag(f, &d.threads, 0, "search threads (default one for each core)")
	f.BoolVar(&d.verbose, "verbose", false, "log what the bot does")
	return cmd
}

// schedule is a series of games at the demo's time control.
func (d *demo) schedule(games int) lichesstest.Schedule {
	return lichesstest.Schedule{
		Bot: demoBot, Opponents: demoOpponents, Games: games, Concurrency: d.concurrent,
		Spec: func(n int) lichesstest.ChallengeSpec {
			return lichesstest.ChallengeSpec{
				Limit: d.control.initial, Increment: d.control.increment, Rated: true, Color: [...]string{"white", "black"}[n%2],
			}
		},
	}
}

// play runs bot and server in this process until the games are played.
func (d *demo) play(ctx context.Context, out, errOut io.Writer) error {
	s, token, err := embeddedServer(lichesstest.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	b, closeBot, err := d.newBot(ctx, s, config.Secret(token), out, errOut)
	if err != nil {
		return err
	}
	defer closeBot()

	fmt.Fprintf(out, "embedded Lichess at %s, %d games at %s, %d at once; records in %s\n", s.URL(), d.count, &d.control, d.concurrent, d.dir)
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- b.Run(running)
		stop() // without the bot no game would end
	}()
	results, err := d.runGames(running, s, out, errOut)
	b.Drain()
	if botErr := <-ended; botErr != nil && !errors.Is(botErr, context.Canceled) {
		return fmt.Errorf("demo: %w", botErr)
	}
	if ctx.Err() != nil {
		return errors.New("demo: interrupted")
	}
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return summarize(out, results, s.Audit())
}

// runGames lets the server play its games, shows how they go, and returns their
// results.
func (d *demo) runGames(ctx context.Context, s *lichesstest.Server, out, errOut io.Writer) (results []lichesstest.Result, err error) {
	progress := newDemoProgress(errOut, s, d.count)
	ctx, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { progress.watch(ctx) })
	err = s.RunGames(ctx, d.schedule(d.count), func(r lichesstest.Result) {
		results = append(results, r)
		progress.result(func() { printResult(out, len(results), d.count, r) })
	})
	stop()
	watcher.Wait()
	return results, err
}

// newBot sets up the real bot for the embedded server, and its page.
func (d *demo) newBot(ctx context.Context, s *lichesstest.Server, token config.Secret, out, errOut io.Writer) (b *bot.Bot, closeBot func(), err error) {
	c := embeddedSettings(s.URL(), d.dir, d.concurrent, d.threads)
	c.Web.Listen = d.web
	log := zerolog.Nop()
	if d.verbose {
		if log, err = logging.New(c.Log, errOut); err != nil {
			return nil, nil, err
		}
	}
	page, err := livepage.New(c, log)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	b, shut, err := embeddedBot(c, token, log, page, nil)
	if err != nil {
		return nil, nil, err
	}
	url, stopPage := page.Serve(ctx)
	switch {
	case url != "":
		fmt.Fprintf(out, "live page at %s\n", url)
	case page != nil:
		fmt.Fprintf(errOut, "no live page: %s is taken; --web names another address\n", d.web)
	}
	return b, func() { stopPage(); shut() }, nil
}
