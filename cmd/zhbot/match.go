package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/terminal"
)

const matchLong = `Plays two engines against each other in crazyhouse and says which is the
stronger: Elo with its 95 % interval and the likelihood of superiority, both
from pairs of games with the same opening, and the verdict of an SPRT.

The opponent is any program that speaks UCI and knows UCI_Variant crazyhouse
(another build of zhbot: "/path/to/zhbot uci"), or one that speaks xboard's
protocol (--opponent-protocol cecp). The engine is the one in this program
unless --engine names another; "self" names it too. Engines on one machine
share its cores: --concurrency times --threads should not be more than there
are.

A crash, a hang, an illegal move or a late one loses the game and is counted.
With --resume, a match that was cut short goes on when the same command is
given again.`

const matchExample = `  zhbot match --opponent fairy-stockfish --tc 3+0.03 --games 200 --pgn match.pgn
  zhbot match --opponent sjeng --opponent-protocol cecp --openings openings.tsv
  zhbot match --opponent "./zhbot-old uci" --nodes 5000 --sprt 0,10 --games 20000 --resume match.state
  zhbot match --opponent self --option EvalFile=new.zhnn --movetime 50ms --sprt 0,50 --games 4000
  zhbot match --opponent self --movetime 20ms --games 1000`

// newMatchCommand returns the command that plays engines against each other.
func newMatchCommand() *cobra.Command {
	var f matchFlags
	cmd := &cobra.Command{
		Use:     "match --opponent COMMAND",
		Short:   "Play two engines against each other: Elo, SPRT, PGN",
		Long:    matchLong,
		Example: matchExample,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMatch(cmd, &f)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func runMatch(cmd *cobra.Command, f *matchFlags) (err error) {
	config, err := f.config()
	if err != nil {
		return err
	}
	if err := config.Validate(); err != nil {
		return &usageError{err}
	}
	if f.pgn != "" {
		file, err := os.OpenFile(f.pgn, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("open PGN file: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		config.PGN = file
	}
	// Two more than the searches need, so that the clocks of engine programs
	// are stopped in time.
	runtime.GOMAXPROCS(max(runtime.NumCPU(), f.concurrency*f.threads) + 2)
	progress := newMatchProgress(cmd.ErrOrStderr(), config.Games)
	config.OnGame = progress.game
	summary, err := match.Run(cmd.Context(), config)
	progress.finish()
	if summary.Games > 0 {
		err = errors.Join(err, f.print(cmd, summary))
	}
	if errors.Is(err, context.Canceled) {
		return f.interrupted()
	}
	return err
}

// print writes the final table, or JSON for machines.
func (f *matchFlags) print(cmd *cobra.Command, s match.Summary) error {
	if !f.json {
		_, err := fmt.Fprint(cmd.OutOrStdout(), "\n", s.Table())
		return err
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	return out.Encode(s)
}

func (f *matchFlags) interrupted() error {
	if f.resume == "" {
		return errors.New("interrupted; with --resume FILE a match can be continued")
	}
	return errors.New("interrupted; the same command continues the match")
}

// matchProgress shows how a match stands: a line that is kept up to date on a
// terminal, and else a line every few games.
type matchProgress struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil unless out is a terminal
}

// plainEvery is how many games there are between two plain lines.
const plainEvery = 10

func newMatchProgress(out io.Writer, games int) *matchProgress {
	p := &matchProgress{out: out}
	if terminal.Is(out) {
		p.bar = progressbar.NewOptions(games,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(8),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionShowCount(),
			progressbar.OptionSetDescription("first game"),
		)
		_ = p.bar.RenderBlank()
	}
	return p
}

// game shows the summary after a game.
func (p *matchProgress) game(_ match.Game, s match.Summary) {
	switch {
	case p.bar != nil:
		p.bar.Describe(s.Line())
		_ = p.bar.Set(s.Games)
	case s.Games%plainEvery == 0 || s.Games < plainEvery:
		fmt.Fprintf(p.out, "%d games  %s\n", s.Games, s.Line())
	}
}

// finish leaves the line.
func (p *matchProgress) finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}
