package uci

import "context"

// startPerft counts the leaves below each move, writes them move by move, and
// the sum last.
func (c *session) startPerft(ctx context.Context, depth int) {
	root := *c.game.Position()
	write := moveWriter{chess960: c.options.chess960}
	c.start(ctx, &job{}, func(ctx context.Context) {
		var total uint64
		for m, n := range root.Divide(ctx, depth) {
			total += n
			c.out.writeLine("%s: %d", write.move(&root, m), n)
		}
		if ctx.Err() != nil {
			c.out.writeLine("info string perft stopped")
			return
		}
		c.out.writeLine("\nNodes searched: %d", total)
	})
}
