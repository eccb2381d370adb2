package lichess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Stream is an open stream of typed events. One goroutine calls Next.
type Stream[E any] struct {
	endpoint endpoint
	client   *Client
	ctx      context.Context // ends the stream; its cause says why
	cancel   context.CancelCauseFunc
	body     io.Closer
	lines    *lineReader
	decode   func(line []byte) (E, error)
	err      error // why there are no more events
}

// EventStream is the stream of an account's events.
type EventStream = Stream[Event]

// GameStream is the stream of a game.
type GameStream = Stream[GameEvent]

var (
	endpointEventStream = endpoint{"GET", "/api/stream/event"}
	endpointGameStream  = endpoint{"GET", "/api/bot/game/stream/{id}"}
)

// errClosed is why a stream ends that its owner closed.
var errClosed = errors.New("stream closed")

// StreamEvents opens the account's event stream; an earlier one of the same
// token then ends. Lichess allows 30 openings in 10 minutes. The stream ends
// with the context.
func (c *Client) StreamEvents(ctx context.Context) (*EventStream, error) {
	s, err := open(ctx, c, request{endpoint: endpointEventStream}, c.streamIdle, decodeEvent)
	if err != nil {
		return nil, fmt.Errorf("open the event stream: %w", err)
	}
	return s, nil
}

// StreamOptions say how to open the stream of a game.
type StreamOptions struct {
	FirstByte time.Duration // how long its first byte may take; default [Options].OpenTimeout
	// Early opens it although a 429 asks to wait, for a clock that cannot bear that.
	// When it succeeds, the streams of all games may be opened again.
	Early bool
	// Patient holds it back like any other call after a 429 that names no limit. Else
	// it is opened: nothing but the stream shows the opponent's moves.
	Patient bool
}

// StreamGame opens the stream of a game; an earlier one then ends. The stream
// ends with the context.
func (c *Client) StreamGame(ctx context.Context, gameID string) (*GameStream, error) {
	return c.StreamGameWith(ctx, gameID, StreamOptions{})
}

// StreamGameWith is StreamGame with options.
func (c *Client) StreamGameWith(ctx context.Context, gameID string, o StreamOptions) (*GameStream, error) {
	r := request{endpoint: endpointGameStream, args: []string{gameID}, early: o.Early, urgent: !o.Patient}
	s, err := open(ctx, c, r, cmp.Or(o.FirstByte, c.openIn), decodeGameEvent)
	if err != nil {
		return nil, wrap(err, "open the stream of game", gameID)
	}
	return s, nil
}

// AwaitStreams waits for so long at most, less when the streams of games may be
// opened again before.
func (c *Client) AwaitStreams(ctx context.Context, most time.Duration) error {
	return c.gates.wait(ctx, endpointGameStream, most)
}

// Next waits for the next event. After a [*LineError] the stream goes on; every
// other error is final: io.EOF when the server ended the stream, [ErrStalled]
// when it was silent for too long, a [*NetworkError], or the context's error.
func (s *Stream[E]) Next() (E, error) {
	var none E
	if s.err != nil {
		return none, s.err
	}
	line, err := s.lines.next()
	if err != nil && !errors.Is(err, ErrLineTooLong) {
		s.err = s.ending(err)
		s.Close()
		return none, s.err
	}
	if err != nil {
		return none, lineError(line, err, s.client.token)
	}
	event, err := s.decode(line)
	if err != nil {
		return none, lineError(line, err, s.client.token)
	}
	return event, nil
}

// Close ends the stream, also while another goroutine is in Next.
func (s *Stream[E]) Close() {
	s.cancel(errClosed)
	_ = s.body.Close() // whatever it says, the connection is gone
}

// ending says why a stream ended.
func (s *Stream[E]) ending(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return s.client.lost(s.ctx, s.endpoint, err)
}

// open sends the request of a stream and waits for the answer's head, with a
// watchdog from the start on. The first byte must come within a time of its own:
// a game's stream begins at once, and while it does not, our clock may run.
func open[E any](ctx context.Context, c *Client, r request, first time.Duration, decode func([]byte) (E, error)) (*Stream[E], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	began := time.Now()
	dog := &watchdog{first: first, idle: c.streamIdle}
	dog.timer = time.AfterFunc(first, func() {
		cancel(fmt.Errorf("%w: silent for %s", ErrStalled, dog.patience()))
	})
	answer, err := c.knock(ctx, r, dog) //nolint:bodyclose // the stream closes it
	dog.timer.Stop()
	if err != nil {
		cancel(err)
		c.streams.CloseIdleConnections()
		return nil, err
	}
	c.report(r.endpoint, answer.StatusCode, began, nil)
	return &Stream[E]{
		endpoint: r.endpoint, client: c, ctx: ctx, cancel: cancel,
		body: answer.Body, lines: newLineReader(dog, maxLine), decode: decode,
	}, nil
}

// knock sends a stream's request and lets the watchdog read the answer, or
// returns the refusal.
func (c *Client) knock(ctx context.Context, r request, dog *watchdog) (*http.Response, error) {
	target, err := r.url(c.base)
	if err != nil {
		return nil, err
	}
	if err := c.gates.admit(r); err != nil {
		return nil, err
	}
	began := time.Now()
	outgoing, err := http.NewRequestWithContext(ctx, r.method, target, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.endpoint, err)
	}
	answer, err := c.streams.Do(outgoing)
	if err != nil {
		err = c.lost(ctx, r.endpoint, err)
		c.report(r.endpoint, 0, began, err)
		return nil, err
	}
	dog.src = answer.Body
	if answer.StatusCode == http.StatusOK {
		return answer, c.judge(r, answer.StatusCode, answer.Header, nil)
	}
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(dog, maxLine)) // the status says enough
	err = c.refusal(r.endpoint, answer.StatusCode, answer.Header, body)
	c.report(r.endpoint, answer.StatusCode, began, err)
	return nil, err
}

// watchdog cancels a stream when one read takes too long. Any byte will do: the
// server sends a blank line every 7 s.
type watchdog struct {
	src   io.Reader
	timer *time.Timer
	first time.Duration // for the first byte
	idle  time.Duration // for every other
	began atomic.Bool   // there was a first byte
}

// patience returns how long the next read may take.
func (w *watchdog) patience() time.Duration {
	if w.began.Load() {
		return w.idle
	}
	return w.first
}

// Read reads with the timer running; between reads it stands still, since a slow
// caller is no silent server.
func (w *watchdog) Read(p []byte) (int, error) {
	w.timer.Reset(w.patience())
	defer w.timer.Stop()
	n, err := w.src.Read(p)
	w.began.Store(w.began.Load() || n > 0)
	return n, err
}
