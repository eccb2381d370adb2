package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/terminal"
	"github.com/zhbot/zhbot/internal/version"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// analysis is a command line of "zhbot analyse".
type analysis struct {
	time    time.Duration
	nodes   uint64
	threads int
	hashMB  int
	network string

	engine *engine.Engine
}

func newAnalyseCommand() *cobra.Command {
	var a analysis
	cmd := &cobra.Command{
		Use:   "analyse FILE",
		Short: "Evaluate every move of a PGN file with the engine",
		Long: "analyse reads crazyhouse games and prints them with the engine's evaluation after each move\n" +
			"([%eval]). Inaccuracies, mistakes and blunders are marked ($6, $2, $4) and say what was best;\n" +
			"they are moves that lose 5, 10 or 15 of 100 points of expected score, as on Lichess. A balance\n" +
			"for each player goes to standard error. With \"-\" the games come from standard input.",
		Example: "  zhbot analyse game.pgn > annotated.pgn\n  zhbot analyse --time 2s records/2026-08.pgn",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.DurationVar(&a.time, "time", 200*time.Millisecond, "time for each position")
	f.Uint64Var(&a.nodes, "nodes", 0, "nodes for each position instead, on one thread; the result is repeatable")
	threadsFlag(f, &a.threads, 0, "search threads (default one for each core)")
	hashFlag(f, &a.hashMB, 64, "transposition table in MiB")
	f.StringVar(&a.network, "network", "", "network file, or none (default the built-in one)")
	return cmd
}

func (a *analysis) run(cmd *cobra.Command, file string) error {
	if a.nodes == 0 && a.time <= 0 {
		return &usageError{fmt.Errorf("--time %s: want more than nothing", a.time)}
	}
	in, err := openInput(cmd, file)
	if err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	if a.engine, err = a.newEngine(); err != nil {
		return err
	}
	games, bad := 0, 0
	for reader := pgn.NewReader(in); ; {
		g, err := reader.Next()
		var broken *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return a.checkCounts(file, games, bad)
		case errors.As(err, &broken):
			bad++
			fmt.Fprintln(cmd.ErrOrStderr(), "skipped:", broken)
			continue
		case err != nil:
			return fmt.Errorf("analyse: %w", err)
		}
		games++
		if err := a.annotateGame(cmd, g); err != nil {
			return err
		}
	}
}

func openInput(cmd *cobra.Command, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(file)
}

func (a *analysis) newEngine() (*engine.Engine, error) {
	network, err := engine.OpenNetwork(a.network)
	if err != nil {
		return nil, fmt.Errorf("analyse: --network: %w", err)
	}
	threads := a.threads
	if a.nodes > 0 {
		threads = 1
	}
	return engine.New(engine.Options{Threads: threads, HashMB: a.hashMB, Network: network}), nil
}

// checkCounts returns an error if games could not be read.
func (a *analysis) checkCounts(file string, games, bad int) error {
	switch {
	case bad > 0:
		return fmt.Errorf("analyse %s: %d of %d games could not be read", file, bad, games+bad)
	case games == 0:
		return fmt.Errorf("analyse %s: no games in it", file)
	}
	return nil
}

// annotateGame evaluates a game, prints it, and summarizes each player's moves.
func (a *analysis) annotateGame(cmd *cobra.Command, g *pgn.Game) error {
	evaluations, err := a.evaluations(cmd.Context(), cmd.ErrOrStderr(), g)
	if err != nil {
		return interrupted("analyse", err)
	}
	balances := annotate(g, evaluations)
	g.SetTag("Annotator", "zhbot "+version.Number())
	if _, err := g.WriteTo(cmd.OutOrStdout()); err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		name := strings.ToUpper(c.String()[:1]) + c.String()[1:]
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s: %s\n", name, terminal.Printable(g.Tag(name)), balances[c])
	}
	return nil
}

// evaluations searches every position of a game, the last one first: what is known
// of later positions helps with the earlier ones.
func (a *analysis) evaluations(ctx context.Context, progressTo io.Writer, g *pgn.Game) ([]evaluation, error) {
	board := rules.NewGame(g.Start)
	for _, m := range g.Moves {
		if err := board.Play(m.Move); err != nil {
			return nil, err
		}
	}
	a.engine.Clear()
	bar := terminal.NewProgress(progressTo, len(g.Moves)+1, "positions")
	defer bar.Finish()
	evaluations := make([]evaluation, len(g.Moves)+1)
	for i := len(g.Moves); i >= 0; i-- {
		e, err := a.evaluate(ctx, board)
		if err != nil {
			return nil, err
		}
		evaluations[i] = e
		bar.Set(len(g.Moves) + 1 - i)
		board.TakeBack(min(1, board.Ply()))
	}
	return evaluations, nil
}

// evaluate searches a position. In one without a legal move the side to move is mated
// or, stalemated, has a draw.
func (a *analysis) evaluate(ctx context.Context, g *rules.Game) (evaluation, error) {
	limits := engine.Limits{MoveTime: a.time}
	if a.nodes > 0 {
		limits = engine.Limits{Nodes: a.nodes}
	}
	r, err := a.engine.Search(ctx, g, limits, nil)
	switch {
	case errors.Is(err, engine.ErrGameOver):
		if g.Position().InCheck() {
			return evaluation{score: engine.MateScore(0)}, nil
		}
		return evaluation{}, nil
	case err != nil:
		return evaluation{}, err
	}
	return evaluation{score: r.Info.Score, depth: r.Info.Depth, best: r.Move}, ctx.Err()
}

// playerSummary counts how a player did.
type playerSummary struct {
	moves  int
	lost   float64 // winning chances
	counts map[pgn.NAG]int
}

func (b *playerSummary) String() string {
	share := 0.0
	if b.moves > 0 {
		share = 50 * b.lost / float64(b.moves) // chances from -1 to 1 are 100 points
	}
	return fmt.Sprintf("%d moves, %d inaccuracies, %d mistakes, %d blunders, %.1f %% of the points lost per move",
		b.moves, b.counts[pgn.Inaccuracy], b.counts[pgn.Mistake], b.counts[pgn.Blunder], share)
}

// annotate adds the evaluations of a game's positions to its moves.
func annotate(g *pgn.Game, evaluations []evaluation) (balances [2]*playerSummary) {
	for c := range balances {
		balances[c] = &playerSummary{counts: map[pgn.NAG]int{}}
	}
	p := g.Start
	for i := range g.Moves {
		m, player := &g.Moves[i], balances[p.Turn()]
		m.Eval = evaluations[i+1].eval(p.Turn())
		loss, glyph, comment := classify(&p, m.Move, evaluations[i], evaluations[i+1])
		m.NAG, m.Comment = glyph, strings.TrimSpace(comment+" "+m.Comment)
		player.moves++
		player.lost += loss
		player.counts[glyph]++
		p = p.After(m.Move)
	}
	return balances
}
