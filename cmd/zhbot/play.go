package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/web/play"
	"github.com/zhbot/zhbot/rules"
)

// playFlags are the flags of zhbot play.
type playFlags struct {
	game            play.Settings // the first one's
	moveTime        time.Duration
	threads, hashMB int
	network         string
	listen          string
	pgn             string
}

// defaultPlayListen is the address of the page unless --listen sets another.
const defaultPlayListen = "127.0.0.1:8081"

// evaluationTime is how long the engine thinks about a requested evaluation.
const evaluationTime = 3 * time.Second

func newPlayCommand() *cobra.Command {
	f := playFlags{game: play.Settings{Start: rules.StartPosition()}}
	cmd := command("play", f.run)
	flags := cmd.Flags()
	parsedFlag(flags, &f.game.Side, "side", "white", play.ParseSide, "string", "your side: white, black or random")
	f.game.Level = 5
	parsedFlag(flags, &f.game.Level, "level", "5", human.ParseLevelChoice, "number", fmt.Sprintf(
		"level of the engine, 0 to %d (full strength), or its rating on Lichess, %d or more",
		human.MaxLevel, human.MinRating))
	parsedFlag(flags, &f.game.Clock, "clock", "none", play.ParseClock, "string", "clock, such as 5+3, or none")
	durationFlag(flags, &f.moveTime, "movetime", time.Second, time.Millisecond,
		"the engine's time for a move without a clock")
	parsedFlag(flags, &f.game.Start, "fen", "", rules.ParseFEN, "string",
		"position to start from (default the start position)")
	flags.StringVar(&f.pgn, "pgn", "", "file to which each game is appended at its end")
	flags.StringVar(&f.listen, "listen", defaultPlayListen,
		"address of the page; if the default is taken, another port")
	threadsFlag(flags, &f.threads, 0, "search threads (default one for each core)")
	hashFlag(flags, &f.hashMB, 64, "transposition table in MiB")
	networkFlag(flags, &f.network, "network file")
	return cmd
}

func (f *playFlags) run(cmd *cobra.Command, _ []string) error {
	if err := checkAddress("listen", f.listen); err != nil {
		return err
	}
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return fmt.Errorf("--network: %w", err)
	}
	log, err := app.NewLogger(config.Default().Log, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	name := "zhbot " + app.Version()
	options := play.Options{
		Listen: f.listen, Engine: engine.New(engine.Options{Threads: f.threads, HashMB: f.hashMB, Network: network}),
		EngineName: name, About: name + ", network " + network.Name(),
		MoveTime: f.moveTime, EvaluationTime: evaluationTime, Log: log.Level(zerolog.WarnLevel),
	}
	if f.pgn != "" {
		if options.Archive, err = play.AppendTo(f.pgn); err != nil {
			return fmt.Errorf("--pgn: %w", err)
		}
	}
	if err := f.game.Check(); err != nil {
		return usagef("--fen: %w", err)
	}
	page, err := play.New(options, f.game)
	if err != nil {
		return err
	}
	err = errors.Join(f.serve(cmd, page), page.Close())
	if game := page.PGN(); f.pgn == "" && len(game.Moves) > 0 { // so that it is not lost
		_, printErr := game.WriteTo(cmd.OutOrStdout())
		err = errors.Join(err, printErr)
	}
	return err
}

// serve serves the page until the context ends.
func (f *playFlags) serve(cmd *cobra.Command, page *play.Page) error {
	l, err := play.Listen(cmd.Context(), f.listen, !cmd.Flags().Changed("listen"))
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	here, elsewhere := play.URLs(l.Addr())
	fmt.Fprintf(out, "Play at this address; Ctrl-C ends:\n%s\n", here)
	if len(elsewhere) > 0 {
		fmt.Fprintf(out, "From other devices in the network:\n%s\n", strings.Join(elsewhere, "\n"))
	}
	return page.Serve(cmd.Context(), l)
}
