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
	open      func(context.Context, lichess.StreamOptions) (*lichess.GameStream, error)
	await     func(context.Context, time.Duration) error // a pause, or less if streams may be opened before
	server    *reachability
	duplicate func()       // says that another program plays the game, too
	spawn     func(func()) // starts a goroutine
	tell      func(Event)
	id        string // of the game
	log       zerolog.Logger
	pace      pace
	words     chan word // to the game's goroutine

	flag atomic.Int64 // when our clock may run out, in Unix ns; 0 if never

	mu          sync.Mutex
	reopenAfter time.Time     // a connection that is older does not do; zero if any does
	parked      bool          // no stream for now
	changed     chan struct{} // holds one: something of the above has changed

	// What follows belongs to run.
	reports chan report
	readers sync.WaitGroup
	opening *connection // the next one, which has brought nothing yet; nil if none
	current *connection // the newest that has brought something; nil if none
	pacing  pacing
	refused refusedStreams
	without streamless
	order   stateOrder
	rival   gameRival
	checkIn *time.Timer // the longest rest is over
	opened  bool        // has been open
}

func newFeed(b *Bot, id string, log zerolog.Logger) *feed {
	return &feed{
		open: func(ctx context.Context, o lichess.StreamOptions) (*lichess.GameStream, error) {
			return b.opts.Client.StreamGameWith(ctx, id, o)
		},
		await:     b.awaitStreams,
		duplicate: b.duplicateInGame,
		server:    b.server,
		spawn:     func(f func()) { go f() },
		tell:      b.tell,
		id:        id,
		log:       log,
		pace:      b.pace,
		words:     make(chan word),
		changed:   make(chan struct{}, 1),
	}
}

// word is what the stream brought: an event, nil for a line that could not be
// read, or why there will be no more.
type word struct {
	event  lichess.GameEvent
	err    error
	came   time.Time
	opened time.Time // the connection; its first event is no older than this
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
	f.pacing = newPacing(&f.pace)
	f.rival.ends = rivalry{pauses: f.pace.gameRival, tolerated: 2}
	f.checkIn = stoppedTimer()
	defer f.checkIn.Stop()
	f.connect(ctx, 0, false)
	for over := false; !over; {
		select {
		case <-ctx.Done():
			return
		case <-f.changed:
			f.lookAgain(ctx)
		case <-f.checkIn.C:
			f.wake()
		case r := <-f.reports:
			over = f.handle(ctx, r)
		}
	}
}

// handle takes in what a connection reports, and says whether that was all.
func (f *feed) handle(ctx context.Context, r report) (over bool) {
	switch {
	case r.err != nil:
		return f.ended(ctx, r.from, r.err)
	case r.answered:
		f.answered(r.from)
		return false
	}
	if r.from == f.opening {
		f.replace()
	}
	if r.from == f.current {
		f.pacing.progress(r.word.event)
	}
	if f.order.admit(&r.word, r.from != f.current) {
		f.deliver(ctx, r.word)
	}
	if finalState(r.word.event) {
		return true
	}
	f.lookAgain(ctx)
	return false
}

// answered notes that a connection is open.
func (f *feed) answered(c *connection) {
	c.open = true
	f.server.note(nil)
	if f.rival.answered(time.Now()) {
		f.duplicate()
	}
	f.refused.clear()
	f.tell(StreamOpened{Game: f.id, Reopened: f.opened, Absent: f.without.opened(time.Now())})
	f.opened = true
}

// supersededFor is how long an older connection may go on after a newer one has
// brought its first event. The server ends it by itself, after its last lines.
const supersededFor = time.Second

// replace puts the next connection, which has brought its first event, into the
// place of the current one.
func (f *feed) replace() {
	if f.current != nil {
		time.AfterFunc(supersededFor, f.current.cancel)
	}
	f.pacing.heard(f.opening)
	f.current, f.opening = f.opening, nil
}

// ended handles the end of a connection, and reports whether the game is given up.
func (f *feed) ended(ctx context.Context, c *connection, err error) (over bool) {
	if ctx.Err() != nil {
		return true
	}
	if c.open {
		f.without.ended(time.Now())
	}
	switch c {
	case f.opening:
		f.opening = nil
	case f.current:
		f.current = nil
		f.pacing.lived(time.Since(c.begun))
	default:
		return false // a newer one has taken its place
	}
	switch {
	case c.parked:
		f.without.unwanted()
		f.lookAgain(ctx)
		return false
	case f.opening != nil && !f.opening.waits(time.Now()):
		return false // for which the server has ended this one
	case f.opening != nil:
		f.opening.cancel() // its pause was for a game that had a stream
	}
	unauthorized := errors.Is(err, lichess.ErrUnauthorized) // giving up has the list of games asked, which ends the bot
	if unauthorized || f.refused.persist(err, f.pace.refusedFor, time.Now()) && f.current == nil {
		f.deliver(ctx, word{err: err})
		return true
	}
	now, flag := time.Now(), f.flagTime()
	leave := f.rival.lost(err, now)
	if leave == 0 {
		f.server.note(err)
	}
	wait := max(f.pacing.pause(err, flag, now), f.pacing.bearable(leave, flag, now))
	wait, urgent := f.capDelay(wait)
	if f.current != nil {
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream not opened again, the earlier one goes on")
	} else {
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream lost")
		f.tell(StreamLost{Game: f.id, Err: err, RetryIn: wait})
	}
	f.connect(ctx, wait, urgent)
	return false
}

// lookAgain does what was asked for: to open the next connection, or to have none.
// One that is about to be opened comes first.
func (f *feed) lookAgain(ctx context.Context) {
	f.mu.Lock()
	parked, after := f.parked, f.reopenAfter
	f.mu.Unlock()
	switch {
	case f.opening != nil:
	case parked:
		f.park()
	case f.current == nil || after.After(f.current.begun):
		f.connect(ctx, 0, false)
	}
}

// deliver waits for the game's goroutine, which is never long.
func (f *feed) deliver(ctx context.Context, w word) {
	select {
	case f.words <- w:
	case <-ctx.Done():
	}
}

// reopen reads the game anew, on a connection that is opened from now on.
func (f *feed) reopen() {
	f.change(func() { f.parked, f.reopenAfter = false, time.Now() })
}

func (f *feed) change(do func()) {
	f.mu.Lock()
	do()
	f.mu.Unlock()
	wake(f.changed)
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
