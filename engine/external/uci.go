package external

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// UCI is an engine that speaks UCI. It is not safe for concurrent use.
type UCI struct {
	conn    *conn
	name    string
	options map[string]string // the engine's options: lower-case name to declaration
}

// NewUCI performs the handshake with the engine at the other end of rwc, sets its options
// and the variant crazyhouse. It owns rwc from then on, and closes it on failure.
func NewUCI(ctx context.Context, rwc io.ReadWriteCloser, config Config) (*UCI, error) {
	u := &UCI{conn: newConn(rwc, config), options: map[string]string{}}
	err := u.conn.handshake(ctx, func(ctx context.Context) error { return u.handshake(ctx, config) })
	if err != nil {
		return nil, fmt.Errorf("UCI handshake: %w", err)
	}
	return u, nil
}

func (u *UCI) handshake(ctx context.Context, config Config) error {
	u.conn.send("uci")
	if err := u.conn.readUntil(ctx, u.conn.start, u.handleDeclaration); err != nil {
		return err
	}
	variant := slices.Contains(strings.Fields(u.options["uci_variant"]), "crazyhouse")
	if !variant {
		return fmt.Errorf("%s does not play crazyhouse: its option UCI_Variant has no such value", u.Name())
	}
	if err := u.SetOption(Option{"UCI_Variant", "crazyhouse"}); err != nil {
		return err
	}
	if err := config.apply(u.SetOption); err != nil {
		return err
	}
	return u.ready(ctx, u.conn.start)
}

// SetOption sets an option between searches, or presses a button if the value is empty. An
// option that the engine lacks is an error; UCI does not report invalid values.
func (u *UCI) SetOption(o Option) error {
	if _, ok := u.options[strings.ToLower(o.Name)]; !ok {
		return fmt.Errorf("%s has no option %q", u.Name(), o.Name)
	}
	line := "setoption name " + o.Name
	if o.Value != "" {
		line += " value " + o.Value
	}
	u.conn.send("%s", line)
	return nil
}

// handleDeclaration handles a line of the answer to uci and reports the last, uciok.
func (u *UCI) handleDeclaration(line string) (done bool, err error) {
	if name, ok := strings.CutPrefix(line, "id name "); ok {
		u.name = strings.TrimSpace(name)
	}
	if option, ok := strings.CutPrefix(line, "option name "); ok {
		name, declaration, _ := strings.Cut(option, " type ")
		u.options[strings.ToLower(strings.TrimSpace(name))] = declaration
	}
	if len(u.options) > maxOptions {
		return true, fmt.Errorf("%w: more than %d options", ErrFlood, maxOptions)
	}
	return line == "uciok", nil
}

// Ready waits until the engine has processed all commands, between searches.
func (u *UCI) Ready(ctx context.Context) error { return u.ready(ctx, u.conn.timeout) }

func (u *UCI) ready(ctx context.Context, timeout time.Duration) error {
	u.conn.send("isready")
	return u.conn.readUntil(ctx, timeout, func(line string) (bool, error) { return line == "readyok", nil })
}

// Name returns the name that the engine gives itself.
func (u *UCI) Name() string { return cmp.Or(u.name, noName) }

// NewGame announces a new game and waits until the engine is ready.
func (u *UCI) NewGame(ctx context.Context) error {
	u.conn.send("ucinewgame")
	return u.ready(ctx, u.conn.start)
}

// Search returns the engine's move in the game's current position. Once the context is
// done it tells the engine to stop, and still returns its move. Info.Time is measured at
// this end of the connection. Info has no PV.
func (u *UCI) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	return u.SearchAndReport(ctx, g, l, nil)
}

// sendPosition has the engine set up the game's current position.
func (u *UCI) sendPosition(ctx context.Context, g *rules.Game) error {
	u.conn.send("%s", positionLine(g))
	return u.Ready(context.WithoutCancel(ctx))
}

// Done returns a channel that is closed when the engine has ended, or has written so much
// that nobody reads any more.
func (u *UCI) Done() <-chan struct{} { return u.conn.ended }

// Err returns why an engine is done.
func (u *UCI) Err() error { return u.conn.err }

// Close quits the engine and closes the connection.
func (u *UCI) Close() error { return u.conn.Close() }

// parseMove parses the first word as a move. Its errors are [*IllegalMoveError].
func parseMove(p *rules.Position, text string) (rules.Move, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return rules.NoMove, &IllegalMoveError{Move: "(none)", Err: fmt.Errorf("a move is missing")}
	}
	m, err := p.ParseUCI(words[0])
	if err != nil {
		return rules.NoMove, &IllegalMoveError{Move: words[0], Err: err}
	}
	return m, nil
}

// positionLine returns the UCI command for the game's current position, with castling
// written as e1g1.
func positionLine(g *rules.Game) string {
	var b strings.Builder
	b.WriteString("position ")
	if isStart(g.Start()) {
		b.WriteString("startpos")
	} else {
		b.WriteString("fen " + g.Start().FEN())
	}
	if g.Ply() > 0 {
		b.WriteString(" moves")
		p := *g.Start()
		for _, m := range g.Moves() {
			b.WriteString(" " + p.UCI(m))
			p = p.After(m)
		}
	}
	return b.String()
}

// isStart reports whether a position is the start position.
func isStart(p *rules.Position) bool {
	start := rules.StartPosition()
	return p.Key() == start.Key() && p.Fullmove() == start.Fullmove()
}

// goLine returns the UCI go command for limits in a position.
func goLine(p *rules.Position, l engine.Limits) string {
	line := "go"
	add := func(name string, n int64) {
		if n > 0 {
			line += fmt.Sprintf(" %s %d", name, n)
		}
	}
	if l.Infinite || l.Ponder {
		l = engine.Limits{SearchMoves: l.SearchMoves}
		line += " infinite"
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
	if len(l.SearchMoves) > 0 {
		line += " searchmoves"
		for _, m := range l.SearchMoves {
			line += " " + p.UCI(m)
		}
	}
	return line
}
