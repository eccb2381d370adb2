package lichess

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Stream is an open stream of typed events. One goroutine calls Next.
type Stream[E any] struct {
	endpoint endpoint
	client   *Client
	ctx      context.Context // its end closes the stream; the cause is the reason
	cancel   context.CancelCauseFunc
	body     io.Closer
	watchdog *watchdog
	lines    *lineReader
	decode   func(line []byte) (E, error)
	err      error // final error of Next
}

// EventStream is the stream of an account's events.
type EventStream = Stream[Event]

// GameStream is the stream of a game.
type GameStream = Stream[GameEvent]

var (
	endpointEvents     = get("/api/stream/event")
	endpointGameStream = get("/api/bot/game/stream/{id}")
)

// errClosed is the cause when the owner closed a stream.
var errClosed = errors.New("stream closed")

// slowAnswer is what a slow server may take to the first byte of the event stream, whose
// openings are limited.
const slowAnswer = 15 * time.Second

// StreamEvents opens the account's event stream, which ends an earlier one of the
// same token. Lichess allows 30 openings in 10 minutes. The stream ends with the
// context.
//
// API reference: https://lichess.org/api#tag/Bot/operation/apiStreamEvent
func (c *Client) StreamEvents(ctx context.Context) (*EventStream, error) {
	r := request{endpoint: endpointEvents, action: "open the event stream"}
	return openStream(ctx, c, r, streamTimeouts{max(c.streamIdle, slowAnswer), c.streamIdle}, decodeEvent)
}

// StreamOptions control how a game stream is opened.
type StreamOptions struct {
	FirstLine time.Duration // timeout to the first line, which may be blank; default 3 s, at most [Options].StreamIdle
	// Early opens the stream although a 429 asks to wait, if our clock is too short
	// for that. Success unblocks the streams of all games.
	Early bool
	// Deferrable makes the stream wait like any other call after a 429 that names no
	// limit. Otherwise it is opened: only the stream shows the opponent's moves.
	Deferrable bool
}

// StreamGame opens the stream of a game, which ends an earlier one. The stream ends
// with the context.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameStream
func (c *Client) StreamGame(ctx context.Context, gameID string) (*GameStream, error) {
	return c.StreamGameWith(ctx, gameID, StreamOptions{})
}

// StreamGameWith is StreamGame with options.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameStream
func (c *Client) StreamGameWith(ctx context.Context, gameID string, o StreamOptions) (*GameStream, error) {
	r := request{
		endpoint: endpointGameStream, action: "open the stream of game", args: []string{gameID},
		early: o.Early, urgent: !o.Deferrable,
	}
	first := cmp.Or(o.FirstLine, min(3*time.Second, c.streamIdle))
	return openStream(ctx, c, r, streamTimeouts{first, c.streamIdle}, decodeGameEvent)
}

// WaitGameStreams waits until game streams may be unblocked after a 429, at most
// maxWait.
func (c *Client) WaitGameStreams(ctx context.Context, maxWait time.Duration) error {
	return c.limiter.wait(ctx, endpointGameStream, maxWait)
}

