package external

import (
	"cmp"
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

// CECP is an engine that speaks the Chess Engine Communication Protocol of xboard. It is
// not safe for concurrent use.
//
// The engine stays in force mode: for each of its moves it is sent the moves since its
// last one, and "go". So it never moves or ponders on its own.
type CECP struct {
	conn      *conn
	features  features
	accepted  int // features, in all
	pings     int
	newGame   bool         // the engine does not have the start of the game yet
	sentMoves []rules.Move // moves of the game that the engine has
	rejected  string       // the move that the engine reported as illegal
}

// NewCECP performs the handshake with the engine at the other end of rwc and sets its
// options. It owns rwc from then on, and closes it on failure.
func NewCECP(ctx context.Context, rwc io.ReadWriteCloser, config Config) (*CECP, error) {
	c := &CECP{conn: newConn(rwc, config), features: features{}}
	err := c.conn.handshake(ctx, func(ctx context.Context) error { return c.handshake(ctx, config) })
	if err != nil {
		return nil, fmt.Errorf("CECP handshake: %w", err)
	}
	return c, nil
}

func (c *CECP) handshake(ctx context.Context, config Config) error {
	c.conn.send("xboard")
	c.conn.send("protover 2")
	if err := c.conn.readUntil(ctx, c.conn.start, c.handleFeature); err != nil {
		return err
	}
	if err := c.features.check(); err != nil {
		return fmt.Errorf("%s: %w", c.Name(), err)
	}
	err := config.apply(func(o Option) error {
		line, err := c.features.setOption(o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		c.conn.send("%s", line)
		return nil
	})
	if err != nil {
		return err
	}
	return c.ready(ctx, c.conn.start)
}

// handleFeature handles a line of the answer to protover and reports the last, done=1.
func (c *CECP) handleFeature(line string) (done bool, err error) {
	text, ok := strings.CutPrefix(line, "feature ")
	if !ok {
		return false, nil
	}
	for _, name := range c.features.add(text) {
		if c.accepted++; c.accepted > maxOptions { // it may not even read
			return true, fmt.Errorf("%w: more than %d features", ErrFlood, maxOptions)
		}
		c.conn.send("accepted %s", name)
	}
	return c.features["done"] == "1", nil
}

// ready waits until the engine has processed all commands, and records the move that it
// reports as illegal.
func (c *CECP) ready(ctx context.Context, timeout time.Duration) error {
	c.pings++
	c.conn.send("ping %d", c.pings)
	pong := "pong " + strconv.Itoa(c.pings)
	return c.conn.readUntil(ctx, timeout, func(line string) (bool, error) {
		if text, ok := strings.CutPrefix(line, "Illegal move"); ok {
			c.rejected = strings.TrimSpace(text)
		}
		return line == pong, nil
	})
}

// Name returns the name that the engine gives itself.
func (c *CECP) Name() string { return cmp.Or(c.features["myname"], noName) }

// NewGame starts a new game and waits until the engine is ready.
func (c *CECP) NewGame(ctx context.Context) error {
	for _, line := range []string{"new", "variant crazyhouse", "force", "easy", "post"} {
		c.conn.send("%s", line)
	}
	c.newGame, c.sentMoves = true, nil
	return c.ready(ctx, c.conn.start)
}

// Search returns the engine's move in the game's current position. Once the context is
// done it tells the engine to move now, and still returns its move. Info.Time is measured
// at this end of the connection. CECP has no node limit, and Limits.MoveTime must be whole
// seconds.
func (c *CECP) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if err := c.prepare(ctx, g, l); err != nil {
		return engine.Result{}, err
	}
	var r engine.Result
	err := c.conn.search(ctx, "go", "?", &r.Info, func(line string) (done bool, err error) {
		command, rest, _ := strings.Cut(line, " ")
		switch command {
		case "move":
			r.Move, err = parseMove(g.Position(), rest)
			return true, err
		case "resign":
			return true, ErrResigned
		case "1-0", "0-1", "1/2-1/2":
			return true, resultError(g.Position().Turn(), line)
		}
		parseThinking(&r.Info, line)
		return false, nil
	})
	if err == nil {
		c.sentMoves = append(c.sentMoves, r.Move)
	}
	return r, err
}

// prepare brings the engine to the game's current position and sets its clocks.
func (c *CECP) prepare(ctx context.Context, g *rules.Game, l engine.Limits) error {
	c.conn.send("force")
	if c.newGame {
		if err := c.sendStart(g, l); err != nil {
			return err
		}
		c.newGame = false
	}
	if err := c.sendMoves(g); err != nil {
		return err
	}
	own, opponent := l.White, l.Black
	if g.Position().Turn() == rules.Black {
		own, opponent = opponent, own
	}
	if own > 0 || opponent > 0 {
		c.conn.send("time %d", max(centiseconds(own), 1))
		c.conn.send("otim %d", max(centiseconds(opponent), 1))
	}
	c.rejected = ""
	if err := c.ready(context.WithoutCancel(ctx), c.conn.timeout); err != nil {
		return err
	}
	if c.rejected != "" {
		return &IllegalMoveError{Move: c.rejected, Err: errors.New("the engine rejects a legal move of its opponent")}
	}
	return nil
}

// sendStart sends the game's start position and the time control, which the limits of the
// first move show.
func (c *CECP) sendStart(g *rules.Game, l engine.Limits) error {
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

// sendMoves sends the moves of the game that the engine does not have.
func (c *CECP) sendMoves(g *rules.Game) error {
	moves := g.Moves()
	if len(c.sentMoves) > len(moves) || !slices.Equal(c.sentMoves, moves[:len(c.sentMoves)]) {
		return errors.New("another game than before: NewGame was not called")
	}
	prefix := ""
	if c.features["usermove"] == "1" {
		prefix = "usermove "
	}
	p := *g.Start()
	for i, m := range moves {
		if i >= len(c.sentMoves) {
			c.conn.send("%s%s", prefix, p.UCI(m))
		}
		p = p.After(m)
	}
	c.sentMoves = append(c.sentMoves[:0], moves...)
	return nil
}

// resultError returns the error for a result that the engine sends instead of a move.
func resultError(turn rules.Color, line string) error {
	if strings.HasPrefix(line, rules.WinOf(turn.Other()).String()) {
		return ErrResigned
	}
	return fmt.Errorf("%w: %s", ErrResultClaimed, truncate(line))
}

// Close quits the engine and closes the connection.
func (c *CECP) Close() error { return c.conn.Close() }

// timeControl returns the CECP commands for a side's limits.
func timeControl(turn rules.Color, l engine.Limits) ([]string, error) {
	clock, inc := l.White, l.WhiteInc
	if turn == rules.Black {
		clock, inc = l.Black, l.BlackInc
	}
	var lines []string
	switch {
	case l.Nodes > 0:
		return nil, errors.New("CECP has no node limit; limit the engine by time or depth")
	case clock > 0:
		seconds := int(clock / time.Second)
		lines = append(lines, fmt.Sprintf("level %d %d:%02d %g", l.MovesToGo, seconds/60, seconds%60, inc.Seconds()))
	case l.MoveTime%time.Second != 0:
		return nil, fmt.Errorf("CECP takes whole seconds a move, not %v; use a clock", l.MoveTime)
	case l.MoveTime > 0:
		lines = append(lines, fmt.Sprintf("st %d", l.MoveTime/time.Second))
	}
	if l.Depth > 0 {
		lines = append(lines, fmt.Sprintf("sd %d", l.Depth))
	}
	return lines, nil
}

// chessFEN returns the FEN of a position in standard chess. Pockets and promoted pieces
// are errors: not every engine's setboard accepts them.
func chessFEN(p *rules.Position) (string, error) {
	if p.Pocket(rules.White)+p.Pocket(rules.Black) != 0 || p.Promoted() != 0 {
		return "", fmt.Errorf("CECP cannot set up the pockets of %s; use openings with moves from the start", p.FEN())
	}
	board, rest, _ := strings.Cut(p.FEN(), " ")
	return strings.TrimRight(board, "/[]") + " " + rest, nil
}

func centiseconds(d time.Duration) int64 { return int64(d / (10 * time.Millisecond)) }
