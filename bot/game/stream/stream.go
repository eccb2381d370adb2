// Package stream keeps the stream of a game open, over as many connections as it
// takes. Reading the game again opens the next connection while the previous one
// continues, so that we are never absent; the server ends the older one when the
// newer arrives.
//
// A [Stream] belongs to the goroutine that plays the game, which calls its methods and has
// it handle what its connections report. It is a state machine; its state follows from
// which connections there are:
//
//	state       event                                  next state
//	connecting  first event of the connection          reading
//	            it fails, or has none in time          backing off
//	            told to read the game again            connecting, anew if the connection is open
//	backing off the pause is over                      connecting
//	reading     told to read the game again            reopening
//	            the connection ends, or stalls         backing off
//	reopening   first event of the next connection     reading, on that one
//	            that one fails, or has none in time    retrying
//	            told to read the game again            reopening, anew if the next connection is open
//	            the connection ends                    connecting: the server ended it for the next
//	retrying    the pause is over                      reopening
//	            the connection ends                    backing off: the pause was for a game with a stream
//	any         the final state, or given up           over
//
// The first event of a connection is its gameFull; or a gameState, if a gameFull has come
// before. Keep-alives, chat and invalid lines do not count, since nobody could play by them.
//
// Each state has a timer. In connecting and reopening it is [Timing.FirstEvent], from the
// request of the connection; in backing off and retrying, the pause. While our clock may be
// running, both are small parts of it. While reading, the connection stalls if a line takes
// too long ([lichess.Options]); if it brings keep-alives only, package game finds what is
// missing in the list of games in progress, and has the game read again.
//
// Commands in other states wait for the connection that is being opened. A final state
// before any gameFull does not count: the finished game is read again.
package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// Options configure a Stream. All are required.
type Options struct {
	Game         string // id
	Source       Source
	Reachability *Reachability // of the server, common to all games
	Timing       Timing
	Log          zerolog.Logger
	// Emit receives [event.StreamOpened] and [event.StreamLost].
	Emit func(event.Event)
	// OnDuplicate is called when another program plays the game, too.
	OnDuplicate func()
	// Go starts a goroutine that reads a connection.
	Go func(func())
}

// Timing holds the waits required by Lichess's rules or by good behaviour.
type Timing struct {
	Reopen           event.Backoff // between tries to open the stream
	ReopenEarlyMax   time.Duration // upper bound of these at first
	FirstEvent       event.Backoff // timeout of the first event of a connection
	DuplicateBackoff event.Backoff // while another program has the stream
	RefusalGap       time.Duration // between two refusals that count
	UnlistedTimeout  time.Duration // after which a game that no list has is given up, if its end cannot be read
}

// LichessTiming returns the timing for Lichess.
func LichessTiming() Timing {
	return Timing{
		// drawn from 30 to 60 s
		Reopen:           event.Backoff{Initial: 100 * time.Millisecond, Max: 45 * time.Second},
		ReopenEarlyMax:   time.Second,
		FirstEvent:       event.Backoff{Initial: 3 * time.Second, Max: 15 * time.Second},
		DuplicateBackoff: event.Backoff{Initial: 5 * time.Second, Max: time.Minute},
		RefusalGap:       10 * time.Second,
		UnlistedTimeout:  2 * time.Minute,
	}
}

// Item is an item of the stream: an event, nil for an invalid line, or the final
// error.
type Item struct {
	Event       lichess.GameEvent
	Err         error
	ReceivedAt  time.Time
	ConnectedAt time.Time // when the connection was requested; its first event is no older
}

// Stream is the stream of one game. Its methods never block.
type Stream struct {
	o       Options
	reports chan func() *Item
	ctx     context.Context // of Start, and of all connections; nil before
	over    context.CancelFunc

	current *connection // the newest that has had its first event; nil if none
	next    *connection // the one after it; nil if none

	reopenAfter time.Time // the game is to be read on a connection requested after this
	flag        time.Time // when our clock may run out; zero for never

	backoff    reopenBackoff
	refusals   refusals
	order      stateOrder
	duplicates duplicateDetector
	hasFull    bool          // a gameFull was returned
	connected  int           // open connections
	lostAt     time.Time     // since when none is: the opponent may claim the win then
	absent     time.Duration // for which none was, before the next connection's first event
}

// New returns the stream of a game. It is not opened before Start.
func New(o Options) *Stream {
	return &Stream{
		o: o, reports: make(chan func() *Item), backoff: newReopenBackoff(&o.Timing),
		duplicates: duplicateDetector{detector: event.DuplicateDetector{Backoff: o.Timing.DuplicateBackoff,
			Tolerated: 2}},
	}
}

// Start opens the stream, and keeps it open until the context ends, the final state was
// returned, or the game is given up; then the last item is the error.
func (s *Stream) Start(ctx context.Context) {
	s.ctx, s.over = context.WithCancel(ctx)
	s.lostAt = time.Now()
	s.connect(0, false)
}

