package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// eventStreamOptions configure what to follow, and how to handle it. All are required.
type eventStreamOptions struct {
	Client  *lichess.Client
	Account string            // id
	State   *record.StateFile // remembers the openings
	Timing  eventStreamTiming
	Log     zerolog.Logger
	// Emit receives [event.StreamOpened], [event.StreamLost] and
	// [event.SecondInstance].
	Emit func(event.Event)
	// AwaitServer waits until the server answers, so that no opening is wasted while it
	// is down.
	AwaitServer func(ctx context.Context) error
	// Opened is called when the stream is open. If it was open before, it may have
	// missed events: it never replays them.
	Opened func(reopened bool)
	// Handle handles an event. It must return soon, so that the stream is read
	// promptly.
	Handle func(lichess.Event)
}

// eventStreamTiming holds the waits required by Lichess's rules or by good behaviour.
type eventStreamTiming struct {
	Retry               event.Backoff // between tries to open the stream
	DuplicateBackoff    event.Backoff // while another program has the stream
	OnlineCheckInterval time.Duration // between checks whether Lichess shows us online
	MaxSilence          time.Duration // without an event, after which the stream is reopened
	Openings            record.Rate
}

// lichessEventStreamTiming returns the timing for Lichess.
func lichessEventStreamTiming() eventStreamTiming {
	return eventStreamTiming{
		Retry:               event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second},
		DuplicateBackoff:    event.Backoff{Initial: 30 * time.Second, Max: 5 * time.Minute},
		OnlineCheckInterval: time.Hour,
		MaxSilence:          3 * time.Hour,
		Openings:            record.LichessRate(),
	}
}

// eventFollower follows the stream over its connections. It belongs to the goroutine of
// followEventStream.
type eventFollower struct {
	eventStreamOptions
	duplicates event.DuplicateDetector
	opened     bool // has been open
}

// followEventStream keeps the event stream open until the context ends, or Lichess refuses
// the token.
func followEventStream(ctx context.Context, o eventStreamOptions) error {
	f := eventFollower{eventStreamOptions: o, duplicates: event.DuplicateDetector{Backoff: o.Timing.DuplicateBackoff, Tolerated: 1}}
	openings := record.NewLimiter(o.Timing.Openings, o.State, func(d *record.State) *[]time.Time { return &d.Openings },
		o.Log.With().Str("request", "event stream").Logger())
	defer openings.Close()
	next := o.Timing.Retry.Start()
	for {
		if err := openings.Wait(ctx); err != nil {
			return err
		}
		began := time.Now()
		err := f.session(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case event.IsFatal(err):
			return fmt.Errorf("event stream: %w", err)
		case errors.Is(err, errSilent):
			o.Log.Info().Err(err).Msg("event stream reopened")
			o.Emit(event.StreamLost{Err: err})
			continue
		case time.Since(began) > longLivedStream:
			next.Reset()
		}
		wait := max(next.After(err), f.detectDuplicate(ctx, err))
		o.Log.Warn().Err(err).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("event stream lost")
		o.Emit(event.StreamLost{Err: err, RetryIn: wait})
		if err := event.Sleep(ctx, wait); err != nil {
			return err
		}
		if err := o.AwaitServer(ctx); err != nil {
			return fmt.Errorf("event stream: %w", err)
		}
	}
}

// longLivedStream is the age from which the end of a stream is not a sign of trouble.
const longLivedStream = time.Minute

// detectDuplicate checks whether the server ended the stream because another program
// opened it, and returns how long to leave it to that program.
func (f *eventFollower) detectDuplicate(ctx context.Context, end error) time.Duration {
	if !errors.Is(end, io.EOF) || f.Client.Ping(ctx) != nil {
		return 0 // a network error, or a server restart
	}
	wait := f.duplicates.StreamEnded(time.Now())
	if wait > 0 {
		f.Log.Error().Stringer("retry_in", wait.Round(time.Millisecond)).
			Msg("another program uses this token: its event stream ends ours; stop it, or give it a token of its own")
		f.Emit(event.SecondInstance{})
	}
	return wait
}

// session follows one connection to its end.
func (f *eventFollower) session(ctx context.Context) error {
	var checks sync.WaitGroup
	defer checks.Wait()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stream, err := f.Client.StreamEvents(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	checks.Go(func() { f.checkOnline(ctx, end) })
	silence := time.AfterFunc(f.Timing.MaxSilence, func() { end(fmt.Errorf("%w: no event for %s", errSilent, f.Timing.MaxSilence)) })
	defer silence.Stop()
	f.Log.Info().Msg("event stream open")
	f.Emit(event.StreamOpened{Reopened: f.opened})
	f.Opened(f.opened)
	f.opened = true
	for {
		e, err := stream.Next()
		silence.Reset(f.Timing.MaxSilence)
		var line *lichess.LineError
		switch {
		case errors.As(err, &line):
			f.Log.Warn().Err(err).Msg("invalid event line")
		case err != nil:
			if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
				return cause
			}
			return err
		default:
			f.Handle(e)
		}
	}
}

// errSilent: the event stream is open, but may no longer deliver events. Lichess's
// streams have been known to send only keep-alives: so we check from time to time
// whether it shows us online, and reopen a stream without events for hours.
var errSilent = errors.New("event stream may be silent")

// checkOnline ends the stream when Lichess shows us offline although it is open.
func (f *eventFollower) checkOnline(ctx context.Context, end context.CancelCauseFunc) {
	for event.Sleep(ctx, f.Timing.OnlineCheckInterval) == nil {
		statuses, err := f.Client.UserStatuses(ctx, f.Account)
		switch {
		case err != nil:
			f.Log.Debug().Err(err).Msg("online status unavailable")
		case len(statuses) == 1 && !statuses[0].Online:
			end(fmt.Errorf("%w: Lichess sees us offline", errSilent))
			return
		}
	}
}