// Next waits for the next event. After a [*LineError] the stream is still open;
// every other error is final: io.EOF when the server ended the stream, [ErrStalled]
// when it was silent for too long, a [*NetworkError], or the context's error.
func (s *Stream[E]) Next() (E, error) {
	var none E
	if s.err != nil {
		return none, s.err
	}
	line, err := s.lines.next()
	s.watchdog.stop()
	if err != nil && !errors.Is(err, ErrLineTooLong) {
		if s.err = io.EOF; !errors.Is(err, io.EOF) {
			s.err = s.client.transportError(s.ctx, s.endpoint, true, err)
		}
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

// IsEmpty reports whether no line has arrived, not even a blank one.
func (s *Stream[E]) IsEmpty() bool { return s.lines.count == 0 }

// Close ends the stream. It may be called while another goroutine is in Next.
func (s *Stream[E]) Close() {
	s.cancel(errClosed)
	_ = s.body.Close() // the connection is discarded in any case
}

// openStream sends a stream's request and waits for the response headers, watched
// from the start. The first line has a shorter timeout: a game stream starts at
// once, and until it does our clock may be running.
func openStream[E any](
	ctx context.Context, c *Client, r request, limits streamTimeouts, decode func([]byte) (E, error),
) (*Stream[E], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	wd := &watchdog{cancel: cancel, timeouts: limits}
	var body io.ReadCloser
	r.open = &body
	wd.start(0)
	err := c.send(ctx, c.streams, r)
	wd.stop()
	if err != nil {
		cancel(err)
		return nil, r.wrap(err)
	}
	lines := newLineReader(body, maxLine)
	lines.onLine = wd.start
	return &Stream[E]{
		endpoint: r.endpoint, client: c, ctx: ctx, cancel: cancel,
		body: body, watchdog: wd, lines: lines, decode: decode,
	}, nil
}

// watchdog cancels a stream when a line takes too long. A blank one counts: the server
// sends one every 7 s. Single bytes do not: they may never become a line. Between lines it
// is stopped: a slow caller is not a silent server.
type watchdog struct {
	cancel   context.CancelCauseFunc
	timeouts streamTimeouts
	timer    *time.Timer
}

// streamTimeouts are how long a stream's first line may take, and each later one.
type streamTimeouts struct{ first, idle time.Duration }

// start watches the line after so many.
func (w *watchdog) start(lines int) {
	limit := w.timeouts.idle
	if lines == 0 {
		limit = w.timeouts.first
	}
	w.stop()
	w.timer = time.AfterFunc(limit, func() { w.cancel(fmt.Errorf("%w: no line for %s", ErrStalled, limit)) })
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// maxLine bounds the length of a stream's line in bytes; a gameFull with 600 moves
// has about 4 KiB.
const maxLine = 256 << 10

// whitespace is JSON's whitespace.
const whitespace = " \t\r\n"

// lineReader splits a stream into lines of bounded length.
type lineReader struct {
	src    *bufio.Reader
	line   []byte
	maxLen int
	count  int             // of the lines read, blank ones included
	onLine func(count int) // called before each
}

func newLineReader(src io.Reader, maxLen int) *lineReader {
	return &lineReader{src: bufio.NewReader(src), maxLen: maxLen, onLine: func(int) {}}
}

// next returns the next line that is not blank; it is valid until the next call.
// ErrLineTooLong comes with the beginning of the line, and reading may continue;
// io.EOF is the regular end, io.ErrUnexpectedEOF a truncated line.
func (r *lineReader) next() ([]byte, error) {
	for {
		r.onLine(r.count)
		line, err := r.read()
		if err == nil || errors.Is(err, ErrLineTooLong) {
			r.count++
		}
		if line = bytes.Trim(line, whitespace); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

// read returns a line. The last one may lack its line feed if it is complete.
func (r *lineReader) read() ([]byte, error) {
	r.line = r.line[:0]
	tooLong := false
	for {
		chunk, err := r.src.ReadSlice('\n')
		room := r.maxLen - len(r.line)
		tooLong = tooLong || len(bytes.TrimRight(chunk, whitespace)) > room
		r.line = append(r.line, chunk[:min(len(chunk), room)]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(bytes.Trim(r.line, whitespace)) > 0:
			if err = nil; tooLong || !json.Valid(r.line) { // truncated
				err = io.ErrUnexpectedEOF
			}
		case err == nil && tooLong:
			err = ErrLineTooLong
		}
		return r.line, err
	}
}

// lineError returns a [*LineError] for an invalid line.
func lineError(line []byte, err error, token Token) error {
	return &LineError{Line: excerpt(token.redact(string(line))), JSON: json.Valid(line), Err: err}
}

// fetchLines calls a request whose response is a finite NDJSON body, and decodes it.
func fetchLines[T any](ctx context.Context, c *Client, r request) ([]T, error) {
	var body []byte
	r.raw = &body
	if err := c.call(ctx, r); err != nil {
		return nil, err
	}
	values, err := decodeLines[T](body, c.token)
	return values, r.wrap(err)
}

// decodeLines decodes a finite NDJSON body, skipping invalid lines.
func decodeLines[T any](body []byte, token Token) (values []T, bad error) {
	lines := newLineReader(bytes.NewReader(body), maxLine)
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return values, bad
		}
		var value T
		if err == nil {
			err = unmarshal(line, &value)
		}
		if err != nil {
			bad = errors.Join(bad, lineError(line, err, token))
			continue
		}
		values = append(values, value)
	}
}
