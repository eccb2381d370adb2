package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// errMuteEvents: the event stream is open, but may bring no events any more.
var errMuteEvents = errors.New("event stream may be mute")

// silence watches an open event stream. Lichess's have been known to send their
// keep-alives and nothing else: so we look now and then whether it sees us online,
// and an event stream that brings nothing for hours is opened again.
type silence struct {
	bot    *Bot
	ctx    context.Context // of the event stream; its cause says why it was ended
	cancel context.CancelCauseFunc
	timer  *time.Timer
	wg     sync.WaitGroup
}

// watchSilence returns the context for an event stream, and what watches it.
func (b *Bot) watchSilence(ctx context.Context) (context.Context, *silence) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &silence{bot: b, ctx: ctx, cancel: cancel}
}

// start begins to watch, once the stream is open.
func (s *silence) start() {
	most := s.bot.pace.mostSilence
	s.timer = time.AfterFunc(most, func() { s.cancel(fmt.Errorf("%w: no event for %s", errMuteEvents, most)) })
	s.wg.Go(s.watchOnline)
}

func (s *silence) stop() {
	s.cancel(nil)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.wg.Wait()
}

// heard notes that the stream brought something.
func (s *silence) heard() { s.timer.Reset(s.bot.pace.mostSilence) }

// mute returns why the watch ended the stream, nil if it did not.
func (s *silence) mute() error {
	if cause := context.Cause(s.ctx); errors.Is(cause, errMuteEvents) {
		return cause
	}
	return nil
}

// watchOnline ends the stream when Lichess sees us offline although it is open.
func (s *silence) watchOnline() {
	for pause(s.ctx, s.bot.pace.onlineEvery) == nil {
		statuses, err := s.bot.opts.Client.UserStatuses(s.ctx, s.bot.me().ID)
		switch {
		case err != nil:
			s.bot.log.Debug().Err(err).Msg("not known whether Lichess sees us online")
		case len(statuses) == 1 && !statuses[0].Online:
			s.cancel(fmt.Errorf("%w: Lichess sees us offline", errMuteEvents))
			return
		}
	}
}
