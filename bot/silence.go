package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/retry"
)

// errSilentEvents: the event stream is open, but may no longer deliver events.
var errSilentEvents = errors.New("event stream may be silent")

// silenceWatch watches an open event stream. Lichess's streams have been known to
// send only keep-alives: so we check from time to time whether it shows us online,
// and reopen a stream without events for hours.
type silenceWatch struct {
	bot    *Bot
	ctx    context.Context // of the event stream; its cause says why it was ended
	cancel context.CancelCauseFunc
	timer  *time.Timer
	wg     sync.WaitGroup
}

// watchSilence returns the context for an event stream, and its watch.
func (b *Bot) watchSilence(ctx context.Context) (context.Context, *silenceWatch) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &silenceWatch{bot: b, ctx: ctx, cancel: cancel}
}

// start starts the watch, once the stream is open.
func (s *silenceWatch) start() {
	most := s.bot.timing.maxSilence
	s.timer = time.AfterFunc(most, func() { s.cancel(fmt.Errorf("%w: no event for %s", errSilentEvents, most)) })
	s.wg.Go(s.watchOnline)
}

func (s *silenceWatch) stop() {
	s.cancel(nil)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.wg.Wait()
}

// reset restarts the timer after an event.
func (s *silenceWatch) reset() { s.timer.Reset(s.bot.timing.maxSilence) }

// cause returns why the watch ended the stream, nil if it did not.
func (s *silenceWatch) cause() error {
	if cause := context.Cause(s.ctx); errors.Is(cause, errSilentEvents) {
		return cause
	}
	return nil
}

// watchOnline ends the stream when Lichess shows us offline although it is open.
func (s *silenceWatch) watchOnline() {
	for retry.Sleep(s.ctx, s.bot.timing.onlineCheckInterval) == nil {
		statuses, err := s.bot.opts.Client.UserStatuses(s.ctx, s.bot.me().ID)
		switch {
		case err != nil:
			s.bot.log.Debug().Err(err).Msg("online status unavailable")
		case len(statuses) == 1 && !statuses[0].Online:
			s.cancel(fmt.Errorf("%w: Lichess sees us offline", errSilentEvents))
			return
		}
	}
}
