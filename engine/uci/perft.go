package uci

import (
	"context"

	"github.com/zhbot/zhbot/rules"
)

// startPerft counts the leaves below each move, writes them move by move, and
// the sum last.
func (c *session) startPerft(ctx context.Context, depth int) {
	root := *c.game.Position()
	write := moveWriter{chess960: c.options.chess960}
	c.start(ctx, &job{}, func(ctx context.Context) {
		var list rules.MoveList
		root.Generate(&list, rules.All)
		var total uint64
		var next rules.Position
		for _, m := range list.Moves() {
			root.PlayInto(m, &next)
			n := perft(ctx, &next, depth-1)
			if ctx.Err() != nil {
				c.out.line("info string perft stopped")
				return
			}
			total += n
			c.out.line("%s: %d", write.move(&root, m), n)
		}
		c.out.line("\nNodes searched: %d", total)
	})
}

// perft is [rules.Position.Perft] that can be stopped: then its count means
// nothing.
func perft(ctx context.Context, p *rules.Position, depth int) uint64 {
	const quick = 3 // counted within moments, drops and all
	switch {
	case ctx.Err() != nil:
		return 0
	case depth == 0:
		return 1
	case depth <= quick:
		return p.Perft(depth)
	}
	var list rules.MoveList
	var next rules.Position
	var total uint64
	p.Generate(&list, rules.All)
	for _, m := range list.Moves() {
		p.PlayInto(m, &next)
		total += perft(ctx, &next, depth-1)
	}
	return total
}
