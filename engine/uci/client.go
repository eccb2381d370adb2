package uci

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Client plays crazyhouse with an engine that speaks UCI. It is not safe for
// concurrent use.
type Client struct {
	conn    *conn
	name    string
	options map[string]string // the engine's options: lower-case name to declaration
}

// NewClient shakes hands with the engine at the other end of rwc, sets its
// options and lets it play crazyhouse. It takes rwc over and closes it on
// failure.
func NewClient(ctx context.Context, rwc io.ReadWriteCloser, o ClientOptions) (*Client, error) {
	c := &Client{conn: newConn(rwc, o), options: map[string]string{}}
	if err := c.greet(ctx, o); err != nil {
		_ = c.conn.Close() // the first error is the one to tell
		return nil, fmt.Errorf("shake hands by UCI: %w", err)
	}
	return c, nil
}

func (c *Client) greet(ctx context.Context, options ClientOptions) error {
	c.conn.send("uci")
	if err := c.conn.expect(ctx, c.introduced); err != nil {
		return err
	}
	variant := slices.Contains(strings.Fields(c.options["uci_variant"]), "crazyhouse")
	if !variant {
		return fmt.Errorf("%s does not play crazyhouse: its option UCI_Variant has no such value", c.Name())
	}
	c.set(Option{"UCI_Variant", "crazyhouse"})
	for _, o := range options.Preferred {
		if c.has(o) {
			c.set(o)
		}
	}
	for _, o := range options.Options {
		if err := c.SetOption(o); err != nil {
			return err
		}
	}
	return c.ready(ctx)
}

func (c *Client) has(o Option) bool {
	_, ok := c.options[strings.ToLower(o.Name)]
	return ok
}

// SetOption sets an option between searches. It fails if the engine has none of that
// name; whether the engine likes the value, UCI does not say.
func (c *Client) SetOption(o Option) error {
	if !c.has(o) {
		return fmt.Errorf("%s has no option %q", c.Name(), o.Name)
	}
	c.set(o)
	return nil
}

// set sets an option; without a value it presses a button.
func (c *Client) set(o Option) {
	if o.Value == "" {
		c.conn.send("setoption name %s", o.Name)
	} else {
		c.conn.send("setoption name %s value %s", o.Name, o.Value)
	}
}

// introduced takes a line of the answer to uci, up to uciok.
func (c *Client) introduced(line string) bool {
	if name, ok := strings.CutPrefix(line, "id name "); ok {
		c.name = strings.TrimSpace(name)
	}
	if option, ok := strings.CutPrefix(line, "option name "); ok {
		name, declaration, _ := strings.Cut(option, " type ")
		c.options[strings.ToLower(strings.TrimSpace(name))] = declaration
	}
	return line == "uciok"
}

// ready waits until the engine has done all that it was told.
func (c *Client) ready(ctx context.Context) error {
	c.conn.send("isready")
	return c.conn.expect(ctx, func(line string) bool { return line == "readyok" })
}

// Name returns what the engine calls itself.
func (c *Client) Name() string {
	if c.name == "" {
		return "an engine without a name"
	}
	return c.name
}

// NewGame lets the engine forget the game before.
func (c *Client) NewGame(ctx context.Context) error {
	c.conn.send("ucinewgame")
	return c.ready(ctx)
}

// Search lets the engine think about the game's current position. When the
// context is done it tells the engine to stop, and still returns its move. The
// time in the result is what a clock at our end shows.
func (c *Client) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	c.conn.send("%s", positionLine(g))
	if err := c.ready(context.WithoutCancel(ctx)); err != nil {
		return engine.Result{}, err
	}
	var r engine.Result
	start := c.conn.begin(goLine(l))
	end, err := c.conn.think(ctx, "stop", func(line string) (done bool, err error) {
		command, rest, _ := strings.Cut(line, " ")
		switch command {
		case "info":
			parseInfo(&r.Info, rest)
		case "bestmove":
			r.Move, err = parseMove(g.Position(), rest)
			return true, err
		}
		return false, nil
	})
	r.Info = taken(r.Info, end.Sub(start))
	return r, err
}

// Close ends the engine.
func (c *Client) Close() error { return c.conn.Close() }

// parseMove reads the first word as a move.
func parseMove(p *rules.Position, text string) (rules.Move, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return rules.NoMove, &IllegalMoveError{Move: "(none)", Err: fmt.Errorf("a move is missing")}
	}
	m, err := p.ParseUCI(words[0])
	if err != nil {
		return rules.NoMove, &IllegalMoveError{Move: clip(words[0]), Err: err}
	}
	return m, nil
}

// positionLine gives the game as a UCI position command, castling as e1g1.
func positionLine(g *rules.Game) string {
	var b strings.Builder
	b.WriteString("position ")
	if isStart(g.Start()) {
		b.WriteString("startpos")
	} else {
		b.WriteString("fen " + g.Start().FEN())
	}
	if g.Ply() > 0 {
		b.WriteString(" moves" + moveWriter{}.line(g.Start(), g.Moves()))
	}
	return b.String()
}

// isStart tells whether a position is the start of chess.
func isStart(p *rules.Position) bool {
	start := rules.StartPosition()
	return p.Key() == start.Key() && p.Fullmove() == start.Fullmove()
}

// goLine gives limits as a UCI go command.
func goLine(l engine.Limits) string {
	line := "go"
	add := func(name string, n int64) {
		if n > 0 {
			line += fmt.Sprintf(" %s %d", name, n)
		}
	}
	if l.White > 0 || l.Black > 0 {
		add("wtime", max(l.White.Milliseconds(), 1))
		add("btime", max(l.Black.Milliseconds(), 1))
	}
	add("winc", l.WhiteInc.Milliseconds())
	add("binc", l.BlackInc.Milliseconds())
	add("movestogo", int64(l.MovesToGo))
	add("movetime", l.MoveTime.Milliseconds())
	add("depth", int64(l.Depth))
	add("nodes", int64(l.Nodes))
	return line
}
