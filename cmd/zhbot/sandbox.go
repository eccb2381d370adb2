package main

import (
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/soak"
	"github.com/zhbot/zhbot/lichess"
)

func newDemoCommand(defaults *config.Config) *cobra.Command {
	o := app.DemoOptions{Engine: defaults.Engine}
	var serve string
	var verbose bool
	o.Control = lichess.Clock{Initial: 15 * time.Second, Increment: 200 * time.Millisecond}
	cmd := command("demo", func(cmd *cobra.Command, _ []string) error {
		if serve != "" {
			if err := checkAddress("serve", serve); err != nil {
				return err
			}
			if !cmd.Flags().Changed("tc") { // what a bot accepts by default
				o.Control = lichess.Clock{Initial: time.Minute, Increment: time.Second}
			}
			return app.ServeSandbox(cmd.Context(), serve, o.Control, o.Concurrent, cmd.OutOrStdout())
		}
		if err := checkAddress("web", o.Web); err != nil && o.Web != "" {
			return err
		}
		var err error
		if o.Log, err = logIf(verbose, defaults.Log, cmd.ErrOrStderr()); err != nil {
			return err
		}
		return app.PlayDemo(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	cmd.PreRun = surviveBrokenPipes
	f := cmd.Flags()
	countFlag(f, &o.Games, "games", 4, "games to play")
	countFlag(f, &o.Concurrent, "concurrent", 2, "games at once")
	clockFlag(f, &o.Control, "15s+0.2s", "clock; with --serve 1m+1s if not given")
	f.StringVar(&o.Dir, "dir", "demo-records", "folder for the PGN") // not the bot's own records
	f.StringVar(&o.Web, "web", defaults.Web.Listen, "address of the live page; \"\" for none")
	f.StringVar(&serve, "serve", "", "only run the server, at this host:port; without a host, only for this machine")
	searchFlags(f, &o.Engine)
	f.BoolVar(&verbose, "verbose", false, "log what the bot does")
	return cmd
}

// searchFlags bound the searches of a bot in the sandbox.
func searchFlags(f *pflag.FlagSet, e *config.Engine) {
	threadsFlag(f, &e.Threads, 0, "search threads (default one for each core)")
	numberFlag(f, &e.MaxNodes, "nodes", 0, 0, nil, "maximum nodes of a search (default no limit)")
	hashFlag(f, &e.HashMB, 64, "transposition table in MiB")
}

func newSoakCommand(defaults *config.Config) *cobra.Command {
	o := soak.Options{
		Control: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Engine: defaults.Engine,
	}
	o.Faults, _ = soak.ParseFaults("all")
	var verbose bool
	cmd := command("soak", func(cmd *cobra.Command, _ []string) error {
		if o.CannotHappen() {
			return usagef("--faults %s: not with these flags: the faults of an engine program "+
				"need --engine-command, some need --child, others not", o.Faults)
		}
		if verbose {
			o.ChildLog = cmd.ErrOrStderr()
		}
		var err error
		if o.Log, err = logIf(verbose, config.Log{Level: "debug", Format: "auto"}, cmd.ErrOrStderr()); err != nil {
			return err
		}
		o.Progress = cmd.ErrOrStderr()
		return soak.Run(cmd.Context(), o, cmd.OutOrStdout())
	})
	cmd.PreRun = surviveBrokenPipes
	f := cmd.Flags()
	countFlag(f, &o.Games, "games", 40, "games to play")
	countFlag(f, &o.Concurrent, "concurrent", 8, "games at once")
	clockFlag(f, &o.Control, "3m+2s", "clock")
	parsedFlag(f, &o.Faults, "faults", "all", soak.ParseFaults, "faults", "what goes wrong")
	durationFlag(f, &o.Every, "every", 2*time.Second, time.Millisecond, "average time between outages")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the faults, the colours and the players")
	searchFlags(f, &o.Engine)
	f.BoolVar(&o.Child, "child", false, "run the bot in a process of its own, which can be killed")
	f.StringVar(&o.Engine.Command, "engine-command", "", "UCI program that searches (default our own search)")
	f.StringVar(&o.Dir, "dir", "", "folder for the PGN (default one that is removed)")
	f.BoolVar(&verbose, "verbose", false, "log what the bot does")
	return cmd
}

// logIf returns a logger that writes to w if verbose, and else nothing.
func logIf(verbose bool, c config.Log, w io.Writer) (zerolog.Logger, error) {
	if !verbose {
		return zerolog.Nop(), nil
	}
	return app.NewLogger(c, w)
}
