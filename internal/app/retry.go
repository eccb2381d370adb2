package app

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
)

// retryWhileRefused calls play and, while Lichess refuses the token or the account, calls
// it again after each retry, until the context is done or the bot was told to drain. With a
// retry of 0 it calls play only once. It is for containers: what restarts them sees no exit
// code, and would ask Lichess without a pause.
func retryWhileRefused(ctx context.Context, retry time.Duration, log zerolog.Logger, play func() (drained bool, err error)) error {
	for quiet := false; ; quiet = true {
		began := time.Now()
		drained, err := play()
		if retry == 0 || drained || !bot.IsRefused(err) {
			return err
		}
		report := log.Error()
		if quiet && time.Since(began) < time.Minute { // it never got to play
			report = log.Debug()
		}
		report.Err(err).Stringer("retry_every", retry).Msg("Lichess refuses the token or the account: not playing")
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retry):
		}
	}
}
