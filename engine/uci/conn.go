package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
)

// Ways in which an engine fails to play on, beside an [IllegalMoveError]. After
// ErrExited and ErrHung it can only be closed.
var (
	ErrExited        = errors.New("the engine ended")
	ErrTimeout       = errors.New("the engine does not answer")
	ErrResigned      = errors.New("the engine resigned")
	ErrResultClaimed = errors.New("the engine claims that the game is over")
)

// IllegalMoveError says that an engine made an illegal move, or called one of
// its opponent's moves illegal.
type IllegalMoveError struct {
	Move string
	Err  error
}

func (e *IllegalMoveError) Error() string { return fmt.Sprintf("illegal move %s: %v", e.Move, e.Err) }

// Unwrap returns why the move is illegal.
func (e *IllegalMoveError) Unwrap() error { return e.Err }

// ClientOptions say how to treat an engine.
type ClientOptions struct {
	Options   []Option // to set, in this order
	Preferred []Option // to set before those, as far as the engine has them

	// Timeout is how long to wait for an answer that needs no thought, and
	// for a move after the engine was told to stop. 0 means 10 seconds.
	Timeout time.Duration
}

const defaultPatience = 10 * time.Second

// Option is an engine's option with its value.
type Option struct{ Name, Value string }

// ParseOption reads an option as "Name=Value".
func ParseOption(s string) (Option, error) {
	name, value, ok := strings.Cut(s, "=")
	if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(s, "\r\n") {
		return Option{}, fmt.Errorf("option %q: want Name=Value", s)
	}
	return Option{Name: name, Value: strings.TrimSpace(value)}, nil
}

// conn is a connection to an engine, line by line.
type conn struct {
	rwc      io.ReadWriteCloser
	patience time.Duration
	lines    chan received
	err      error         // why lines was closed
	closing  chan struct{} // closed to end the reader
}

// received is a line with the time of its arrival, taken at once: the one who
// waits for it may be woken late.
type received struct {
	text string
	at   time.Time
}

func newConn(rwc io.ReadWriteCloser, o ClientOptions) *conn {
	if o.Timeout <= 0 {
		o.Timeout = defaultPatience
	}
	c := &conn{rwc: rwc, patience: o.Timeout, lines: make(chan received), closing: make(chan struct{})}
	go c.read()
	return c
}

// read reads lines until the engine ends or the connection is closed.
func (c *conn) read() {
	defer close(c.lines)
	r := bufio.NewReaderSize(c.rwc, maxLine)
	for {
		text, err := readLine(r)
		if text != "" {
			select {
			case c.lines <- received{text, time.Now()}:
			case <-c.closing:
				return
			}
		}
		if errors.Is(err, io.EOF) {
			err = ErrExited
		}
		if err != nil {
			c.err = err
			return
		}
	}
}

// send writes a line. A failure shows in the next answer, which is missing.
func (c *conn) send(format string, args ...any) { _, _ = fmt.Fprintf(c.rwc, format+"\n", args...) }

// next returns the next line, [ErrExited], or the cause of the context's end.
func (c *conn) next(ctx context.Context) (received, error) {
	select {
	case line, ok := <-c.lines:
		if ok {
			return line, nil
		}
		if errors.Is(c.err, ErrExited) {
			return received{}, ErrExited
		}
		return received{}, fmt.Errorf("%w: %w", ErrExited, c.err)
	case <-ctx.Done():
		return received{}, context.Cause(ctx)
	}
}

// patient returns a context that ends with [ErrTimeout] when patience does.
func (c *conn) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.patience, ErrTimeout)
}

// expect gives lines to accept until it returns true.
func (c *conn) expect(ctx context.Context, accept func(line string) bool) error {
	ctx, cancel := c.patient(ctx)
	defer cancel()
	for {
		line, err := c.next(ctx)
		if err != nil {
			return err
		}
		if accept(line.text) {
			return nil
		}
	}
}

// think gives lines to accept until it returns true or an error, and returns
// when that was. If the context ends before, it sends stop and waits on.
func (c *conn) think(ctx context.Context, stop string, accept func(line string) (bool, error)) (time.Time, error) {
	stopped := false
	for {
		line, err := c.next(ctx)
		if err != nil && ctx.Err() != nil && !stopped {
			stopped = true
			c.send("%s", stop)
			var cancel context.CancelFunc
			ctx, cancel = c.patient(context.WithoutCancel(ctx)) //nolint:fatcontext // once, after stop
			defer cancel()
			continue
		}
		if err != nil {
			return time.Time{}, err
		}
		if done, err := accept(line.text); done || err != nil {
			return line.at, err
		}
	}
}

// Close asks the engine to end, and makes it.
func (c *conn) Close() error {
	close(c.closing)
	c.send("quit")
	err := c.rwc.Close()
	for range c.lines { // until the reader has ended
	}
	return err
}

// taken returns the information about a search that took so long.
func taken(i engine.Info, d time.Duration) engine.Info {
	i.Time = d
	i.NPS = uint64(float64(i.Nodes) / max(d.Seconds(), 1e-6))
	return i
}

// begin sends the line that starts a search, and returns when.
func (c *conn) begin(line string) time.Time {
	start := time.Now()
	c.send("%s", line)
	return start
}
