// Package logging creates loggers, including one that never waits for its writer.
package logging

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/terminal"
	"github.com/zhbot/zhbot/lichess"
)

// New returns a logger that writes to w: as text on a terminal and as JSON elsewhere,
// unless the settings specify the format.
func New(c config.Log, w io.Writer) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("log.level: %w", err)
	}
	return zerolog.New(format(c, w)).Level(level).With().Timestamp().Logger(), nil
}

func format(c config.Log, w io.Writer) io.Writer {
	if c.Format == "console" || c.Format == "auto" && terminal.Is(w) {
		return zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	return w
}

const (
	// logBuffer is how many lines wait for a slow writer before any is dropped.
	logBuffer = 8192
	// flushTimeout bounds the wait for the last lines: the writer may be what hangs.
	flushTimeout = 5 * time.Second
)

// NewBackground is like [New], but logging never waits for w: a full disk or a journal
// that hangs must not delay a move. flush writes the pending lines, as far as w accepts
// them; after that nothing is logged.
func NewBackground(c config.Log, w io.Writer) (log zerolog.Logger, flush func(), err error) {
	if log, err = New(c, w); err != nil {
		return log, nil, err
	}
	direct := log
	lines := diode.NewWriter(struct{ io.Writer }{format(c, w)}, logBuffer, 0, func(missed int) { // not its Close
		direct.Warn().Int("lines", missed).Msg("log lines dropped: the log's writer is too slow")
	})
	return log.Output(lines), sync.OnceFunc(func() {
		flushed := make(chan struct{})
		go func() {
			defer close(flushed)
			_ = lines.Close()
		}()
		select {
		case <-flushed:
		case <-time.After(flushTimeout):
		}
	}), nil
}

// Requests logs each request to Lichess. One that fails is a warning, since the client
// may retry for a while before it returns an error; the bot logs those of streams.
func Requests(log zerolog.Logger) func(lichess.Observation) {
	return func(r lichess.Observation) {
		event, message := log.Debug(), "request"
		var network *lichess.NetworkError
		failed := errors.As(r.Err, &network) || errors.Is(r.Err, lichess.ErrUnavailable)
		if failed && !strings.Contains(r.Endpoint, "/stream/") {
			event, message = log.Warn(), "request failed"
		}
		event.Err(r.Err).Str("endpoint", r.Endpoint).Int("status", r.Status).Int64("ms", r.Duration.Milliseconds()).Msg(message)
	}
}
