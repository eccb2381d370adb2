package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/rules"
)

// maxPerftDepth keeps a typo from running for years.
const maxPerftDepth = 20

func newPerftCommand() *cobra.Command {
	var fen, moves string
	var divide bool
	cmd := &cobra.Command{
		Use:   "perft DEPTH",
		Short: "Count the leaf nodes of the legal move tree",
		Long: "perft counts the move sequences of a length, the usual test of a move generator.\n" +
			"The last ply is counted without being played.",
		Example: "  zhbot perft 5\n  zhbot perft --divide --moves \"e2e4 d7d5 e4d5\" 2\n" +
			"  zhbot perft --fen \"2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - -\" 3",
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			depth, err := strconv.Atoi(args[0])
			if err != nil || depth < 0 || depth > maxPerftDepth {
				return &usageError{fmt.Errorf("depth %q: want a number from 0 to %d", args[0], maxPerftDepth)}
			}
			p, err := setUp(fen, moves)
			if err != nil {
				return &usageError{err}
			}
			return perft(cmd.OutOrStdout(), p, depth, divide)
		},
	}
	cmd.Flags().StringVar(&fen, "fen", "", "position, in any of the usual notations (default the start)")
	cmd.Flags().StringVar(&moves, "moves", "", "moves to play first, in UCI notation")
	cmd.Flags().BoolVar(&divide, "divide", false, "print the count after each move")
	return cmd
}

// setUp returns a position with moves played on it.
func setUp(fen, moves string) (*rules.Position, error) {
	start := rules.StartPosition()
	if fen != "" {
		var err error
		if start, err = rules.ParseFEN(fen); err != nil {
			return nil, err
		}
	}
	g := rules.NewGame(start)
	if err := g.PlayUCI(strings.Fields(moves)...); err != nil {
		return nil, err
	}
	return g.Position(), nil
}

func perft(out io.Writer, p *rules.Position, depth int, divide bool) error {
	start := time.Now()
	nodes := uint64(0)
	if divide && depth > 0 {
		for m, n := range p.Divide(depth) {
			if _, err := fmt.Fprintf(out, "%s: %d\n", p.UCI(m), n); err != nil {
				return err
			}
			nodes += n
		}
	} else {
		nodes = p.Perft(depth)
	}
	took := time.Since(start)
	_, err := fmt.Fprintf(out, "Nodes searched: %d\nTime: %s, %.0f Mnodes/s\n",
		nodes, took.Round(time.Microsecond), float64(nodes)/max(took.Seconds(), 1e-9)/1e6)
	return err
}
