package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

func newBookShowCommand() *cobra.Command {
	return command("show FILE [FEN...]", func(cmd *cobra.Command, args []string) error {
		p, err := rules.ParseFEN(cmp.Or(strings.Join(args[1:], " "), rules.StartFEN))
		if err != nil {
			return &usageError{err}
		}
		b, err := book.Open(args[0])
		if err != nil {
			return err
		}
		return showBook(cmd.OutOrStdout(), b, &p)
	})
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
	w := newTable(out, tabwriter.AlignRight)
	fmt.Fprintln(w, "move\tplayed\tweight\tscore\tgames\t")
	for _, m := range moves {
		played := 100 * float64(m.Weight) / float64(total)
		fmt.Fprintf(w, "%s\t%.1f%%\t%d\t%d\t%d\t\n", p.SAN(m.Move), played, m.Weight, m.Score, m.Games)
	}
	return w.Flush()
}
