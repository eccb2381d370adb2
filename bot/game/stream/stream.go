// Package stream keeps the stream of a game open, over as many connections as it
// takes. Reading the game again opens the next connection while the previous one
// continues, so that we are never absent; the server ends the older one when the
// newer arrives.
//
// A [Stream] is a state machine, which belongs to the goroutine of [Stream.Run]:
//
//	state       event                                  next state
//	connecting  first event of the connection          reading
//	            it fails                               backingOff
//	backingOff  the pause is over                      connecting
//	reading     told to read the game again            reopening
//	            told to park                           parking
//	            the connection ends                    backingOff
//	reopening   first event of the next connection     reading, on that one
//	            the next connection fails              retrying
//	            the connection ends                    connecting: the server ended it for the next
//	retrying    the pause is over                      reopening
//	            the connection ends                    backingOff: the pause was for a game with a stream
//	parking     the connection ends                    parked
//	parked      told to read the game, or after hours  connecting
//	any         the final state, or given up           over
//
// Commands in other states wait for the connection that is being opened. A final state
// before any gameFull does not count: the finished game is read again.
package stream

import (
	"context"
	"errors"
	"sync"
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
	FirstByte        event.Backoff // timeout of the first byte of a connection
	DuplicateBackoff event.Backoff // while another program has the stream
	RefusalTimeout   time.Duration // of refusals, after which the game is given up
	MaxParked        time.Duration // before a parked game is read again
}

