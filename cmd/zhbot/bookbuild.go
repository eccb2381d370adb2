package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/terminal"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// bookFlags are the flags of zhbot book build.
type bookFlags struct {
	grow     book.GrowOptions
	nodes    uint64
	hash     int
	network  string
	minGames int
}

func newBookBuildCommand() *cobra.Command {
	f := bookFlags{grow: book.GrowOptions{Positions: 1000, Plies: 16, Margin: 15, Replies: 60, Workers: runtime.NumCPU()}}
	cmd := &cobra.Command{
		Use:   "build FILE [PGN...]",
		Short: "Make an opening book by search, or from games",
		Long: "build makes an opening book. Without games it searches: from the start position on, all moves\n" +
			"of a position get a short search, and the promising ones one of --nodes each. Moves within --margin\n" +
			"of the best are the book's; positions after them, and after replies within --replies, come\n" +
			"next, the most likely first. At the end each move is scored by what follows it. The book is\n" +
			"the same for any number of workers. Cut short by a signal, it has what was searched by then.\n\n" +
			"With PGN files, build counts their games instead: the first --plies of each, moves played in\n" +
			"--min-games at least.",
		Example: "  zhbot book build opening.zhbk --positions 2000 --nodes 25000\n" +
			"  zhbot book build mine.zhbk records/2026-*.pgn --min-games 3",
		Args: someArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.grow.Positions < 1 || f.grow.Plies < 1 || f.grow.Workers < 1 || f.nodes < 100 || f.hash < 1 || f.minGames < 1 ||
				f.grow.Margin < 0 || f.grow.Replies < 0 {
				return &usageError{errors.New("--positions, --plies, --workers, --hash and --min-games want at least 1, " +
					"--nodes at least 100, --margin and --replies at least 0")}
			}
			if len(args) > 1 {
				return f.countGames(cmd, args[0], args[1:])
			}
			return f.buildBySearch(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.grow.Positions, "positions", f.grow.Positions, "positions to search")
	flags.IntVar(&f.grow.Plies, "plies", f.grow.Plies, "depth of the book")
	flags.IntVar(&f.grow.Margin, "margin", f.grow.Margin, "centipawns that a move of the book may be worse than the best")
	flags.IntVar(&f.grow.Replies, "replies", f.grow.Replies, "centipawns that an opponent's move may be worse and still be answered")
	flags.Uint64Var(&f.nodes, "nodes", 25_000, "nodes for each promising move")
	flags.IntVar(&f.grow.Workers, "workers", f.grow.Workers, "positions searched at once, a thread each")
	hashFlag(flags, &f.hash, 8, "transposition table of each worker in MiB")
	flags.StringVar(&f.network, "network", "", "network file, or none (default: the one in the program)")
	flags.IntVar(&f.minGames, "min-games", 2, "with PGN files: games that a move must have been played in")
	return cmd
}

// buildBySearch builds the book by search.
func (f *bookFlags) buildBySearch(cmd *cobra.Command, path string) error {
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return err
	}
	o := f.grow
	o.Note = func(positions int) string {
		return fmt.Sprintf("zhbot book build --positions %d --plies %d --margin %d --replies %d --nodes %d --hash %d (network %s)",
			positions, o.Plies, o.Margin, o.Replies, f.nodes, f.hash, engine.NetworkName(network))
	}
	bar := terminal.NewProgress(cmd.ErrOrStderr(), o.Positions, "positions")
	t, err := book.Grow(cmd.Context(), o, func() book.Judge {
		return newScorer(engine.Options{Threads: 1, HashMB: f.hash, Network: network}, f.nodes, o.Replies)
	}, bar.Set)
	bar.Finish()
	if t != nil && t.Len() > 0 {
		if saved := t.Save(path); saved != nil {
			return errors.Join(err, saved)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", path, t)
	}
	if err != nil {
		return interrupted("book build", err)
	}
	return nil
}

// The first pass searches each move with 1/firstPassShare of the nodes. Moves worse
// than the best by more than the replies and firstPassMargin are dropped.
const (
	firstPassShare  = 10
	firstPassMargin = 40
)

// newScorer returns a scorer that searches with an engine of its own, which forgets
// one position before the next.
func newScorer(o engine.Options, nodes uint64, replies int) book.Judge {
	e := engine.New(o)
	return func(ctx context.Context, p *rules.Position) ([]book.Judged, error) {
		e.Clear()
		firstPass, err := scoreMoves(ctx, e, p, p.LegalMoves(), nodes/firstPassShare)
		if err != nil {
			return nil, err
		}
		best := firstPass[0].Score
		for _, m := range firstPass {
			best = max(best, m.Score)
		}
		var candidates []rules.Move
		for _, m := range firstPass {
			if best-m.Score <= replies+firstPassMargin {
				candidates = append(candidates, m.Move)
			}
		}
		return scoreMoves(ctx, e, p, candidates, nodes)
	}
}

// scoreMoves searches moves one after another, with the given nodes each.
func scoreMoves(ctx context.Context, e *engine.Engine, p *rules.Position, moves []rules.Move, nodes uint64) ([]book.Judged, error) {
	scored := make([]book.Judged, len(moves))
	g := rules.NewGame(*p)
	for i, m := range moves {
		r, err := e.Search(ctx, g, engine.Limits{Nodes: nodes, SearchMoves: []rules.Move{m}}, nil)
		if err == nil {
			err = ctx.Err() // the score of an interrupted search is meaningless
		}
		if err != nil {
			return nil, err
		}
		scored[i] = book.Judged{Move: m, Score: int(r.Info.Score)}
	}
	return scored, nil
}

// countGames builds the book from the games in files.
func (f *bookFlags) countGames(cmd *cobra.Command, path string, files []string) error {
	tally, games := book.NewTally(f.grow.Plies), 0
	for _, name := range files {
		n, err := countFile(cmd, tally, name)
		if err != nil {
			return err
		}
		games += n
	}
	note := fmt.Sprintf("zhbot book build of %d games: --plies %d --min-games %d", games, f.grow.Plies, f.minGames)
	t, err := tally.Table(f.minGames, note)
	if err != nil {
		return err
	}
	if t.Len() == 0 {
		return fmt.Errorf("no move was played in %d of %d finished games; lower --min-games, or give more games", f.minGames, games)
	}
	if err := t.Save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, of %d games\n", path, t, games)
	return err
}

// countFile counts the finished games of a file. One that cannot be read is
// reported and skipped.
func countFile(cmd *cobra.Command, tally *book.Tally, name string) (games int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, fmt.Errorf("read games: %w", err)
	}
	defer file.Close()
	results := map[rules.Result]book.Result{rules.WhiteWins: book.WhiteWon, rules.Draw: book.Drawn, rules.BlackWins: book.WhiteLost}
	for r := pgn.NewReader(file); ; {
		if err := cmd.Context().Err(); err != nil {
			return games, interrupted("book build", err)
		}
		g, err := r.Next()
		var bad *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return games, nil
		case errors.As(err, &bad):
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v: skipped\n", name, err)
			continue
		case err != nil:
			return games, fmt.Errorf("read games of %s: %w", name, err)
		}
		result, finished := results[g.Result]
		if !finished {
			continue
		}
		moves := make([]rules.Move, len(g.Moves))
		for i, m := range g.Moves {
			moves[i] = m.Move
		}
		tally.Add(&g.Start, moves, result)
		games++
	}
}
