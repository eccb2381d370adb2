package uci

import (
	"context"
	"fmt"
	"strconv"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// obeyedAtOnce tells which commands need not wait for a running job. quit
// does: it ends a search, but lets perft and bench finish.
func obeyedAtOnce(name string) bool {
	switch name {
	case "uci", "stop", "ponderhit", "d", "eval", "debug":
		return true
	}
	return false
}

// obey carries out a command and reports what is wrong with it.
func (c *session) obey(ctx context.Context, name string, args []string) {
	if err := c.command(ctx, name, args); err != nil {
		c.out.problem(err)
	}
}

func (c *session) command(ctx context.Context, name string, args []string) error {
	switch name {
	case "uci":
		c.introduce()
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
		c.ended = true
	case "d":
		c.out.line("%s", display(c.game.Position()))
	case "eval":
		c.out.line("%s", engine.Explain(c.game.Position()))
		if n := c.options.network; n != nil {
			c.out.line("%s: %+d cp for the side to move", n, n.Evaluate(c.game.Position()))
		}
	case "bench":
		return c.bench(ctx, args)
	case "debug", "register":
		// Part of UCI, but of no use here.
	case overlong:
		return fmt.Errorf("line longer than %d bytes", maxLine)
	default:
		return fmt.Errorf("unknown command %q", clip(name))
	}
	return nil
}

func (c *session) introduce() {
	c.out.line("id name zhbot %s", c.server.Version)
	c.out.line("id author the zhbot developers")
	c.out.line("%s", defaultOptions(c.server.Options).declare())
	c.out.line("uciok")
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
			return fmt.Errorf("bench %q: want a depth from 1", clip(args[0]))
		}
		depth = d
	}
	c.start(ctx, &job{}, func(ctx context.Context) {
		r, err := engine.Bench(ctx, depth)
		if err != nil {
			c.out.problem(fmt.Errorf("bench: %w", err))
			return
		}
		c.out.line("%d nodes %d nps", r.Nodes, r.NPS())
	})
	return nil
}

// clip shortens a word from outside for an error message.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
