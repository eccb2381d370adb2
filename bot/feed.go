package bot

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/lichess"
)

// feed follows a game's stream over as many connections as it takes. Reading the
// game again opens the next connection while the previous one continues, so that we
// are never absent; the server ends the older one when the newer arrives.
// Connections only read, decode and report, and run delivers their items, so the
// server's buffer of 32 lines never overflows.
type feed struct {
	open            func(context.Context, lichess.StreamOptions) (*lichess.GameStream, error)
	wait            func(context.Context, time.Duration) error // waits, but not beyond the time that streams may be opened again
	server          *reachability
	reportDuplicate func()       // reports that another program plays the game, too
	spawn           func(func()) // starts a goroutine
	emit            func(event.Event)
	id              string // of the game
	log             zerolog.Logger
	timing          timing
	items           chan streamItem // to the game's goroutine

	flag atomic.Int64 // when our clock may run out, in Unix ns; 0 if never

	mu          sync.Mutex
	reopenAfter time.Time     // an older connection must be replaced; zero for none
	parked      bool          // no stream is wanted for now
	changed     chan struct{} // capacity 1: the fields above have changed

	// What follows belongs to run.
	reports    chan report
	readers    sync.WaitGroup
	opening    *connection // the next one, without an event yet; nil if none
	current    *connection // the newest with an event; nil if none
	backoff    reopenBackoff
	refusals   streamRefusals
	downtime   downtime
	order      stateOrder
	duplicates gameDuplicateDetector
	parkTimer  *time.Timer // fires when a parked game is to be read
	wasOpen    bool        // has been open before
}

func newFeed(b *Bot, id string, log zerolog.Logger) *feed {
	return &feed{
		open: func(ctx context.Context, o lichess.StreamOptions) (*lichess.GameStream, error) {
			return b.opts.Client.StreamGameWith(ctx, id, o)
		},
		wait:            b.awaitStreams,
		reportDuplicate: b.reportGameDuplicate,
		server:          b.server,
		spawn:           func(f func()) { go f() },
		emit:            b.emit,
		id:              id,
		log:             log,
		timing:          b.timing,
		items:           make(chan streamItem),
		changed:         make(chan struct{}, 1),
	}
}

// streamItem is an item of the stream: an event, nil for an invalid line, or the
// final error.
type streamItem struct {
	event       lichess.GameEvent
	err         error
	receivedAt  time.Time
	connectedAt time.Time // when the connection was requested; its first event is no older
}

// errNeverStarted: the server does not know the game, or no longer does.
var errNeverStarted = errors.New("the server does not know the game")

// run keeps the stream open until the context ends, the final state was delivered,
// or the game cannot be followed.
func (f *feed) run(ctx context.Context) {
	defer f.readers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.reports = make(chan report)
	f.backoff = newReopenBackoff(&f.timing)
	f.duplicates.detector = duplicateDetector{backoff: f.timing.gameDuplicateBackoff, tolerated: 2}
	f.parkTimer = stoppedTimer()
	defer f.parkTimer.Stop()
	f.connect(ctx, 0, false)
	for over := false; !over; {
		select {
		case <-ctx.Done():
			return
		case <-f.changed:
			f.reconcile(ctx)
		case <-f.parkTimer.C:
			f.unpark()
		case r := <-f.reports:
			over = f.handleReport(ctx, r)
		}
	}
}

// handleReport handles a connection's report, and reports whether the feed is over.
func (f *feed) handleReport(ctx context.Context, r report) (over bool) {
	switch {
	case r.err != nil:
		return f.handleEnd(ctx, r.from, r.err)
	case r.opened:
		f.handleOpened(r.from)
		return false
	}
	if r.from == f.opening {
		f.promote()
	}
	if r.from == f.current {
		f.backoff.progress(r.item.event)
	}
	if f.order.admit(&r.item, r.from != f.current) {
		f.deliver(ctx, r.item)
	}
	if finalState(r.item.event) {
		return true
	}
	f.reconcile(ctx)
	return false
}

