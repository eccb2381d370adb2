package uci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// CECP plays crazyhouse with an engine that speaks the Chess Engine
// Communication Protocol of xboard. It is not safe for concurrent use.
//
// The engine is kept in force mode: before each of its moves it is given those
// that it does not know yet, and told to go. So it never thinks by itself, and
// a lost or illegal move can't put the two of us out of step for long.
type CECP struct {
	conn     *conn
	features features
	pings    int
	fresh    bool         // a new game, of which the engine knows nothing yet
	known    []rules.Move // moves of the game that the engine knows
	rejected string       // the move the engine has called illegal
}

// NewCECP shakes hands with the engine at the other end of rwc and sets its
// options. It takes rwc over and closes it on failure.
func NewCECP(ctx context.Context, rwc io.ReadWriteCloser, o ClientOptions) (*CECP, error) {
	c := &CECP{conn: newConn(rwc, o), features: features{}}
	if err := c.greet(ctx, o); err != nil {
		_ = c.conn.Close() // the first error is the one to tell
		return nil, fmt.Errorf("shake hands by CECP: %w", err)
	}
	return c, nil
}

func (c *CECP) greet(ctx context.Context, options ClientOptions) error {
	c.conn.send("xboard")
	c.conn.send("protover 2")
	if err := c.conn.expect(ctx, c.introduced); err != nil {
		return err
	}
	if err := c.features.check(); err != nil {
		return fmt.Errorf("%s: %w", c.Name(), err)
	}
	for _, o := range options.Preferred {
		if line, err := c.features.setOption(o); err == nil {
			c.conn.send("%s", line)
		}
	}
	for _, o := range options.Options {
		line, err := c.features.setOption(o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		c.conn.send("%s", line)
	}
	return c.ready(ctx)
}

// introduced takes a line of the answer to protover, up to done=1.
func (c *CECP) introduced(line string) bool {
	text, ok := strings.CutPrefix(line, "feature ")
	if !ok {
		return false
	}
	for _, name := range c.features.add(text) {
		c.conn.send("accepted %s", name)
	}
	return c.features["done"] == "1"
}

// ready waits until the engine has done all that it was told, and notes the
// move that it calls illegal.
func (c *CECP) ready(ctx context.Context) error {
	c.pings++
	c.conn.send("ping %d", c.pings)
	pong := "pong " + strconv.Itoa(c.pings)
	return c.conn.expect(ctx, func(line string) bool {
		if text, ok := strings.CutPrefix(line, "Illegal move"); ok {
			c.rejected = strings.TrimSpace(text)
		}
		return line == pong
	})
}

// Name returns what the engine calls itself.
func (c *CECP) Name() string {
	if name := c.features["myname"]; name != "" {
		return name
	}
	return "an engine without a name"
}

// NewGame lets the engine forget the game before.
func (c *CECP) NewGame(ctx context.Context) error {
	for _, line := range []string{"new", "variant crazyhouse", "force", "easy", "post"} {
		c.conn.send("%s", line)
	}
	c.fresh, c.known = true, nil
	return c.ready(ctx)
}

// Search lets the engine think about the game's current position. When the
// context is done it tells the engine to move now, and still returns its move.
// The time in the result is what a clock at our end shows. CECP knows neither
// limits of nodes nor times that are no whole seconds, other than on clocks.
func (c *CECP) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if err := c.prepare(ctx, g, l); err != nil {
		return engine.Result{}, err
	}
	var r engine.Result
	start := c.conn.begin("go")
	end, err := c.conn.think(ctx, "?", func(line string) (done bool, err error) {
		command, rest, _ := strings.Cut(line, " ")
		switch command {
		case "move":
			r.Move, err = parseMove(g.Position(), rest)
			return true, err
		case "resign":
			return true, ErrResigned
		case "1-0", "0-1", "1/2-1/2":
			return true, c.claimed(g.Position().Turn(), line)
		}
		parseThinking(&r.Info, line)
		return false, nil
	})
	if err == nil {
		c.known = append(c.known, r.Move)
	}
	r.Info = taken(r.Info, end.Sub(start))
	return r, err
}

