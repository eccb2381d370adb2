package daemon

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
)

// retryWhileRefused plays until that ends. When it ends because Lichess refuses the
// token or the account, it is tried again after each retry, until the context is done;
// with a retry of 0 that is the end too. Where exit codes do not reach whoever restarts
// the program, as in a container, restarts would only ask again and again.
func retryWhileRefused(ctx context.Context, retry time.Duration, log zerolog.Logger, play func() error) error {
	for quiet := false; ; quiet = true {
		began := time.Now()
		err := play()
		if retry == 0 || !bot.IsRefused(err) {
			return err
		}
		report := log.Error()
		if quiet && time.Since(began) < time.Minute { // it never got to play
			report = log.Debug()
		}
		report.Err(err).Dur("retry_every", retry).Msg("Lichess refuses the token or the account: not playing")
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retry):
		}
	}
}
