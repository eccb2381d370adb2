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

// feed is a game's stream, opened as often as it takes. It only reads, decodes
// and hands over, so the server's buffer of 32 lines never overflows.
type feed struct {
	open  func(ctx context.Context, now bool) (*lichess.GameStream, error) // now: although a 429 asks to wait
	await func(context.Context, time.Duration) error                       // a pause, or less if streams may be opened before
	tell  func(Event)
	id    string // of the game
	log   zerolog.Logger
	pace  pace
	words chan word // to the game's goroutine

	seen   time.Time    // when the server last knew the game
	opened bool         // has been open
	flag   atomic.Int64 // when our clock may run out, in Unix ns; 0 if never

	mu     sync.Mutex
	hangUp context.CancelFunc // ends the connection; nil without one
	asked  bool               // hung up on purpose
	rested chan struct{}      // closed when the rest is over; nil without one
}

// word is what the stream brought: an event, nil for a line that could not be
// read, or why there will be no more.
type word struct {
	event  lichess.GameEvent
	err    error
	came   time.Time
	opened time.Time // the connection; its first event is no older than this
}

var (
	// errNeverStarted: the server knows no such game, or no longer.
	errNeverStarted = errors.New("the server does not know the game")
	// errOver: the final state was handed over; there will be no more.
	errOver = errors.New("game over")
)

// longLived is how old a connection must be for its end to be no sign of trouble.
const longLived = 10 * time.Second

// run keeps the stream open until the context ends, or the game cannot be
// followed.
func (f *feed) run(ctx context.Context) {
	next := f.pace.game.begin()
	f.seen = time.Now()
	urgent := false
	for {
		opened := time.Now()
		progress, err := f.follow(ctx, opened, urgent)
		if ctx.Err() != nil || errors.Is(err, errOver) {
			return
		}
		if f.hopeless(err) {
			f.hand(ctx, word{err: err})
			return
		}
		if progress || time.Since(opened) > longLived {
			next.Reset()
		}
		if f.wasAsked() {
			if f.sleep(ctx) != nil {
				return
			}
			continue
		}
		var wait time.Duration
		wait, urgent = f.bearable(pauseAfter(err, next))
		f.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream lost")
		f.tell(StreamLost{Game: f.id, Err: err, RetryIn: wait})
		if f.await(ctx, wait) != nil {
			return
		}
	}
}

// shortestLeft is the least time on a clock for which a pause is cut: below it
// there is no hurry that helps.
const shortestLeft = time.Second

// bearable cuts a pause to half of what is left on our clock, and reports whether
// it had to.
func (f *feed) bearable(wait time.Duration) (time.Duration, bool) {
	flag := f.flag.Load()
	if flag == 0 {
		return wait, false
	}
	left := time.Until(time.Unix(0, flag))
	if left < shortestLeft || wait <= left/2 {
		return wait, false
	}
	return left / 2, true
}

// hurry tells when our clock may run out; a zero time means never.
func (f *feed) hurry(flag time.Time) {
	if flag.IsZero() {
		f.flag.Store(0)
		return
	}
	f.flag.Store(flag.UnixNano())
}

// follow reads one connection to its end, and reports whether it brought more
// than how the game stood when it was opened.
func (f *feed) follow(ctx context.Context, opened time.Time, urgent bool) (progress bool, err error) {
	connection, cancel := context.WithCancel(ctx)
	defer cancel()
	f.connected(cancel)
	stream, err := f.open(connection, urgent)
	if err != nil {
		return false, err
	}
	defer stream.Close()
	f.tell(StreamOpened{f.id, f.opened})
	f.opened = true
	for {
		event, err := stream.Next()
		var bad *lichess.LineError
		switch {
		case errors.As(err, &bad):
			f.log.Warn().Err(err).Msg("line of game stream not read")
		case err != nil:
			return progress, err
		}
		f.seen = time.Now()
		f.hand(ctx, word{event: event, came: f.seen, opened: opened}) // also after hanging up: it may be the last
		switch e := event.(type) {
		case *lichess.GameFull:
			if e.State.Status.Over() {
				return progress, errOver
			}
		case *lichess.GameState:
			if progress = true; e.Status.Over() {
				return progress, errOver
			}
		}
	}
}

// hand waits for the game's goroutine, which is never long.
func (f *feed) hand(ctx context.Context, w word) {
	select {
	case f.words <- w:
	case <-ctx.Done():
	}
}

// hopeless reports whether the game cannot be followed, whatever is tried.
func (f *feed) hopeless(err error) bool {
	if errors.Is(err, lichess.ErrNotFound) {
		return time.Since(f.seen) > f.pace.existWithin
	}
	return lichess.IsRefusal(err)
}

// reopen reads the game anew, on a new connection.
func (f *feed) reopen() {
	f.wake()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = true
	if f.hangUp != nil {
		f.hangUp()
	}
}

func (f *feed) connected(hangUp context.CancelFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hangUp = hangUp
	f.asked = false
}

func (f *feed) wasAsked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}
