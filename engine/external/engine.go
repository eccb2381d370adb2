package external

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Config configures an engine. The zero value speaks UCI and sets no options.
type Config struct {
	Protocol  Protocol // UCI if empty
	Preferred []Option // set first; those that the engine lacks are skipped
	Options   []Option // set in this order; one that the engine lacks is an error

	// Timeout limits the wait for an answer that needs no search, and for the move after
	// the engine was told to stop. 0 means 10 seconds.
	Timeout time.Duration

	// StartTimeout is Timeout for the handshake and for NewGame, during which engines load
	// networks and clear tables. 0 means a minute.
	StartTimeout time.Duration
}

const defaultTimeout, defaultStartTimeout = 10 * time.Second, time.Minute

// Option is an option of an engine and its value. An empty value presses a button.
type Option struct{ Name, Value string }

// ParseOption parses "Name=Value".
func ParseOption(s string) (Option, error) {
	name, value, ok := strings.Cut(s, "=")
	if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(s, "\r\n") {
		return Option{}, fmt.Errorf("option %q: want Name=Value", s)
	}
	return Option{Name: name, Value: strings.TrimSpace(value)}, nil
}

// Protocol is a protocol that engines speak.
type Protocol string

// The protocols. CECP is that of xboard.
const (
	UCI  Protocol = "uci"
	CECP Protocol = "xboard"
)

// protocol is what is sent to an engine, as lines, and how its answers are understood.
type protocol interface {
	hello() []string
	// declare handles a line of the answer to hello, and reports the last one.
	declare(line string) (replies []string, done bool, err error)
	// setUp returns what makes the engine play crazyhouse, or an error if it cannot.
	setUp() ([]string, error)
	// engineName returns the name that the engine gives itself, if any.
	engineName() string
	// setOption returns what sets an option; ok is false for one that the engine lacks.
	setOption(o Option) (line string, ok bool)
	newGame() []string
	// position returns what sets up a game's current position and the clocks.
	position(g *rules.Game, l engine.Limits) ([]string, error)
	// ping returns what the engine answers once it has processed all that was sent, and
	// what handles lines up to the answer.
	ping() (line string, handle func(line string) (done bool, err error))
	// search returns what begins a search of a position, and what ends it.
	search(p *rules.Position, l engine.Limits) (begin, stop string)
	// handle handles a line during a search, and reports the one with the move.
	handle(s *search, line string) (done bool, err error)
}

// Engine is an engine program. It is not safe for concurrent use.
type Engine struct {
	*conn
	protocol protocol
}

// New performs the handshake with the engine at the other end of rwc, and sets its options
// and the variant crazyhouse. It owns rwc from then on, and closes it on failure.
func New(ctx context.Context, rwc io.ReadWriteCloser, config Config) (*Engine, error) {
	e := &Engine{newConn(rwc, config), &uciProtocol{options: map[string]string{}}}
	if config.Protocol == CECP {
		e.protocol = &cecpProtocol{features: features{}}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, e.start, ErrTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = rwc.Close() })() // the engine may not read
	err := e.handshake(ctx, config)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = e.Close() // the first error matters
		return nil, fmt.Errorf("%s handshake: %w", strings.ToUpper(string(cmp.Or(config.Protocol, UCI))), err)
	}
	return e, nil
}

func (e *Engine) handshake(ctx context.Context, config Config) error {
	e.send(e.protocol.hello()...)
	err := e.readUntil(ctx, e.start, func(line string) (bool, error) {
		replies, done, err := e.protocol.declare(line)
		e.send(replies...)
		return done, err
	})
	if err != nil {
		return err
	}
	lines, err := e.protocol.setUp()
	if err != nil {
		return fmt.Errorf("%s %w", e.Name(), err)
	}
	e.send(lines...)
	for _, o := range config.Preferred {
		_ = e.SetOption(o) // the engine may lack it
	}
	for _, o := range config.Options {
		if err := e.SetOption(o); err != nil {
			return err
		}
	}
	return e.ready(ctx, e.start)
}

// SetOption sets an option between searches, or presses a button if the value is empty. An
// option that the engine lacks is an error; invalid values are not reported.
func (e *Engine) SetOption(o Option) error {
	line, ok := e.protocol.setOption(o)
	if !ok {
		return fmt.Errorf("%s has no option %q", e.Name(), o.Name)
	}
	e.send(line)
	return nil
}

// ready waits until the engine has processed all commands, between searches.
func (e *Engine) ready(ctx context.Context, timeout time.Duration) error {
	line, handle := e.protocol.ping()
	e.send(line)
	return e.readUntil(ctx, timeout, handle)
}

// Name returns the name that the engine gives itself.
func (e *Engine) Name() string { return cmp.Or(e.protocol.engineName(), "an engine without a name") }

// NewGame announces a new game and waits until the engine is ready.
func (e *Engine) NewGame(ctx context.Context) error {
	e.send(e.protocol.newGame()...)
	return e.ready(ctx, e.start)
}

// Search returns the engine's move in the game's current position. Once the context is
// done it tells the engine to move, and still returns its move. Info.Time is measured at
// this end of the connection. Info has no PV. CECP has no node limit, and there
// Limits.MoveTime must be whole seconds.
func (e *Engine) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	return e.SearchAndReport(ctx, g, l, nil)
}

// SearchAndReport is [Engine.Search] with progress reports. It calls report with
// each line of play that the engine gives with an exact score, on the calling goroutine,
// and returns the expected reply and a PV that begins with the move, all of them legal. A
// move that Limits.SearchMoves does not allow is an [*IllegalMoveError], too.
func (e *Engine) SearchAndReport(ctx context.Context, g *rules.Game, l engine.Limits,
	report func(engine.Info)) (engine.Result, error) {
	lines, err := e.protocol.position(g, l)
	if err != nil {
		return engine.Result{}, err
	}
	e.send(lines...)
	if err := e.ready(context.WithoutCancel(ctx), e.timeout); err != nil {
		return engine.Result{}, err
	}
	s := search{root: g.Position(), allowed: l.SearchMoves, report: report, start: time.Now()}
	begin, stop := e.protocol.search(s.root, l)
	err = e.conn.search(ctx, begin, stop, &s.latest,
		func(line string) (bool, error) { return e.protocol.handle(&s, line) })
	if err != nil {
		return engine.Result{Info: s.latest}, err
	}
	return s.result(), nil
}
