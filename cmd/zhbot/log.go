package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"

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
	if c.Log.Format == "console" || c.Log.Format == "auto" && isTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}

// logRequests logs each request. One that fails is a warning, for the client
// may try again for a while before it tells anyone else; of streams the bot
// tells.
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
