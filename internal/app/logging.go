package app

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess"
)

// NewLogger returns a logger that writes to w: as text on a terminal and as JSON elsewhere,
// unless the settings specify the format.
func NewLogger(c config.Log, w io.Writer) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("log.level: %w", err)
	}
	return zerolog.New(format(c, w)).Level(level).With().Timestamp().Logger(), nil
}

func format(c config.Log, w io.Writer) io.Writer {
	if c.Format == "console" || c.Format == "auto" && term.Is(w) {
		return zerolog.ConsoleWriter{Out: w, TimeFormat: time.DateTime, NoColor: !term.Is(w)}
	}
	return w
}

const (
	// logBuffer is how many lines wait for a slow writer before any is dropped.
	logBuffer = 8192
	// flushTimeout bounds the wait for the last lines: the writer may be what hangs.
	flushTimeout = 5 * time.Second
)

// background is a logger that never waits for its writer: a full disk or a journal that
// hangs must not delay a move. Lines that the writer does not take are dropped.
type background struct {
	zerolog.Logger
	lines   diode.Writer
	flush   sync.Once
	dropped atomic.Int64
}

// newBackground is like [NewLogger] for a logger that never waits for w.
func newBackground(c config.Log, w io.Writer) (*background, error) {
	direct, err := NewLogger(c, w)
	if err != nil {
		return nil, err
	}
	b := new(background)
	b.lines = diode.NewWriter(&lossyWriter{to: format(c, w), dropped: &b.dropped, log: direct}, logBuffer, 0,
		func(missed int) { b.dropped.Add(int64(missed)) })
	b.Logger = direct.Output(b.lines)
	return b, nil
}

// Flush writes the pending lines that the writer accepts in time; after that nothing
// is logged.
func (b *background) Flush() {
	b.flush.Do(func() {
		flushed := make(chan struct{})
		go func() {
			defer close(flushed)
			_ = b.lines.Close()
		}()
		select {
		case <-flushed:
		case <-time.After(flushTimeout):
		}
	})
}

// lossyWriter counts lines that its writer refuses (a pipe without a reader, a full disk),
// and logs how many were dropped once a line is written again.
type lossyWriter struct {
	to       io.Writer
	log      zerolog.Logger
	dropped  *atomic.Int64
	reported int64 // of the dropped lines
}

func (w *lossyWriter) Write(line []byte) (int, error) {
	if _, err := w.to.Write(line); err != nil {
		w.dropped.Add(1)
	} else if dropped := w.dropped.Load(); dropped > w.reported {
		w.log.Warn().Int64("lines", dropped-w.reported).
			Msg("log lines dropped: the log's writer failed or was too slow")
		w.reported = dropped
	}
	return len(line), nil
}

// logRequest logs a request to Lichess. One that fails is a warning, since the client may
// retry for a while before it returns an error; the bot logs those of streams.
func logRequest(log zerolog.Logger, r lichess.Observation) {
	event, message := log.Debug(), "request"
	_, failed := errors.AsType[*lichess.NetworkError](r.Err)
	failed = failed || errors.Is(r.Err, lichess.ErrUnavailable)
	if failed && !strings.Contains(r.Endpoint, "/stream/") {
		event, message = log.Warn(), "request failed"
	}
	event.Err(r.Err).Str("endpoint", r.Endpoint).Int("status", r.Status).
		Int64("ms", r.Duration.Milliseconds()).Msg(message)
}
