package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/nnue"
)

func newNetworkInspectCommand() *cobra.Command {
	return command("inspect [FILE]", func(cmd *cobra.Command, args []string) error {
		n, err := engine.OpenNetwork(strings.Join(args, "")) // at most one; without, the embedded network
		if err != nil {
			return err
		}
		return printNetwork(cmd.OutOrStdout(), n)
	})
}

func printNetwork(out io.Writer, n *nnue.Network) error {
	w := n.Weights()
	fmt.Fprintf(out, "%s\n%s\n\n", n, n.Summary())
	fmt.Fprintf(out, "live pairs: %d of %d\n", w.LivePairs(), w.Width/2)
	fmt.Fprintf(out, "features without a weight: %d of %d\n\n", w.DeadInputs(), nnue.Inputs)
	table := newTable(out, tabwriter.AlignRight)
	fmt.Fprintln(table, "part\tweights\tzero\tleast\tgreatest\t")
	for _, p := range w.Stats() {
		zero := 100 * float64(p.Zeros) / float64(p.Count)
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%.4g\t%.4g\t\n", p.Name, p.Count, zero, p.Min, p.Max)
	}
	return table.Flush()
}
