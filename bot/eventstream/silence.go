package eventstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/retry"
)

// errSilent: the event stream is open, but may no longer deliver events.
var errSilent = errors.New("event stream may be silent")

// silenceWatch watches an open event stream. Lichess's streams have been known to
// send only keep-alives: so we check from time to time whether it shows us online,
// and reopen a stream without events for hours.
type silenceWatch struct {
	of     *follower
	ctx    context.Context // of the stream; its cause says why it was ended
	cancel context.CancelCauseFunc
	timer  *time.Timer
	wg     sync.WaitGroup
}

// watchSilence returns a watch, with the context for the stream.
func (f *follower) watchSilence(ctx context.Context) *silenceWatch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &silenceWatch{of: f, ctx: ctx, cancel: cancel}
}

// start starts the watch, once the stream is open.
func (s *silenceWatch) start() {
	most := s.of.Timing.MaxSilence
	s.timer = time.AfterFunc(most, func() { s.cancel(fmt.Errorf("%w: no event for %s", errSilent, most)) })
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
func (s *silenceWatch) reset() { s.timer.Reset(s.of.Timing.MaxSilence) }

// cause returns why the watch ended the stream, nil if it did not.
func (s *silenceWatch) cause() error {
	if cause := context.Cause(s.ctx); errors.Is(cause, errSilent) {
		return cause
	}
	return nil
}

// watchOnline ends the stream when Lichess shows us offline although it is open.
func (s *silenceWatch) watchOnline() {
	for retry.Sleep(s.ctx, s.of.Timing.OnlineCheckInterval) == nil {
		statuses, err := s.of.Client.UserStatuses(s.ctx, s.of.Account)
		switch {
		case err != nil:
			s.of.Log.Debug().Err(err).Msg("online status unavailable")
		case len(statuses) == 1 && !statuses[0].Online:
			s.cancel(fmt.Errorf("%w: Lichess sees us offline", errSilent))
			return
		}
	}
}
