package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// bookFlags are the flags of zhbot book build.
type bookFlags struct {
	grow     book.BuildOptions
	nodes    uint64
	hash     int
	network  string
	minGames int
}

func newBookBuildCommand() *cobra.Command {
	var f bookFlags
	cmd := command("build FILE [PGN...]", func(cmd *cobra.Command, args []string) error {
		isOutput := func(in string) bool { return file.Same(in, args[0]) }
		switch {
		case f.nodes < book.MinNodes:
			return usagef("--nodes wants at least %d", book.MinNodes)
		case strings.EqualFold(filepath.Ext(args[0]), ".pgn"), slices.ContainsFunc(args[1:], isOutput),
			!book.Replaceable(args[0]):
			return usagef("the book would overwrite %s: name the book first, such as mine.zhbk", args[0])
		case len(args) == 1:
			return f.buildBySearch(cmd, args[0])
		}
		return f.countGames(cmd, args[0], args[1:])
	})
	flags := cmd.Flags()
	countFlag(flags, &f.grow.Positions, "positions", 1000, "positions to search")
	countFlag(flags, &f.grow.Plies, "plies", 16, "depth of the book")
	numberFlag(flags, &f.grow.Margin, "margin", 15, 0, nil,
		"centipawns by which a book move may be worse than the best")
	numberFlag(flags, &f.grow.Replies, "replies", 60, 0, nil,
		"centipawns by which an opponent's move may be worse and still be answered")
	flags.Uint64Var(&f.nodes, "nodes", 1_000_000, "nodes for each position; the default takes about 0.6 s of one core")
	countFlag(flags, &f.grow.Workers, "workers", runtime.NumCPU(), "positions to search at once, one thread each")
	hashFlag(flags, &f.hash, 16, "transposition table of each worker in MiB")
	networkFlag(flags, &f.network, "network file")
	countFlag(flags, &f.minGames, "min-games", 2,
		"with PGN files: number of games in which a move must have been played")
	return cmd
}

// buildBySearch builds the book by search.
func (f *bookFlags) buildBySearch(cmd *cobra.Command, path string) error {
	if err := file.CheckWritable(path); err != nil {
		return fmt.Errorf("save book %s: %w", path, err)
	}
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return err
	}
	o := f.grow
	o.Note = func(positions int) string {
		return fmt.Sprintf("zhbot book build --positions %d --plies %d --margin %d --replies %d --nodes %d --hash %d "+
			"(network %s)", positions, o.Plies, o.Margin, o.Replies, f.nodes, f.hash, network.Name())
	}
	search := book.Search{Network: network, HashMB: f.hash, Nodes: f.nodes, Replies: o.Replies}
	bar := term.NewProgress(cmd.ErrOrStderr(), o.Positions, "positions")
	t, err := book.Build(cmd.Context(), o, func() book.Scorer { return book.NewScorer(search) }, bar.Set)
	bar.Finish()
	if t != nil && t.Len() > 0 {
		if saved := t.Save(path); saved != nil {
			return errors.Join(err, saved)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", path, t)
	}
	return err
}

// countGames builds the book from the finished games in files, each of which counts once.
func (f *bookFlags) countGames(cmd *cobra.Command, path string, files []string) error {
	counter, games, others := book.NewCounter(f.grow.Plies), 0, 0
	err := record.ReadGames(cmd.Context(), files, func(found *record.FinishedGame) {
		g, err := found.Game()
		if errors.Is(err, pgn.ErrVariant) {
			others++
		} else if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), term.Printable(err.Error()))
		}
		if g != nil && g.Result != rules.NoResult && g.Board.Ply() > 0 {
			counter.Add(g.Board.Start(), g.Board.Moves(), g.Result)
			games++
		}
	})
	if err != nil {
		return err
	}
	printLeftOut(cmd, others)
	note := fmt.Sprintf("zhbot book build of %d games: --plies %d --min-games %d", games, f.grow.Plies, f.minGames)
	t, err := counter.Table(f.minGames, note)
	if err != nil {
		return err
	}
	switch {
	case games == 0:
		return errors.New("the PGN files have no finished games")
	case t.Len() == 0:
		return fmt.Errorf("no move was played in %d of %d finished games: lower --min-games, or give more games",
			f.minGames, games)
	}
	if err := t.Save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, of %d games\n", path, t, games)
	return err
}