// Reports delivers what the connections report, as functions for the stream's goroutine to
// call, which return the next item of the stream, or nil. They must be called promptly,
// since the server drops lines beyond a buffer of 32.
func (s *Stream) Reports() <-chan func() *Item { return s.reports }

// Reopen reads the game again, on a connection opened from now on. One that is open, but
// has had no first event yet, may never have one: it is given up.
func (s *Stream) Reopen() {
	s.reopenAfter = time.Now()
	if s.next != nil && s.next.open {
		s.next.cancel()
		s.next = nil
	}
	s.proceed()
}

// SetFlagTime sets when our clock may run out; zero for never.
func (s *Stream) SetFlagTime(flag time.Time) { s.flag = flag }

// proceed does what the stream has been told, if its state allows it.
func (s *Stream) proceed() {
	switch {
	case s.ctx == nil || s.ctx.Err() != nil || s.next != nil:
	case s.current == nil, s.reopenAfter.After(s.current.startedAt):
		s.connect(0, false)
	}
}

// handleOpened handles an opened connection.
func (s *Stream) handleOpened(c *connection) {
	c.open = true
	if s.connected == 0 {
		s.absent += time.Since(s.lostAt)
	}
	s.connected++
	s.refusals.clear()
}

// supersededFor is how long a superseded connection stays open. The server ends it
// by itself, after its last lines.
const supersededFor = time.Second

// handleItem handles an item of a connection, and returns it unless it is to be dropped;
// the first event makes the next connection the current one.
func (s *Stream) handleItem(c *connection, item Item) *Item {
	_, full := item.Event.(*lichess.GameFull)
	state := stateOf(item.Event)
	if c == s.next && (full || s.hasFull && state != nil) {
		s.handleFirstEvent(c)
	}
	if c == s.current {
		s.backoff.progress(item.Event)
	}
	if !s.order.admit(&item, c != s.current && c != s.next) {
		return nil
	}
	s.hasFull = s.hasFull || full
	if state := stateOf(item.Event); s.hasFull && state != nil && state.Status.Over() {
		s.over()
	}
	return &item
}

// handleFirstEvent makes the next connection the current one.
func (s *Stream) handleFirstEvent(c *connection) {
	c.overdue.Stop()
	if s.current != nil {
		time.AfterFunc(supersededFor, s.current.cancel)
	}
	s.current, s.next = c, nil
	s.backoff.firstEvent(time.Since(c.startedAt))
	s.o.Reachability.Record(nil)
	if s.duplicates.streamOpened(time.Now()) {
		s.o.OnDuplicate()
	}
	s.o.Emit(event.StreamOpened{Game: s.o.Game, Reopened: s.hasFull, Absent: s.absent})
	s.absent = 0
}

// errEmpty: a connection ended before its first event, which is no sign of another program.
var errEmpty = fmt.Errorf("%w: the stream ended before its first event", lichess.ErrUnavailable)

// handleEnd handles the end of a connection, and opens the next one after a pause. If the
// game is given up, it returns the error.
func (s *Stream) handleEnd(c *connection, err error) *Item {
	if c.open {
		s.connected--
		s.lostAt = time.Now()
	}
	switch c {
	case s.next:
		s.next = nil
		if errors.Is(err, io.EOF) {
			err = errEmpty
		}
	case s.current:
		s.current = nil
		s.backoff.connectionEnded(time.Since(c.startedAt))
	default:
		return nil // superseded
	}
	switch {
	case s.next != nil && !s.next.startedAt.IsZero():
		return nil
	case s.next != nil:
		s.next.cancel()
	}
	unauthorized := errors.Is(err, lichess.ErrUnauthorized) // giving up requests the list of games, which ends the bot
	rest, exceeded := s.refusals.add(err, s.o.Timing.RefusalGap, time.Now())
	if unauthorized || exceeded && s.current == nil {
		s.over()
		return &Item{Err: err}
	}
	s.backOff(err, rest)
	return nil
}

// backOff opens the next connection after a pause, of at least rest if our clock allows it.
func (s *Stream) backOff(err error, rest time.Duration) {
	now, flag := time.Now(), s.flag
	end := err
	if l := s.order.latest; l != nil && l.Status.IsUnknown() {
		end = nil // perhaps the game is over
	}
	holdOff := capToClock(s.duplicates.streamEnded(end, now), patienceShare,
		s.backoff.timing.FirstEvent.Initial, flag, now)
	if holdOff == 0 {
		s.o.Reachability.Record(err)
	}
	wait := max(s.backoff.next(err, flag, now),
		capToClock(max(holdOff, rest), clockShare, s.backoff.timing.Reopen.Initial, flag, now))
	wait, urgent := event.CapToClock(wait, flag)
	if s.current != nil {
		s.o.Log.Warn().Err(err).Stringer("retry_in", wait.Round(time.Millisecond)).
			Msg("game stream not reopened; the earlier connection continues")
	} else {
		s.o.Log.Warn().Err(err).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("game stream lost")
		s.o.Emit(event.StreamLost{Game: s.o.Game, Err: err, RetryIn: wait})
	}
	s.connect(wait, urgent)
}
