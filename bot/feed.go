package bot

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
)

// feed follows a game's stream over as many connections as it takes. A new look at
// the game opens the next connection while the one before goes on, so that we are
// never absent for it; the server ends the older one when the newer arrives.
//
// Connections only read, decode and report, and run hands over what they report,
// so the server's buffer of 32 lines never overflows.
type feed struct {
	open            func(context.Context, lichess.StreamOptions) (*lichess.GameStream, error)
	wait            func(context.Context, time.Duration) error // a pause, or less if streams may be opened before
	server          *reachability
	reportDuplicate func()       // says that another program plays the game, too
	spawn           func(func()) // starts a goroutine
	emit            func(Event)
	id              string // of the game
	log             zerolog.Logger
	timing          timing
	items           chan streamItem // to the game's goroutine

	flag atomic.Int64 // when our clock may run out, in Unix ns; 0 if never

	mu          sync.Mutex
	reopenAfter time.Time     // a connection that is older does not do; zero if any does
	parked      bool          // no stream for now
	changed     chan struct{} // holds one: something of the above has changed

	// What follows belongs to run.
	reports    chan report
	readers    sync.WaitGroup
	opening    *connection // the next one, which has brought nothing yet; nil if none
	current    *connection // the newest that has brought something; nil if none
	backoff    reopenBackoff
	refusals   streamRefusals
	downtime   downtime
	order      stateOrder
	duplicates gameDuplicateDetector
	parkTimer  *time.Timer // the longest rest is over
	wasOpen    bool        // has been open
}

func newFeed(b *Bot, id string, log zerolog.Logger) *feed {
	return &feed{
		open: func(ctx context.Context, o lichess.StreamOptions) (*lichess.GameStream, error) {
			return b.opts.Client.StreamGameWith(ctx, id, o)
		},
		wait:            b.awaitStreams,
		reportDuplicate: b.duplicateInGame,
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

// streamItem is what the stream brought: an event, nil for a line that could not be
// read, or why there will be no more.
type streamItem struct {
	event       lichess.GameEvent
	err         error
	receivedAt  time.Time
	connectedAt time.Time // the connection; its first event is no older than this
}

// errNeverStarted: the server knows no such game, or no longer.
var errNeverStarted = errors.New("the server does not know the game")

// run keeps the stream open until the context ends, the final state was handed
// over, or the game cannot be followed.
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

// handleReport takes in what a connection reports, and says whether that was all.
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

// handleOpened notes that a connection is open.
func (f *feed) handleOpened(c *connection) {
	c.open = true
	f.server.record(nil)
	if f.duplicates.streamOpened(time.Now()) {
		f.reportDuplicate()
	}
	f.refusals.clear()
	f.emit(StreamOpened{Game: f.id, Reopened: f.wasOpen, Absent: f.downtime.connected(time.Now())})
	f.wasOpen = true
}

// supersededFor is how long an older connection may go on after a newer one has
// brought its first event. The server ends it by itself, after its last lines.
const supersededFor = time.Second

// promote puts the next connection, which has brought its first event, into the
// place of the current one.
func (f *feed) promote() {
	if f.current != nil {
		time.AfterFunc(supersededFor, f.current.cancel)
	}
	f.backoff.firstEvent(f.opening)
	f.current, f.opening = f.opening, nil
}

// handleEnd handles the end of a connection, and reports whether the game is given up.
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
		return false // a newer one has taken its place
	}
	switch {
	case c.parked:
		f.downtime.stop()
		f.reconcile(ctx)
		return false
	case f.opening != nil && !f.opening.isPending(time.Now()):
		return false // for which the server has ended this one
	case f.opening != nil:
		f.opening.cancel() // its pause was for a game that had a stream
	}
	unauthorized := errors.Is(err, lichess.ErrUnauthorized) // giving up has the list of games asked, which ends the bot
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
	wait, urgent := f.capDelay(wait)
	if f.current != nil {
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream not opened again, the earlier one goes on")
	} else {
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream lost")
		f.emit(StreamLost{Game: f.id, Err: err, RetryIn: wait})
	}
	f.connect(ctx, wait, urgent)
	return false
}

// reconcile does what was asked for: to open the next connection, or to have none.
// One that is about to be opened comes first.
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

// deliver waits for the game's goroutine, which is never long.
func (f *feed) deliver(ctx context.Context, w streamItem) {
	select {
	case f.items <- w:
	case <-ctx.Done():
	}
}

// reopen reads the game anew, on a connection that is opened from now on.
func (f *feed) reopen() {
	f.update(func() { f.parked, f.reopenAfter = false, time.Now() })
}

func (f *feed) update(do func()) {
	f.mu.Lock()
	do()
	f.mu.Unlock()
	signal(f.changed)
}

// finalState reports whether the game is over with an event.
func finalState(e lichess.GameEvent) bool {
	s := stateOf(e)
	return s != nil && s.Status.Over()
}

// stateOf returns the state that an event brings, nil if it brings none.
func stateOf(e lichess.GameEvent) *lichess.GameState {
	switch e := e.(type) {
	case *lichess.GameFull:
		return &e.State
	case *lichess.GameState:
		return e
	}
	return nil
}
