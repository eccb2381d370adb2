package uci

import "context"

// startPerft counts the leaves below each move, writes them move by move, and
// the sum last.
func (c *session) startPerft(ctx context.Context, depth int) {
	root := *c.game.Position()
	write := moveWriter{chess960: c.options.chess960}
	c.start(ctx, &job{}, func(ctx context.Context) {
		var total uint64
		for _, m := range root.LegalMoves() {
			next := root.After(m)
			n, err := next.PerftContext(ctx, depth-1)
			if err != nil {
				c.out.line("info string perft stopped")
				return
			}
			total += n
			c.out.line("%s: %d", write.move(&root, m), n)
		}
		c.out.line("\nNodes searched: %d", total)
	})
}
