// Package soak plays games in the sandbox with fault injection: of streams, requests, the
// server, the disk, the search. Its report shows whether anything but chess
// decided a game.
package soak

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Options configure the games and the faults.
type Options struct {
	Games      int // to play
	Concurrent int // games at once
	Control    lichess.Clock
	Faults     Faults
	Every      time.Duration // from an outage to the next, on average
	Seed       uint64        // of faults, colours and players
	Engine     config.Engine
	Child      bool      // the bot is a process of its own, which can be killed
	ChildLog   io.Writer // gets what that process logs
	Dir        string    // of the records; "": one that is removed
	Progress   io.Writer // shows how long it takes
	Log        zerolog.Logger
}

// soak is a run, with the parts that can be made to fail.
type soak struct {
	Options
	server   *lichesstest.Server
	token    config.Secret
	settings *config.Config // of the bot
	scratch  string         // folder that is removed
	report   *report
	out      io.Writer
	disk     disk
	engine   panickingEngine
	programs programs // of this process
	child    *child   // nil unless the bot is one
}

// claimAfter is how soon the win can be claimed from an opponent who left.
const claimAfter = 10 * time.Second

// Run plays the games and prints the report. It fails if anything but chess lost a game,
// if a move was lost, posted twice or out of turn, or if a game is missing from the
// records.
func Run(ctx context.Context, o Options, out io.Writer) error {
	s := &soak{Options: o, report: newReport(&o), out: out}
	var err error
	if s.scratch, err = os.MkdirTemp("", "zhbot-soak-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.scratch) //nolint:errcheck // the system clears its temporary folder
	if s.Dir == "" {
		s.Dir = filepath.Join(s.scratch, "records")
	}
	played := false
	if err := record.NewHistory(s.Dir).Read(ctx, func(*record.FinishedGame) { played = true }); err != nil {
		return err
	}
	if played {
		return fmt.Errorf("--dir: %s has games already, whose ids this seed would repeat: name a new folder", s.Dir)
	}
	s.disk.dir = s.Dir
	if s.server, s.token, err = app.StartSandbox(lichesstest.Options{
		Seed: s.Seed, ClaimAfter: claimAfter, Refund: true,
	}); err != nil {
		return err
	}
	defer s.server.Close()
	fmt.Fprintf(out, "embedded Lichess at %s, %d games at %s, %d at once, faults %s, seed %d\n",
		s.server.URL(), s.Games, s.Control, s.Concurrent, s.Faults, s.Seed)
	s.settings = app.SandboxSettings(s.server.URL(), s.Dir, s.Concurrent, s.Engine)
	play := s.playHere
	if s.Child {
		play = s.playAsChild
	}
	err = play(ctx)
	if err == nil { // otherwise the last games may not be written yet
		s.report.unrecorded, err = CompareRecords(ctx, s.Dir, s.report.results)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	maps.Copy(s.report.faults, s.server.Faults.ByChance())
	s.report.audit, s.report.requests = s.server.Audit(app.SandboxBot), s.server.Requests()
	return cmp.Or(err, s.report.write(out))
}

// playHere has a bot in this process play the games.
func (s *soak) playHere(ctx context.Context) error {
	s.report.usage.add(usageOf(os.Getpid()))
	a, err := app.New(ctx, s.settings, app.Options{
		Log: s.Log, Token: s.token, Observers: []func(event.Event){s.report.watch.observe},
		StartProgram: s.programs.start,
		Bot: func(o *bot.Options) {
			s.engine.Engine, o.Engine = o.Engine, &s.engine
			s.disk.attach(o)
		},
	})
	if err != nil {
		return err
	}
	err = app.PlayWhile(ctx, a, s.runGames)
	a.Close()
	s.report.usage.waitForRelease()
	return err
}

// playAsChild has a bot in a process of its own play the games.
func (s *soak) playAsChild(ctx context.Context) error {
	s.settings.Web.Listen, s.settings.Ctl.Listen = "", ""
	var err error
	if s.child, err = newChild(s.settings, s.token, s.scratch, s.ChildLog); err != nil {
		return err
	}
	s.report.child = s.child
	g, ctx := errgroup.WithContext(ctx) // without the bot no game would end
	g.Go(func() error { return s.child.run(ctx) })
	g.Go(func() error {
		defer s.child.drain()
		return s.runGames(ctx)
	})
	return g.Wait()
}

// runGames plays the games while things go wrong.
func (s *soak) runGames(ctx context.Context) error {
	defer s.server.Faults.Clear()
	background, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.injectFaults(background) })
	wg.Go(func() { s.report.usage.watch(background, s.pid) })
	defer wg.Wait()
	defer stop()
	plan := app.Schedule(s.Control, s.Games, s.Concurrent)
	plan.OnRefused = func(err error) { s.report.refused = append(s.report.refused, err.Error()) }
	bar := term.NewProgress(s.Progress, s.Games, "games")
	defer bar.Finish()
	return s.server.RunGames(ctx, plan, func(r lichesstest.Result) {
		s.report.addGame(r)
		bar.Clear()
		app.PrintResult(s.out, len(s.report.results), s.Games, r)
		bar.Set(len(s.report.results))
	})
}

// pid returns the id of the process in which the bot runs, 0 while there is none.
func (s *soak) pid() int {
	if s.child != nil {
		return s.child.pid()
	}
	return os.Getpid()
}
