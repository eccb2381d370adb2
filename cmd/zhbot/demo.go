package main

import (
	"fmt"
	"net"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/demo"
	"github.com/zhbot/zhbot/internal/logging"
	"github.com/zhbot/zhbot/internal/sandbox"
)

func newDemoCommand() *cobra.Command {
	var o demo.Options
	var serve string
	var verbose bool
	control := timeControl{15 * time.Second, 200 * time.Millisecond}
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
			if serve != "" {
				if !cmd.Flags().Changed("tc") {
					control = timeControl{time.Minute, time.Second} // what a bot accepts by default
				}
				return demo.Serve(cmd.Context(), serve, sandbox.TimeControl(control), o.Concurrent, cmd.OutOrStdout())
			}
			if _, _, err := net.SplitHostPort(o.Web); err != nil && o.Web != "" {
				return &usageError{fmt.Errorf("--web: %w", err)}
			}
			o.Control, o.Log = sandbox.TimeControl(control), zerolog.Nop()
			if verbose {
				var err error
				if o.Log, err = logging.New(config.Default().Log, cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			return interrupted("demo", demo.Play(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	f := cmd.Flags()
	countFlag(f, &o.Games, "games", 4, "games to play")
	countFlag(f, &o.Concurrent, "concurrent", 2, "games at once")
	f.Var(&control, "tc", "time control; with --serve 60+1 if not given")
	f.StringVar(&o.Dir, "dir", "records", "folder for the PGN")
	f.StringVar(&o.Web, "web", config.Default().Web.Listen, "address of the live page; \"\" for none")
	f.StringVar(&serve, "serve", "", "only run the server, at this host:port; without a host, on this machine only")
	threadsFlag(f, &o.Threads, 0, "search threads (default one for each core)")
	f.BoolVar(&verbose, "verbose", false, "log what the bot does")
	return cmd
}
