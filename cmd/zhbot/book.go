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
	return &cobra.Command{
		Use: "show FILE [FEN...]",
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