// prepare brings the engine to the game's current position and sets the
// clocks.
func (c *CECP) prepare(ctx context.Context, g *rules.Game, l engine.Limits) error {
	c.conn.send("force")
	if c.fresh {
		if err := c.setUp(g, l); err != nil {
			return err
		}
		c.fresh = false
	}
	if err := c.tell(g); err != nil {
		return err
	}
	ours, theirs := l.White, l.Black
	if g.Position().Turn() == rules.Black {
		ours, theirs = theirs, ours
	}
	if ours > 0 || theirs > 0 {
		c.conn.send("time %d", max(centiseconds(ours), 1))
		c.conn.send("otim %d", max(centiseconds(theirs), 1))
	}
	c.rejected = ""
	if err := c.ready(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if c.rejected != "" {
		return &IllegalMoveError{Move: clip(c.rejected), Err: errors.New("the engine calls a legal move of its opponent illegal")}
	}
	return nil
}

// setUp gives the engine the game's first position and the time control. The
// clocks are still as full as they were at the start.
func (c *CECP) setUp(g *rules.Game, l engine.Limits) error {
	control, err := timeControl(g.Position().Turn(), l)
	if err != nil {
		return err
	}
	for _, line := range control {
		c.conn.send("%s", line)
	}
	if isStart(g.Start()) {
		return nil
	}
	fen, err := chessFEN(g.Start())
	if err != nil {
		return err
	}
	c.conn.send("setboard %s", fen)
	return nil
}

// tell gives the engine the moves of the game that it does not know.
func (c *CECP) tell(g *rules.Game) error {
	moves := g.Moves()
	if len(c.known) > len(moves) || !slices.Equal(c.known, moves[:len(c.known)]) {
		return fmt.Errorf("the game is another one than before: NewGame was not called")
	}
	prefix := ""
	if c.features["usermove"] == "1" {
		prefix = "usermove "
	}
	at := *g.Start()
	for i, m := range moves {
		if i >= len(c.known) {
			c.conn.send("%s%s", prefix, at.UCI(m))
		}
		at = at.After(m)
	}
	c.known = append(c.known[:0], moves...)
	return nil
}

// claimed says what a result means that the engine gives instead of a move.
func (c *CECP) claimed(turn rules.Color, line string) error {
	lost := map[rules.Color]string{rules.White: "0-1", rules.Black: "1-0"}[turn]
	if strings.HasPrefix(line, lost) {
		return ErrResigned
	}
	return fmt.Errorf("%w: %s", ErrResultClaimed, clip(line))
}

// Close ends the engine.
func (c *CECP) Close() error { return c.conn.Close() }

// timeControl gives a side's limits as CECP commands.
func timeControl(turn rules.Color, l engine.Limits) ([]string, error) {
	clock, inc := l.White, l.WhiteInc
	if turn == rules.Black {
		clock, inc = l.Black, l.BlackInc
	}
	var lines []string
	switch {
	case l.Nodes > 0:
		return nil, errors.New("an engine that speaks CECP can't be limited by nodes; limit it by time or depth")
	case clock > 0:
		seconds := int(clock / time.Second)
		lines = append(lines, fmt.Sprintf("level %d %d:%02d %g", l.MovesToGo, seconds/60, seconds%60, inc.Seconds()))
	case l.MoveTime%time.Second != 0:
		return nil, fmt.Errorf("an engine that speaks CECP takes whole seconds a move, not %v; use a clock", l.MoveTime)
	case l.MoveTime > 0:
		lines = append(lines, fmt.Sprintf("st %d", l.MoveTime/time.Second))
	}
	if l.Depth > 0 {
		lines = append(lines, fmt.Sprintf("sd %d", l.Depth))
	}
	return lines, nil
}

// chessFEN writes a position without pockets and promoted marks, which not
// every engine's setboard reads.
func chessFEN(p *rules.Position) (string, error) {
	if p.Pocket(rules.White)+p.Pocket(rules.Black) != 0 || p.Promoted() != 0 {
		return "", fmt.Errorf("an engine that speaks CECP can't be given the pockets of %s; use openings with moves from the start", p.FEN())
	}
	board, rest, _ := strings.Cut(p.FEN(), " ")
	return strings.TrimRight(board, "/[]") + " " + rest, nil
}

func centiseconds(d time.Duration) int64 { return int64(d / (10 * time.Millisecond)) }
