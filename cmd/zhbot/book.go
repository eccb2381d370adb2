package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/book/source"
	"github.com/zhbot/zhbot/internal/terminal"
	"github.com/zhbot/zhbot/rules"
)

func newBookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "book",
		Short: "Make opening books, and look into them",
		Long: "book makes opening books for the setting engine.book and shows what is in one: in our own\n" +
			"format, or in Polyglot's (.bin).",
		Example: "  zhbot book build opening.zhbk --positions 1000\n  zhbot book show embedded",
		Args:    noArgs,
		RunE:    showHelp,
	}
	cmd.AddCommand(newBookBuildCommand(), newBookShowCommand())
	return cmd
}

func newBookShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE [FEN]",
		Short: "List the moves that a book has for a position",
		Long: "show says what kind of book a file is, and lists its moves for a position, the start position\n" +
			"if none is given: how often each would be played, its score in centipawns for the side to\n" +
			"move, and the games it was counted in. FILE may be \"embedded\", the book in the program.",
		Example: "  zhbot book show embedded\n" +
			"  zhbot book show crazyhouse.bin 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[] b KQkq - 0 1'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{errors.New("zhbot book show takes a book, and after it a position if it is not the first")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := rules.ParseFEN(cmp.Or(strings.Join(args[1:], " "), rules.StartFEN))
			if err != nil {
				return &usageError{err}
			}
			b, err := book.Open(args[0])
			if err != nil {
				return err
			}
			return showBook(cmd.OutOrStdout(), b, &p)
		},
	}
}

// showBook prints a book's moves for a position.
func showBook(out io.Writer, b book.Book, p *rules.Position) error {
	fmt.Fprintln(out, b)
	if t, ours := b.(*book.Table); ours && t.Note() != "" {
		fmt.Fprintln(out, t.Note())
	}
	moves := b.Moves(p)
	if len(moves) == 0 {
		_, err := fmt.Fprintf(out, "no moves for %s\n", p.FEN())
		return err
	}
	total := 0
	for _, m := range moves {
		total += m.Weight
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "move\tplayed\tweight\tscore\tgames\t")
	for _, m := range moves {
		fmt.Fprintf(w, "%s\t%.1f%%\t%d\t%d\t%d\t\n", p.SAN(m.Move), 100*float64(m.Weight)/float64(total), m.Weight, m.Score, m.Games)
	}
	return w.Flush()
}

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
	cmd := &cobra.Command{
		Use:   "build FILE [PGN...]",
		Short: "Make an opening book by search, or from games",
		Long: "build makes an opening book. Without games it searches: from the start position on, all moves\n" +
			"of a position get a short search, and the promising ones share what is left of --nodes, so\n" +
			"that a worker takes --positions times --nodes. Moves within --margin of the best are the\n" +
			"book's; positions after them, and after replies within --replies, come next, the most\n" +
			"likely first. At the end each move is scored by what follows it. The book is the same for\n" +
			"any number of workers. Cut short by a signal, it has what was searched by then.\n\n" +
			"With PGN files, build counts their games instead: the first --plies of each, moves played in\n" +
			"--min-games at least.",
		Example: "  zhbot book build opening.zhbk --positions 10000\n" +
			"  zhbot book build mine.zhbk records/2026-*.pgn --min-games 3",
		Args: someArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.nodes < source.MinNodes || f.grow.Margin < 0 || f.grow.Replies < 0 {
				return &usageError{fmt.Errorf("--nodes wants at least %d, --margin and --replies at least 0", source.MinNodes)}
			}
			if len(args) > 1 {
				return f.countGames(cmd, args[0], args[1:])
			}
			return f.buildBySearch(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	countFlag(flags, &f.grow.Positions, "positions", 1000, "positions to search")
	countFlag(flags, &f.grow.Plies, "plies", 16, "depth of the book")
	flags.IntVar(&f.grow.Margin, "margin", 15, "centipawns that a move of the book may be worse than the best")
	flags.IntVar(&f.grow.Replies, "replies", 60, "centipawns that an opponent's move may be worse and still be answered")
	flags.Uint64Var(&f.nodes, "nodes", 1_000_000, "nodes for each position, about a second of a worker")
	countFlag(flags, &f.grow.Workers, "workers", runtime.NumCPU(), "positions searched at once, a thread each")
	hashFlag(flags, &f.hash, 16, "transposition table of each worker in MiB")
	flags.StringVar(&f.network, "network", "", "network file, or none (default: the one in the program)")
	countFlag(flags, &f.minGames, "min-games", 2, "with PGN files: games that a move must have been played in")
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
	t, err := book.Build(cmd.Context(), o, func() book.Scorer {
		return source.NewScorer(engine.Options{HashMB: f.hash, Network: network}, f.nodes, o.Replies)
	}, bar.Set)
	bar.Finish()
	if t != nil && t.Len() > 0 {
		if saved := t.Save(path); saved != nil {
			return errors.Join(err, saved)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", path, t)
	}
	return interrupted("book build", err)
}

// countGames builds the book from the games in files.
func (f *bookFlags) countGames(cmd *cobra.Command, path string, files []string) error {
	counter, games := book.NewCounter(f.grow.Plies), 0
	for _, name := range files {
		n, err := source.CountFile(cmd.Context(), counter, name, func(err error) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%v: skipped\n", err)
		})
		if err != nil {
			return interrupted("book build", err)
		}
		games += n
	}
	note := fmt.Sprintf("zhbot book build of %d games: --plies %d --min-games %d", games, f.grow.Plies, f.minGames)
	t, err := counter.Table(f.minGames, note)
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
