package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules"
)

// bookFlags are the flags of zhbot book build.
type bookFlags struct {
	grow     book.BuildOptions
	nodes    uint64
	hash     int
	network  string
	minGames int
	state    string
}

func newBookBuildCommand() *cobra.Command {
	var f bookFlags
	cmd := &cobra.Command{
		Use: "build FILE [PGN...]",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.nodes < book.MinNodes || f.grow.Margin < 0 || f.grow.Replies < 0 {
				return &usageError{fmt.Errorf("--nodes wants at least %d, --margin and --replies at least 0", book.MinNodes)}
			}
			if len(args) > 1 {
				if cmd.Flags().Changed("resume") {
					return &usageError{errors.New("--resume is for a book built by search: leave out the PGN files")}
				}
				return f.countGames(cmd, args[0], args[1:])
			}
			return f.buildBySearch(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	countFlag(flags, &f.grow.Positions, "positions", 1000, "positions to search")
	countFlag(flags, &f.grow.Plies, "plies", 16, "depth of the book")
	flags.IntVar(&f.grow.Margin, "margin", 15, "centipawns by which a book move may be worse than the best")
	flags.IntVar(&f.grow.Replies, "replies", 60, "centipawns by which an opponent's move may be worse and still be answered")
	flags.Uint64Var(&f.nodes, "nodes", 1_000_000, "nodes for each position; the default takes about 0.6 s of one core")
	countFlag(flags, &f.grow.Workers, "workers", runtime.NumCPU(), "positions to search at once, one thread each")
	hashFlag(flags, &f.hash, 16, "transposition table of each worker in MiB")
	networkFlag(flags, &f.network, "network file")
	flags.StringVar(&f.state, "resume", "", "keep what was searched in this file, and continue from it")
	countFlag(flags, &f.minGames, "min-games", 2, "with PGN files: number of games in which a move must have been played")
	return cmd
}

// buildBySearch builds the book by search.
func (f *bookFlags) buildBySearch(cmd *cobra.Command, path string) (err error) {
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return err
	}
	o := f.grow
	o.Note = func(positions int) string {
		return fmt.Sprintf("zhbot book build --positions %d --plies %d --margin %d --replies %d --nodes %d --hash %d (network %s)",
			positions, o.Plies, o.Margin, o.Replies, f.nodes, f.hash, network.Name())
	}
	search := book.Search{Network: network, HashMB: f.hash, Nodes: f.nodes, Replies: o.Replies}
	newScorer, reused := func() book.Scorer { return book.NewScorer(search) }, func() int { return 0 }
	if f.state != "" {
		state, err := book.OpenState(cmd.Context(), f.state, search)
		if err != nil {
			return interruptedRun("book build", f.state, err)
		}
		defer func() { err = errors.Join(err, state.Close()) }()
		newScorer, reused = func() book.Scorer { return state.Scorer(book.NewScorer(search)) }, state.Reused
	}
	bar := term.NewProgress(cmd.ErrOrStderr(), o.Positions, "positions")
	t, err := book.Build(cmd.Context(), o, newScorer, func(positions int) {
		bar.Resume(reused())
		bar.Set(positions)
	})
	bar.Finish()
	if t != nil && t.Len() > 0 {
		if saved := t.Save(path); saved != nil {
			return errors.Join(err, saved)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", path, t)
	}
	return interruptedRun("book build", f.state, err)
}

// countGames builds the book from the finished games in files, each of which counts once.
func (f *bookFlags) countGames(cmd *cobra.Command, path string, files []string) error {
	counter, games := book.NewCounter(f.grow.Plies), 0
	err := record.ReadGames(cmd.Context(), files, func(found *record.FinishedGame) {
		g, err := found.Game()
		switch {
		case err != nil:
			fmt.Fprintf(cmd.ErrOrStderr(), "%v: skipped\n", err)
		case g.Result != rules.NoResult:
			counter.Add(g.Board.Start(), g.Board.Moves(), g.Result)
			games++
		}
	})
	if err != nil {
		return interrupted("book build", err)
	}
	note := fmt.Sprintf("zhbot book build of %d games: --plies %d --min-games %d", games, f.grow.Plies, f.minGames)
	t, err := counter.Table(f.minGames, note)
	if err != nil {
		return err
	}
	switch {
	case games == 0:
		return errors.New("book build: the PGN files have no finished games")
	case t.Len() == 0:
		return fmt.Errorf("book build: no move was played in %d of %d finished games: lower --min-games, or give more games", f.minGames, games)
	}
	if err := t.Save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, of %d games\n", path, t, games)
	return err
}
