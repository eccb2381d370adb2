// Package soak plays games in the sandbox with fault injection: of streams, requests, the
// server, the disk, the search. Its report shows whether anything but chess
// decided a game.
package soak

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Options configure the games and the faults.
type Options struct {
	Games          int           // to play; 0: as many as there is time for
	Duration       time.Duration // after which no game begins; 0: no bound
	Concurrent     int           // games at once
	Control        lichess.Clock
	Faults         Faults
	Every          time.Duration // from an outage to the next, on average
	Outage         time.Duration // of one long restart while all games are in progress; 0: none
	Seed           uint64        // of faults, colours and players
	Threads        int           // of the search; 0: one for each core
	Nodes          int           // of a search, at most; 0: no bound
	HashMB         int
	Command        string    // of an engine program that searches; "" for our own search
	Protocol       string    // of the program
	ProgramClock   string    // see config.Engine.Clock
	CommandOptions []string  // of the program, each "Name=Value"
	Child          bool      // the bot is a process of its own, which can be killed
	ChildLog       io.Writer // gets what that process logs
	Dir            string    // of the records; "": one that is removed
	Log            zerolog.Logger
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
	names    *nameServers
	second   *lichess.Client // another program with the bot's token
	killed   time.Time       // the child, last; of the goroutine that injects faults
}

// claimAfter is how soon the win can be claimed from an opponent who left.
const claimAfter = 10 * time.Second

// Run plays the games and prints the report. It fails if anything but chess lost a game,
// if a move was lost, posted twice or out of turn, or if a game is missing from the
// records.
func Run(ctx context.Context, o Options, out io.Writer) error {
	k := &soak{Options: o, report: newReport(&o), out: out}
	var err error
	if k.scratch, err = os.MkdirTemp("", "zhbot-soak-"); err != nil {
		return err
	}
	defer os.RemoveAll(k.scratch) //nolint:errcheck // the system clears its temporary folder
	if k.Dir == "" {
		k.Dir = filepath.Join(k.scratch, "records")
	}
	k.disk.dir = k.Dir
	if k.server, k.token, err = app.StartSandbox(lichesstest.Options{Seed: k.Seed, ClaimAfter: claimAfter}); err != nil {
		return err
	}
	defer k.server.Close()
	fmt.Fprintf(out, "embedded Lichess at %s, %s, %d at once, faults %s, seed %d\n", k.server.URL(), k.describeGames(), k.Concurrent, k.Faults, k.Seed)
	k.settings = app.SandboxSettings(k.server.URL(), k.Dir, k.Concurrent, k.Threads)
	k.settings.Engine.MaxNodes, k.settings.Engine.HashMB = k.Nodes, k.HashMB
	k.settings.Engine.Command, k.settings.Engine.Protocol, k.settings.Engine.Clock = k.Command, k.Protocol, k.ProgramClock
	for _, text := range k.CommandOptions {
		var option config.Option
		if err := option.UnmarshalText([]byte(text)); err != nil {
			return fmt.Errorf("--engine-option: %w", err)
		}
		k.settings.Engine.Options = append(k.settings.Engine.Options, option)
	}
	if k.second, err = app.Connect(k.settings, k.token); err != nil {
		return err
	}
	defer k.second.Close()
	play := k.playHere
	if k.Child {
		play = k.playAsChild
	}
	if err := play(ctx); err != nil {
		return err
	}
	if k.report.unrecorded, err = CompareRecords(ctx, k.Dir, k.report.results); err != nil {
		return err
	}
	maps.Copy(k.report.faults, k.server.Faults.ByChance())
	k.report.audit, k.report.traffic = k.server.Audit(app.SandboxBot), k.server.Traffic()
	return k.report.write(out)
}

// describeGames describes how many games are played.
func (k *soak) describeGames() string {
	games := "games at " + k.Control.String()
	if k.Games > 0 {
		games = fmt.Sprintf("%d %s", k.Games, games)
	}
	if k.Duration > 0 {
		games += fmt.Sprintf(" for %g hours", k.Duration.Hours())
	}
	return games
}

// playHere has a bot in this process play the games.
func (k *soak) playHere(ctx context.Context) error {
	k.report.usage.add(usageOf(os.Getpid()))
	a, err := app.New(ctx, k.settings, app.Options{
		Log: k.Log, Token: k.token, Observers: []func(event.Event){k.report.watch.observe}, StartProgram: k.programs.start,
		Bot: func(o *bot.Options) {
			k.engine.Engine, o.Engine = o.Engine, &k.engine
			k.disk.attach(o)
		},
	})
	if err != nil {
		return err
	}
	err = app.PlayWhile(ctx, a, k.runGames)
	a.Close()
	k.report.usage.waitForRelease()
	return err
}

// playAsChild has a bot in a process of its own play the games.
func (k *soak) playAsChild(ctx context.Context) error {
	var err error
	if k.names, err = startNameServers(k.scratch); err != nil {
		fmt.Fprintf(k.out, "left out: the faults of the name servers, which need root on Linux (%v)\n", err)
	} else {
		defer k.names.Close()
		k.settings.Lichess.URL = strings.Replace(k.server.URL(), "127.0.0.1", "localhost", 1) // which has to be looked up
	}
	k.settings.Web.Listen, k.settings.Ctl.Listen = "", ""
	if k.child, err = newChild(k.settings, k.token, k.scratch, k.names, k.ChildLog); err != nil {
		return err
	}
	k.report.child = k.child
	g, ctx := errgroup.WithContext(ctx) // without the bot no game would end
	g.Go(func() error { return k.child.run(ctx) })
	g.Go(func() error {
		defer k.child.drain()
		return k.runGames(ctx)
	})
	return g.Wait()
}

// runGames plays the games while things go wrong.
func (k *soak) runGames(ctx context.Context) error {
	report := k.report
	defer k.server.Faults.Clear()
	background, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { k.injectFaults(background) })
	wg.Go(func() { report.usage.watch(background, k.pid) })
	if k.Outage > 0 {
		wg.Go(func() { report.outage.run(background, k.server, k.Concurrent, k.Outage) })
	}
	defer wg.Wait()
	defer stop()
	plan := app.Schedule(k.Control, k.Games, k.Concurrent)
	plan.OnRefused = func(err error) { report.refused = append(report.refused, err.Error()) }
	if k.Duration > 0 {
		plan.Until = time.Now().Add(k.Duration)
	}
	return k.server.RunGames(ctx, plan, func(r lichesstest.Result) {
		report.addGame(r)
		app.PrintResult(k.out, len(report.results), k.Games, r)
	})
}

// pid returns the id of the process in which the bot runs, 0 while there is none.
func (k *soak) pid() int {
	if k.child != nil {
		return k.child.pid()
	}
	return os.Getpid()
}
