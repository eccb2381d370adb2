package external

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
)

// The ways in which an engine fails, besides an [IllegalMoveError]. After ErrExited,
// ErrTimeout and ErrFlood it can only be closed.
var (
	ErrExited        = errors.New("the engine ended")
	ErrTimeout       = errors.New("the engine does not answer")
	ErrFlood         = errors.New("the engine writes without end")
	ErrResigned      = errors.New("the engine resigned")
	ErrResultClaimed = errors.New("the engine claims that the game is over")
)

// IllegalMoveError reports that an engine made an illegal move, or rejected a legal move
// of its opponent.
type IllegalMoveError struct {
	Move string // as the engine wrote it
	Err  error
}

// Error implements error.
func (e *IllegalMoveError) Error() string {
	return fmt.Sprintf("illegal move %.40s: %v", e.Move, e.Err)
}

// Unwrap returns why the move is illegal.
func (e *IllegalMoveError) Unwrap() error { return e.Err }

// conn is a line-based connection to an engine. The goroutine of read owns the read side.
type conn struct {
	rwc     io.ReadWriteCloser
	timeout time.Duration
	start   time.Duration // Config.StartTimeout
	lines   chan received
	aborted context.Context // done to end the reader
	abort   context.CancelCauseFunc
	ended   chan struct{} // closed by the reader at its end
	err     error         // why the reader has ended

	mu     sync.Mutex
	idle   chan struct{} // closed while no answer is awaited: lines are dropped
	output int           // bytes that the engine has written since idle changed
	limit  int           // on output; more is a flood
}

// Limits on what an engine may write, in bytes, and on the options that it has.
const (
	maxSearchOutput = 32 << 20 // during a search
	maxOutput       = 1 << 20  // as another answer, all options included, or while it is idle
	maxOptions      = 1000
)

// received is a line and when it arrived: the receiver may be scheduled later.
type received struct {
	text string
	at   time.Time
}

func newConn(rwc io.ReadWriteCloser, config Config) *conn {
	c := &conn{
		rwc:     rwc,
		timeout: cmp.Or(config.Timeout, defaultTimeout), start: cmp.Or(config.StartTimeout, defaultStartTimeout),
		lines: make(chan received), ended: make(chan struct{}),
		idle: make(chan struct{}), limit: maxOutput,
	}
	c.aborted, c.abort = context.WithCancelCause(context.Background())
	go c.read()
	return c
}

// read reads lines until the engine ends or floods, or the connection is closed.
func (c *conn) read() {
	defer close(c.ended)
	r := bufio.NewReaderSize(countingReader{c}, uci.MaxLine)
	for {
		text, err := uci.ReadLine(r, "")
		if text != "" {
			line := received{text, time.Now()}
			select {
			case c.lines <- line:
			case <-c.idleChanged():
			case <-c.aborted.Done():
				c.err = context.Cause(c.aborted)
				return
			}
		}
		if err != nil {
			c.err = readError(err)
			return
		}
	}
}

// readError returns the error of a connection after that of its reader.
func readError(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return ErrExited
	case errors.Is(err, ErrFlood):
		return err
	}
	return fmt.Errorf("%w: %w", ErrExited, err)
}

// countingReader reads from an engine until its output exceeds the limit.
type countingReader struct{ *conn }

func (r countingReader) Read(b []byte) (int, error) {
	n, err := r.rwc.Read(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.output += n; r.output > r.limit {
		return 0, ErrFlood
	}
	return n, err
}

// idleChanged returns a channel that is closed once no answer is awaited.
func (c *conn) idleChanged() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.idle
}

// expect allows an idle engine an answer of some bytes.
func (c *conn) expect(limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isClosed(c.idle) {
		c.idle, c.output, c.limit = make(chan struct{}), 0, limit
	}
}

// discardOutput drops what the engine writes until the next command, up to a limit.
func (c *conn) discardOutput() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !isClosed(c.idle) {
		close(c.idle)
		c.output, c.limit = 0, maxOutput
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// send writes lines. An error is ignored: the next read then fails.
func (c *conn) send(lines ...string) {
	c.expect(maxOutput)
	for _, line := range lines {
		_, _ = fmt.Fprintln(c.rwc, line)
	}
}

// next returns the next line. Its error is ErrFlood, ErrExited or one that wraps it, or the
// context's cause.
func (c *conn) next(ctx context.Context) (received, error) {
	select {
	case line := <-c.lines:
		return line, nil
	case <-c.aborted.Done():
		return received{}, context.Cause(c.aborted)
	case <-c.ended:
		return received{}, cmp.Or(context.Cause(c.aborted), c.err)
	case <-ctx.Done():
		return received{}, context.Cause(ctx)
	}
}

// readUntil passes lines to handle until it returns true or an error.
func (c *conn) readUntil(ctx context.Context, timeout time.Duration,
	handle func(line string) (done bool, err error)) error {
	defer c.discardOutput()
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer cancel()
	for {
		line, err := c.next(ctx)
		if err != nil {
			return err
		}
		if done, err := handle(line.text); done || err != nil {
			return err
		}
	}
}

// search sends the line that starts a search and passes lines to handle until it returns
// true or an error. Once the context is done, it sends stop and keeps waiting. It sets
// time and speed in info, by the arrival of the last line.
func (c *conn) search(ctx context.Context, begin, stop string, info *engine.Info,
	handle func(line string) (done bool, err error)) error {
	defer c.discardOutput()
	start := time.Now()
	c.expect(maxSearchOutput)
	c.send(begin)
	stopped := false
	for {
		line, err := c.next(ctx)
		if err != nil && ctx.Err() != nil && !stopped {
			stopped = true
			c.send(stop)
			var cancel context.CancelFunc
			//nolint:fatcontext // once, after stop
			ctx, cancel = context.WithTimeoutCause(context.WithoutCancel(ctx), c.timeout, ErrTimeout)
			defer cancel()
			continue
		}
		if err != nil {
			return err
		}
		if done, err := handle(line.text); done || err != nil {
			info.Time = line.at.Sub(start)
			info.NPS = uint64(float64(info.Nodes) / max(info.Time.Seconds(), 1e-6))
			return err
		}
	}
}

// Done returns a channel that is closed when the engine has ended, or has written so much
// that nobody reads any more.
func (c *conn) Done() <-chan struct{} { return c.ended }

// Err returns why an engine is done.
func (c *conn) Err() error { return c.err }

// Abort has a search or another call that waits for the engine fail at once with err. After
// that the engine can only be closed. It may be called at any time.
func (c *conn) Abort(err error) { c.abort(err) }

// Close quits the engine and closes the connection.
func (c *conn) Close() error {
	c.abort(ErrExited)
	c.send("quit")
	err := c.rwc.Close()
	<-c.ended
	return err
}