// LichessTiming returns the timing for Lichess.
func LichessTiming() Timing {
	return Timing{
		Reopen:           event.Backoff{Initial: 100 * time.Millisecond, Max: 45 * time.Second}, // drawn from 30 to 60 s
		ReopenEarlyMax:   time.Second,
		FirstByte:        event.Backoff{Initial: 3 * time.Second, Max: 15 * time.Second},
		DuplicateBackoff: event.Backoff{Initial: 5 * time.Second, Max: time.Minute},
		RefusalTimeout:   2 * time.Minute,
		MaxParked:        time.Hour,
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

// Stream is the stream of one game. Its methods other than Run never block, and are
// safe for concurrent use.
type Stream struct {
	o        Options
	items    chan Item
	commands chan func(*target) // capacity 1: what Run has not seen yet

	// What follows belongs to Run.
	state      state
	current    *connection // the newest with an event; nil if none
	next       *connection // the one after it, without an event yet; nil if none
	target     target      // by all commands so far
	reports    chan func() // of the connections, to be called by Run
	readers    sync.WaitGroup
	backoff    reopenBackoff
	refusals   refusals
	order      stateOrder
	duplicates duplicateDetector
	parkTimer  *time.Timer // fires when a parked game is to be read
	wasOpen    bool        // has been open before
	hasFull    bool        // a gameFull was delivered
	connected  int         // open connections
	lostAt     time.Time   // since when none is, while one is wanted: the opponent may claim the win then
}

// state is what a stream is doing; the package's documentation has the transitions.
type state int

const (
	connecting state = iota // no connection delivers; the next one is being opened
	backingOff              // no connection delivers; the next one is opened after a pause
	reading                 // a connection delivers
	reopening               // a connection delivers; the next one is being opened
	retrying                // a connection delivers; the next one is opened after a pause
	parking                 // no stream is wanted; the connection is being closed
	parked                  // no stream is wanted
	over                    // the final state was delivered, or the game given up
)

// New returns the stream of a game. It is not opened before Run.
func New(o Options) *Stream {
	return &Stream{
		o: o, items: make(chan Item), commands: make(chan func(*target), 1), reports: make(chan func()),
		backoff:    newReopenBackoff(&o.Timing),
		duplicates: duplicateDetector{detector: event.DuplicateDetector{Backoff: o.Timing.DuplicateBackoff, Tolerated: 2}},
	}
}

// Items delivers the stream's items in order. They must be received promptly, since the
// server drops lines beyond a buffer of 32.
func (s *Stream) Items() <-chan Item { return s.items }

// Run keeps the stream open until the context ends, the final state was delivered,
// or the game is given up; then the last item is the error.
func (s *Stream) Run(ctx context.Context) {
	defer s.readers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.parkTimer = time.NewTimer(0)
	s.parkTimer.Stop()
	defer s.parkTimer.Stop()
	s.lostAt = time.Now()
	s.connect(ctx, 0, false)
	for s.state != over {
		select {
		case <-ctx.Done():
			return
		case c := <-s.commands:
			c(&s.target)
			s.execute(ctx)
		case <-s.parkTimer.C:
			s.target.parked = false
			s.execute(ctx)
		case handle := <-s.reports:
			select {
			case c := <-s.commands: // older than the report
				c(&s.target)
			default:
			}
			handle()
			s.execute(ctx)
		}
	}
}

// execute does what the latest command wants, if the state allows it.
func (s *Stream) execute(ctx context.Context) {
	switch s.state {
	case reading:
		switch {
		case s.target.parked:
			s.state = parking
			s.current.cancel()
		case s.target.reopen.After(s.current.startedAt):
			s.connect(ctx, 0, false)
		}
	case parked:
		if !s.target.parked {
			s.parkTimer.Stop()
			s.lostAt = time.Now()
			s.connect(ctx, 0, false)
		}
	}
}

// handleOpened handles an opened connection.
func (s *Stream) handleOpened(c *connection) {
	c.open = true
	s.o.Reachability.Record(nil)
	if s.duplicates.streamOpened(time.Now()) {
		s.o.OnDuplicate()
	}
	s.refusals.clear()
	opened := event.StreamOpened{Game: s.o.Game, Reopened: s.wasOpen}
	if s.connected == 0 {
		opened.Absent = time.Since(s.lostAt)
	}
	s.connected++
	s.o.Emit(opened)
	s.wasOpen = true
}

// supersededFor is how long a superseded connection stays open. The server ends it
// by itself, after its last lines.
const supersededFor = time.Second

// handleItem handles an item of a connection; the first one makes the next
// connection the current one.
func (s *Stream) handleItem(ctx context.Context, c *connection, item Item) {
	if c == s.next {
		if s.current != nil {
			time.AfterFunc(supersededFor, s.current.cancel)
		}
		s.backoff.firstEvent(time.Since(c.startedAt))
		s.current, s.next, s.state = c, nil, reading
	}
	if c == s.current {
		s.backoff.progress(item.Event)
	}
	if !s.order.admit(&item, c != s.current) {
		return
	}
	s.deliver(ctx, item)
	if _, full := item.Event.(*lichess.GameFull); full {
		s.hasFull = true
	}
	if state := stateOf(item.Event); s.hasFull && state != nil && state.Status.Over() {
		s.state = over
	}
}

// handleEnd handles the end of a connection, and opens the next one after a pause.
func (s *Stream) handleEnd(ctx context.Context, c *connection, err error) {
	if ctx.Err() != nil {
		s.state = over
		return
	}
	if c.open {
		s.connected--
		s.lostAt = time.Now()
	}
	switch c {
	case s.next:
		s.next = nil
	case s.current:
		s.current = nil
		s.backoff.connectionEnded(time.Since(c.startedAt))
	default:
		return // superseded
	}
	switch {
	case s.state == parking:
		s.state = parked
		s.parkTimer.Reset(s.o.Timing.MaxParked)
		return
	case s.state == reopening && s.next != nil:
		s.state = connecting
		return
	case s.next != nil:
		s.next.cancel()
	}
	unauthorized := errors.Is(err, lichess.ErrUnauthorized) // giving up requests the list of games, which ends the bot
	if unauthorized || s.refusals.exceeded(err, s.o.Timing.RefusalTimeout, time.Now()) && s.current == nil {
		s.deliver(ctx, Item{Err: err})
		s.state = over
		return
	}
	s.backOff(ctx, err)
}

// backOff opens the next connection after a pause.
func (s *Stream) backOff(ctx context.Context, err error) {
	now, flag := time.Now(), s.target.flag
	holdOff := s.duplicates.streamEnded(err, now)
	if holdOff == 0 {
		s.o.Reachability.Record(err)
	}
	wait := max(s.backoff.next(err, flag, now), s.backoff.capToClock(holdOff, flag, now))
	wait, urgent := event.CapToClock(wait, flag)
	if s.current != nil {
		s.o.Log.Warn().Err(err).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("game stream not reopened; the earlier connection continues")
	} else {
		s.o.Log.Warn().Err(err).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("game stream lost")
		s.o.Emit(event.StreamLost{Game: s.o.Game, Err: err, RetryIn: wait})
	}
	s.connect(ctx, wait, urgent)
}

// deliver passes on an item.
func (s *Stream) deliver(ctx context.Context, item Item) {
	select {
	case s.items <- item:
	case <-ctx.Done():
	}
}

// target is what a stream has been told. It belongs to Run.
type target struct {
	reopen time.Time // read the game again, on a connection requested after this
	parked bool      // no stream is wanted
	flag   time.Time // when our clock may run out; zero for never
}

// send passes a command to Run, after one that Run has not seen yet.
func (s *Stream) send(command func(*target)) {
	for {
		select {
		case s.commands <- command:
			return
		case earlier := <-s.commands:
			later := command
			command = func(w *target) { earlier(w); later(w) }
		}
	}
}

// Reopen reads the game again, on a connection opened from now on.
func (s *Stream) Reopen() {
	now := time.Now()
	s.send(func(w *target) { w.reopen, w.parked = now, false })
}

// Park closes the stream until Reopen, Unpark or a timeout.
func (s *Stream) Park() { s.send(func(w *target) { w.parked = true }) }

// Unpark reads the game again if the stream is parked.
func (s *Stream) Unpark() { s.send(func(w *target) { w.parked = false }) }

// SetFlagTime sets when our clock may run out; zero for never.
func (s *Stream) SetFlagTime(flag time.Time) { s.send(func(w *target) { w.flag = flag }) }