// handleOpened handles an opened connection.
func (f *feed) handleOpened(c *connection) {
	c.open = true
	f.server.record(nil)
	if f.duplicates.streamOpened(time.Now()) {
		f.reportDuplicate()
	}
	f.refusals.clear()
	f.emit(event.StreamOpened{Game: f.id, Reopened: f.wasOpen, Absent: f.downtime.connected(time.Now())})
	f.wasOpen = true
}

// supersededFor is how long a superseded connection stays open. The server ends it
// by itself, after its last lines.
const supersededFor = time.Second

// promote makes the next connection, which has its first event, the current one.
func (f *feed) promote() {
	if f.current != nil {
		time.AfterFunc(supersededFor, f.current.cancel)
	}
	f.backoff.firstEvent(f.opening)
	f.current, f.opening = f.opening, nil
}

// handleEnd handles the end of a connection, and reports whether the game is
// abandoned.
func (f *feed) handleEnd(ctx context.Context, c *connection, err error) (over bool) {
	if ctx.Err() != nil {
		return true
	}
	if c.open {
		f.downtime.disconnected(time.Now())
	}
	switch c {
	case f.opening:
		f.opening = nil
	case f.current:
		f.current = nil
		f.backoff.connectionEnded(time.Since(c.startedAt))
	default:
		return false // superseded
	}
	switch {
	case c.parked:
		f.downtime.stop()
		f.reconcile(ctx)
		return false
	case f.opening != nil && !f.opening.isPending(time.Now()):
		return false // the server ended this one for it
	case f.opening != nil:
		f.opening.cancel() // its pause was for a game that had a stream
	}
	unauthorized := errors.Is(err, lichess.ErrUnauthorized) // abandoning requests the list of games, which ends the bot
	if unauthorized || f.refusals.exceeded(err, f.timing.refusalTimeout, time.Now()) && f.current == nil {
		f.deliver(ctx, streamItem{err: err})
		return true
	}
	now, flag := time.Now(), f.flagTime()
	holdOff := f.duplicates.streamEnded(err, now)
	if holdOff == 0 {
		f.server.record(err)
	}
	wait := max(f.backoff.next(err, flag, now), f.backoff.capToClock(holdOff, flag, now))
	wait, urgent := retry.CapToClock(wait, flag)
	if f.current != nil {
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream not reopened; the earlier connection continues")
	} else {
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream lost")
		f.emit(event.StreamLost{Game: f.id, Err: err, RetryIn: wait})
	}
	f.connect(ctx, wait, urgent)
	return false
}

// reconcile opens the next connection or parks the feed, as requested. A connection
// that is being opened comes first.
func (f *feed) reconcile(ctx context.Context) {
	f.mu.Lock()
	parked, after := f.parked, f.reopenAfter
	f.mu.Unlock()
	switch {
	case f.opening != nil:
	case parked:
		f.enterPark()
	case f.current == nil || after.After(f.current.startedAt):
		f.connect(ctx, 0, false)
	}
}

// deliver passes an item to the game's goroutine, which never blocks for long.
func (f *feed) deliver(ctx context.Context, w streamItem) {
	select {
	case f.items <- w:
	case <-ctx.Done():
	}
}

// reopen reads the game again, on a connection opened from now on.
func (f *feed) reopen() {
	f.update(func() { f.parked, f.reopenAfter = false, time.Now() })
}

func (f *feed) update(do func()) {
	f.mu.Lock()
	do()
	f.mu.Unlock()
	signal(f.changed)
}

// finalState reports whether an event ends the game.
func finalState(e lichess.GameEvent) bool {
	s := stateOf(e)
	return s != nil && s.Status.Over()
}

// stateOf returns the state that an event contains, nil if none.
func stateOf(e lichess.GameEvent) *lichess.GameState {
	switch e := e.(type) {
	case *lichess.GameFull:
		return &e.State
	case *lichess.GameState:
		return e
	}
	return nil
}
