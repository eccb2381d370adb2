package uci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// waiting are the commands that wait for a running job: those that need an idle engine, and
// those that end the session.
var waiting = []string{"setoption", "ucinewgame", "position", "go", "bench", "quit", endOfInput}

const helpText = `Commands, of UCI and others; "uci" lists the options:
  position startpos moves e2e4 e7e5   or: position fen FEN
  go depth 12                         or: movetime 1000, nodes 50000, infinite until stop, perft 4
  setoption name Threads value 2      ucinewgame, isready
  d: the board   eval: its evaluation   bench: the speed   quit: the end`

// execute executes a command.
func (c *session) execute(ctx context.Context, name string, args []string) error {
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
	case "quit", endOfInput:
		c.quit = true
	case "help":
		c.out.writeLine(helpText)
	case "d", "eval":
		return c.describe(name)
	case "bench":
		return c.bench(ctx, args)
	case "debug", "register":
		// Part of UCI, without effect here.
	case tooLong:
		return fmt.Errorf("line longer than %d bytes", MaxLine)
	default:
		return fmt.Errorf("unknown command %.40q; \"help\" lists some", name)
	}
	return nil
}

// errNoPosition is the error of commands after a position that was refused: the one before it
// is not what the GUI means.
var errNoPosition = errors.New("no position, since the last one was refused")

// describe executes d and eval.
func (c *session) describe(name string) error {
	switch {
	case c.game == nil:
		return fmt.Errorf("%s: %w", name, errNoPosition)
	case name == "d":
		c.out.writeLine("%s", display(c.game.Position()))
	default:
		c.out.writeLine("%+d cp for the side to move", c.options.Engine.Network.Evaluate(c.game.Position()))
	}
	return nil
}

func (c *session) identify() {
	c.out.writeLine("id name zhbot %s", c.server.Version)
	c.out.writeLine("id author the zhbot developers")
	defaults := c.server.defaults()
	options := defaults.table()
	if c.server.Parameters {
		options = append(options, defaults.parameters()...)
	}
	for _, o := range options {
		c.out.writeLine("option name %s type %s", o.name, o.kind)
	}
	c.out.writeLine("uciok")
}

// setOption executes "setoption name NAME [value VALUE]"; both may be several words. If the
// option affects the engine, a new one is created when next needed.
func (c *session) setOption(args []string) error {
	if len(args) < 2 || args[0] != "name" {
		return errors.New("setoption: want setoption name NAME value VALUE")
	}
	words, value := args[1:], ""
	if i := slices.Index(words, "value"); i >= 0 {
		words, value = words[:i], strings.Join(words[i+1:], " ")
	}
	name := strings.Join(words, " ")
	if err := c.options.Set(name, value); err != nil {
		return fmt.Errorf("setoption %.40s: %w", name, err)
	}
	switch strings.ToLower(name) {
	case "threads", "hash", "evalfile":
		c.engine = nil
	case "clear hash":
		c.clear()
	}
	if c.engine != nil {
		c.engine.SetParameters(c.options.Engine.Parameters)
	}
	return nil
}

func (c *session) newGame() {
	c.game = rules.NewGame(rules.StartPosition())
	c.clear()
}

// clear forgets what earlier searches have learned.
func (c *session) clear() {
	if c.engine != nil {
		c.engine.Clear()
	}
}

// stop ends the running job, if any.
func (c *session) stop() {
	if c.job != nil {
		c.job.cancel()
	}
}

// bench runs the benchmark; its last line has the node count and the speed.
func (c *session) bench(ctx context.Context, args []string) error {
	depth := engine.DefaultBenchDepth
	if len(args) > 0 {
		d, err := strconv.Atoi(args[0])
		if err != nil || d < 1 {
			return fmt.Errorf("bench %.40q: want a depth from 1", args[0])
		}
		depth = d
	}
	c.start(ctx, &job{}, func(ctx context.Context) {
		nodes, nps, err := engine.Bench(ctx, depth)
		if err != nil {
			c.out.writeError(fmt.Errorf("bench: %w", err))
			return
		}
		c.out.writeLine("%d nodes %d nps", nodes, nps)
	})
	return nil
}

// startPerft counts the leaf nodes after each move, and writes the counts and their sum.
func (c *session) startPerft(ctx context.Context, depth int) {
	root := *c.game.Position()
	c.start(ctx, &job{}, func(ctx context.Context) {
		var total uint64
		for m, n := range root.Divide(ctx, depth) {
			total += n
			c.out.writeLine("%s: %d", root.UCI(m), n)
		}
		if ctx.Err() != nil {
			c.out.writeLine("info string perft stopped")
			return
		}
		c.out.writeLine("\nNodes searched: %d", total)
	})
}
