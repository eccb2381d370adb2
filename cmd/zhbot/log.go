package main

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
	"github.com/zhbot/zhbot/lichess"
)

// newLogger writes to w: for people on a terminal, as JSON elsewhere, unless
// the settings say which.
func newLogger(c *config.Config, w io.Writer) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(c.Log.Level)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("log.level: %w", err)
	}
	return zerolog.New(logFormat(c, w)).Level(level).With().Timestamp().Logger(), nil
}

func logFormat(c *config.Config, w io.Writer) io.Writer {
	if c.Log.Format == "console" || c.Log.Format == "auto" && isTerminal(w) {
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

// newBackgroundLogger is like [newLogger], but whoever logs never waits for w: a
// full disk or a journal that hangs must not stand before a move. The lines that
// wait are written, as far as w takes them, by flush, after which there are no
// more.
func newBackgroundLogger(c *config.Config, w io.Writer) (log zerolog.Logger, flush func(), err error) {
	if log, err = newLogger(c, w); err != nil {
		return log, nil, err
	}
	direct := log
	lines := diode.NewWriter(struct{ io.Writer }{logFormat(c, w)}, logBuffer, 0, func(missed int) { // not its Close
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

// logRequests logs each request. One that fails is a warning, for the client
// may retry for a while before it returns an error; the bot logs those of streams.
func logRequests(log zerolog.Logger) func(*lichess.Options) {
	return func(o *lichess.Options) {
		o.Observe = func(r lichess.Observation) {
			event, message := log.Debug(), "request"
			var network *lichess.NetworkError
			failed := errors.As(r.Err, &network) || errors.Is(r.Err, lichess.ErrUnavailable)
			if failed && !strings.Contains(r.Endpoint, "/stream/") {
				event, message = log.Warn(), "request failed"
			}
			event.Err(r.Err).Str("endpoint", r.Endpoint).Int("status", r.Status).Int64("ms", r.Duration.Milliseconds()).Msg(message)
		}
	}
}
