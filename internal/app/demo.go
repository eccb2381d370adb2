package app

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// DemoOptions configure the games.
type DemoOptions struct {
	Games      int
	Concurrent int // games at once
	Control    lichess.Clock
	Threads    int    // of the search; 0: one for each core
	Nodes      int    // of a search, at most; 0: no bound
	Dir        string // of the records
	Web        string // address of the live page; "" for none
	Log        zerolog.Logger
}

// PlayDemo runs bot and server in this process until the games are played. It fails if the
// bot lost on time, or posted a move twice or an illegal one.
func PlayDemo(ctx context.Context, o DemoOptions, out, errOut io.Writer) error {
	s, token, err := startServer()
	if err != nil {
		return err
	}
	defer s.Close()
	c := SandboxSettings(s.URL(), o.Dir, o.Concurrent, o.Threads)
	c.Web.Listen, c.Engine.MaxNodes = o.Web, o.Nodes
	a, err := New(ctx, c, Options{Log: o.Log, Token: token})
	if err != nil {
		return err
	}
	defer a.Close()
	switch url := a.ServePage(ctx); {
	case url != "":
		fmt.Fprintf(out, "live page at %s\n", url)
	case o.Web != "":
		fmt.Fprintf(errOut, "no live page: %s is taken; --web names another address\n", o.Web)
	}
	fmt.Fprintf(out, "embedded Lichess at %s, %d games at %s, %d at once; records in %s\n", s.URL(), o.Games, o.Control, o.Concurrent, o.Dir)
	var results []lichesstest.Result
	err = PlayWhile(ctx, a, func(ctx context.Context) (err error) {
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
