package app

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Options configure the games.
type DemoOptions struct {
	Games      int
	Concurrent int // games at once
	Control    TimeControl
	Threads    int    // of the search; 0: one for each core
	Dir        string // of the records
	Web        string // address of the live page; "" for none
	Log        zerolog.Logger
}

// Play runs bot and server in this process until the games are played. It fails if the
// bot lost on time, or posted a move twice or an illegal one.
func PlayDemo(ctx context.Context, o DemoOptions, out, errOut io.Writer) error {
	s, token, err := startServer()
	if err != nil {
		return err
	}
	defer s.Close()
	b, closeBot, err := o.newBot(ctx, s, token, out, errOut)
	if err != nil {
		return err
	}
	defer closeBot()

	fmt.Fprintf(out, "embedded Lichess at %s, %d games at %s, %d at once; records in %s\n", s.URL(), o.Games, o.Control, o.Concurrent, o.Dir)
	var results []lichesstest.Result
	err = PlayWhile(ctx, b, func(ctx context.Context) (err error) {
		results, err = o.runGames(ctx, s, out, errOut)
		return err
	})
	if err != nil {
		return err
	}
	return summarize(out, results, s.Audit(SandboxBot))
}

// startServer starts a server whose games have new ids: the records may have a game of an
// earlier demo.
func startServer() (*lichesstest.Server, config.Secret, error) {
	return StartSandbox(lichesstest.Options{Seed: rand.Uint64()})
}

// runGames lets the server play its games, shows how they go, and returns their
// results.
func (o *DemoOptions) runGames(ctx context.Context, s *lichesstest.Server, out, errOut io.Writer) (results []lichesstest.Result, err error) {
	progress := newProgress(errOut, s, o.Games)
	ctx, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { progress.watch(ctx) })
	err = s.RunGames(ctx, Schedule(o.Control, o.Games, o.Concurrent), func(r lichesstest.Result) {
		results = append(results, r)
		progress.result(func() { PrintResult(out, len(results), o.Games, r) })
	})
	stop()
	watcher.Wait()
	return results, err
}

// newBot sets up the real bot for the embedded server, and its page.
func (o *DemoOptions) newBot(ctx context.Context, s *lichesstest.Server, token config.Secret, out, errOut io.Writer) (b *bot.Bot, closeBot func(), err error) {
	c := SandboxSettings(s.URL(), o.Dir, o.Concurrent, o.Threads)
	c.Web.Listen = o.Web
	page, err := NewPage(c, o.Log)
	if err != nil {
		return nil, nil, err
	}
	b, shut, err := NewSandboxBot(ctx, c, token, o.Log, page, nil)
	if err != nil {
		return nil, nil, err
	}
	url, stopPage := page.Serve(ctx)
	switch {
	case url != "":
		fmt.Fprintf(out, "live page at %s\n", url)
	case page != nil:
		fmt.Fprintf(errOut, "no live page: %s is taken; --web names another address\n", o.Web)
	}
	return b, func() { stopPage(); shut() }, nil
}
