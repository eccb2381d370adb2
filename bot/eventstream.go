package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// longLivedStream is the age from which the end of a stream is not a sign of trouble.
const longLivedStream = time.Minute

// eventStream follows the account's event stream over its connections. It belongs to the
// goroutine of follow.
type eventStream struct {
	*Bot
	duplicates event.DuplicateDetector
	opened     bool // has been open
}

// followEvents follows the event stream until the context ends, or Lichess refuses the
// token. After each opening the games in progress are listed, since the stream never
// replays what it missed; and before each but the first, so that no opening is wasted on a
// server that is down.
func (b *Bot) followEvents(ctx context.Context) error {
	s := eventStream{Bot: b, duplicates: event.DuplicateDetector{
		Backoff: event.Backoff{Initial: 30 * time.Second, Max: 5 * time.Minute}, Tolerated: 1,
	}}
	openings := record.NewLimiter(b.timing.openings, b.opts.State,
		func(d *record.State) *[]time.Time { return &d.Openings },
		b.log.With().Str("request", "event stream").Logger())
	defer openings.Close()
	next := event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second}.Start()
	for {
		if err := openings.Wait(ctx); err != nil {
			return err
		}
		began := time.Now()
		err := s.session(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case event.IsFatal(err):
			return fmt.Errorf("event stream: %w", err)
		case errors.Is(err, errSilent):
			b.log.Info().Err(err).Msg("event stream reopened")
			b.emit(event.StreamLost{Err: err})
			continue
		case time.Since(began) > longLivedStream:
			next.Reset()
		}
		wait := max(next.After(err), s.detectDuplicate(ctx, err))
		b.log.Warn().Err(err).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("event stream lost")
		b.emit(event.StreamLost{Err: err, RetryIn: wait})
		if err := lichess.Sleep(ctx, wait); err != nil {
			return err
		}
		if err := b.manager.AwaitServer(ctx, b.noteOffline); err != nil {
			return fmt.Errorf("event stream: %w", err)
		}
	}
}

// detectDuplicate checks whether the server ended the stream because another program
// opened it, and returns how long to leave it to that program.
func (s *eventStream) detectDuplicate(ctx context.Context, end error) time.Duration {
	switch {
	case errors.Is(end, errNoStream):
		return emptyPause
	case !errors.Is(end, io.EOF) || s.opts.Client.Ping(ctx) != nil:
		return 0 // a network error, or a server restart
	}
	wait := s.duplicates.StreamEnded(time.Now())
	if wait > 0 {
		s.log.Error().Stringer("retry_in", wait.Round(time.Millisecond)).
			Msg("another program uses this token: its event stream ends ours; stop it, or give it an account of its own")
		s.emit(event.Duplicate{RetryIn: wait})
	}
	return wait
}

// session follows one connection to its end.
func (s *eventStream) session(games context.Context) error {
	var checks sync.WaitGroup
	defer checks.Wait()
	ctx, end := context.WithCancelCause(games)
	defer end(nil)
	stream, err := s.opts.Client.StreamEvents(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	s.announced.open(end)
	defer s.announced.open(nil)
	checks.Go(func() { s.checkOnline(ctx, end) })
	silence := time.AfterFunc(s.timing.maxSilence, func() { end(fmt.Errorf("%w: no event for too long", errSilent)) })
	defer silence.Stop()
	s.log.Info().Msg("event stream open")
	s.connected.Store(true)
	defer s.connected.Store(false)
	s.emit(event.StreamOpened{Reopened: s.opened})
	if s.opened {
		s.challenger.RequestLookup() // what it missed
	}
	s.opened = true
	s.games.RequestSync()
	invalid := event.InvalidLines{Log: s.log, Message: "invalid event line"}
	defer invalid.Close()
	foreign := false // the last line was not JSON
	for {
		e, err := stream.Next()
		line, isLine := errors.AsType[*lichess.LineError](err)
		switch {
		case isLine:
			invalid.Add(err)
			if !line.JSON && !foreign {
				foreign = true
				silence.Reset(muteTimeout)
			}
		case errors.Is(err, io.EOF) && (foreign || stream.IsEmpty()):
			return errNoStream
		case err != nil:
			if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
				return cause
			}
			return err
		default:
			foreign = false
			silence.Reset(s.timing.maxSilence)
			s.handle(games, e) // the games outlive the connection
		}
	}
}

// errNoStream: what ended was not an event stream, or had brought nothing yet. That does not
// mean that another program has ended it.
var errNoStream = fmt.Errorf("%w: it answered without a stream of events", lichess.ErrUnavailable)

// emptyPause is the pause after an errNoStream. Should another program have ended the stream,
// its own brings a keep-alive until then, and it notices us.
const emptyPause = 10 * time.Second

// errSilent: the event stream is open, but may no longer deliver events. Lichess's
// streams have been known to send only keep-alives. So we reopen one that does not announce
// a game in progress, or brings something other than JSON, or no event for hours; and we
// check from time to time whether Lichess shows us online.
var errSilent = errors.New("event stream may be silent")

// checkOnline ends the stream when Lichess shows us offline although it is open.
func (s *eventStream) checkOnline(ctx context.Context, end context.CancelCauseFunc) {
	for lichess.Sleep(ctx, s.timing.onlineCheck) == nil {
		statuses, err := s.opts.Client.UserStatuses(ctx, s.me().ID)
		switch {
		case err != nil:
			s.log.Debug().Err(err).Msg("online status unavailable")
		case len(statuses) == 1 && !statuses[0].Online:
			end(fmt.Errorf("%w: Lichess sees us offline", errSilent))
			return
		}
	}
}

// handle handles an event. It sends no requests, so that the stream is read
// promptly.
func (b *Bot) handle(ctx context.Context, received lichess.Event) {
	defer b.liveness.BeginTask("an event")()
	switch e := received.(type) {
	case *lichess.ChallengeCreated:
		b.handleChallenge(ctx, e)
	case *lichess.ChallengeCanceled:
		b.queue.Remove(e.Challenge.ID)
		b.challenger.Canceled(e.Challenge.ID)
	case *lichess.ChallengeDeclined:
		b.queue.Remove(e.Challenge.ID)
		b.challenger.Declined(&e.Challenge)
	case *lichess.GameStart:
		b.announced.add(e.Game.ID)
		b.manager.Join(ctx, &e.Game)
		b.challenger.Started(e.Game.ID)
	case *lichess.GameFinish:
		b.games.Final(&e.Game)
	case *lichess.UnknownEvent:
		b.log.Debug().Str("type", e.Type).Msg("unknown event")
	}
}

// handleChallenge queues a challenge to us, and follows one of ours.
func (b *Bot) handleChallenge(ctx context.Context, e *lichess.ChallengeCreated) {
	me, c := b.me(), &e.Challenge
	if c.Challenger != nil && strings.EqualFold(c.Challenger.ID, me.ID) {
		b.challenger.Created(ctx, c)
		return
	}
	b.queue.Add(e, me.Perfs[lichess.Crazyhouse].Rating)
}
