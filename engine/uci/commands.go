package uci

import (
	"context"
	"fmt"
	"strconv"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// isImmediate tells which commands need not wait for a running job. quit
// does: it ends a search, but lets perft and bench finish.
func isImmediate(name string) bool {
	switch name {
	case "uci", "stop", "ponderhit", "d", "eval", "debug":
		return true
	}
	return false
}

// execute carries out a command and reports what is wrong with it.
func (c *session) execute(ctx context.Context, name string, args []string) {
	if err := c.command(ctx, name, args); err != nil {
		c.out.writeError(err)
	}
}

func (c *session) command(ctx context.Context, name string, args []string) error {
	switch name {
	case "uci":
		c.identify()
	case "setoption":
		return c.setOption(args)
	case "ucinewgame":
		c.newGame()
	case "position":
		return c.setPosition(args)
	case "go":
		return c.goCommand(ctx, args)
	case "stop":
		c.stop()
	case "ponderhit":
		return c.ponderHit()
	case "quit":
		c.quit = true
	case "d":
		c.out.writeLine("%s", display(c.game.Position()))
	case "eval":
		c.out.writeLine("%s", engine.Explain(c.game.Position()))
		if n := c.options.network; n != nil {
			c.out.writeLine("%s: %+d cp for the side to move", n, n.Evaluate(c.game.Position()))
		}
	case "bench":
		return c.bench(ctx, args)
	case "debug", "register":
		// Part of UCI, but of no use here.
	case tooLong:
		return fmt.Errorf("line longer than %d bytes", maxLine)
	default:
		return fmt.Errorf("unknown command %q", truncate(name))
	}
	return nil
}

func (c *session) identify() {
	c.out.writeLine("id name zhbot %s", c.server.Version)
	c.out.writeLine("id author the zhbot developers")
	c.out.writeLine("%s", defaultOptions(c.server.Options).declare())
	c.out.writeLine("uciok")
}

func (c *session) newGame() {
	c.game = rules.NewGame(rules.StartPosition())
	if c.engine != nil {
		c.engine.Clear()
	}
}

// stop ends what is running. Without a job it does nothing, as UCI wants.
func (c *session) stop() {
	if c.job != nil {
		c.job.cancel()
	}
}

// bench runs the engine's benchmark; its last line has the number of nodes and the speed.
func (c *session) bench(ctx context.Context, args []string) error {
	depth := engine.DefaultBenchDepth
	if len(args) > 0 {
		d, err := strconv.Atoi(args[0])
		if err != nil || d < 1 {
			return fmt.Errorf("bench %q: want a depth from 1", truncate(args[0]))
		}
		depth = d
	}
	c.start(ctx, &job{}, func(ctx context.Context) {
		r, err := engine.Bench(ctx, depth)
		if err != nil {
			c.out.writeError(fmt.Errorf("bench: %w", err))
			return
		}
		c.out.writeLine("%d nodes %d nps", r.Nodes, r.NPS())
	})
	return nil
}

// truncate shortens a word from outside for an error message.
func truncate(s string) string {
	const limit = 40
	if len(s) > limit {
		return s[:limit] + "…"
	}
	return s
}
