package stream

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// reopenBackoff decides when a game's stream is reopened, and how long its first
// event may take. Both grow while nothing arrives: a slow server must get a chance to
// answer, and one that is down for long must not be flooded.
type reopenBackoff struct {
	timing       *Timing
	lastWait     time.Duration // the previous wait; 0 if there was none
	failingSince time.Time     // since when connections have been failing; zero if healthy
	stalls       int           // connections in a row without a first event in time
}

func newReopenBackoff(p *Timing) reopenBackoff { return reopenBackoff{timing: p} }

// timeout returns how long the next connection may take to its first event without a clock.
func (b *reopenBackoff) timeout() time.Duration {
	return min(b.timing.FirstEvent.Initial<<min(b.stalls, 10), b.timing.FirstEvent.Max)
}

// longLived is the age from which the end of a connection is not a sign of trouble.
const longLived = 10 * time.Second

// firstEvent handles the first event of a connection, given how long it took. A slow
// one leaves the timeout as it is: the next may be as slow.
func (b *reopenBackoff) firstEvent(took time.Duration) {
	if took < b.timeout()/2 {
		b.stalls = 0
	}
}

// progress handles an event of the current connection. The first one only repeats
// the game's state, so it does not prove that the connection is healthy.
func (b *reopenBackoff) progress(e lichess.GameEvent) {
	if _, news := e.(*lichess.GameState); news {
		b.reset()
	}
}

// connectionEnded handles the end of the current connection, given its age.
func (b *reopenBackoff) connectionEnded(d time.Duration) {
	if d > longLived {
		b.reset()
	}
}

func (b *reopenBackoff) reset() { b.lastWait, b.failingSince = 0, time.Time{} }

// Except for short ones, a wait is at most 1/runningShare (1/flaggedShare if our clock may
// have run out) of the time for which connections have been failing, and at most
// 1/clockShare of what may be left on our clock.
const (
	runningShare = 4
	flaggedShare = 2
	clockShare   = 6
)

// A wait for what may never come takes at most 1/patienceShare of our clock: a connection may be
// dead, or another program may keep the stream. After manyStalls the server is slow rather than all
// connections dead, and gets 1/slowShare.
const (
	patienceShare = 20
	manyStalls    = 4
	slowShare     = 4
)

// patience returns how long the next connection may take to its first event.
func (b *reopenBackoff) patience(flag, now time.Time) time.Duration {
	share := time.Duration(patienceShare)
	if b.stalls >= manyStalls {
		share = slowShare
	}
	return capToClock(b.timeout(), share, b.timing.FirstEvent.Initial, flag, now)
}

// next returns how long to wait after a connection has ended or could not be opened;
// flag is when our clock may run out, zero for never.
func (b *reopenBackoff) next(err error, flag, now time.Time) time.Duration {
	if b.failingSince.IsZero() {
		b.failingSince = now
	}
	if errors.Is(err, lichess.ErrStalled) {
		b.stalls++
	}
	b.lastWait = min(max(2*b.lastWait, b.timing.Reopen.Initial), b.maxWait(now, flag))
	wait := 2*b.lastWait/3 + rand.N(2*b.lastWait/3+1) //nolint:gosec // so that games do not come back all at once
	return event.AtLeast(wait, err)
}

// maxWait bounds the next wait.
func (b *reopenBackoff) maxWait(now, flag time.Time) time.Duration {
	failing, left := now.Sub(b.failingSince), flag.Sub(now)
	share := time.Duration(runningShare)
	if !flag.IsZero() && left <= 0 {
		share = flaggedShare
	}
	limit := min(max(b.timing.ReopenEarlyMax, failing/share), b.timing.Reopen.Max)
	return capToClock(limit, clockShare, b.timing.Reopen.Initial, flag, now)
}

// capToClock caps a wait to a share of our clock while that may be running, but not to less than
// least.
func capToClock(wait, share, least time.Duration, flag, now time.Time) time.Duration {
	if left := flag.Sub(now); left > 0 {
		return min(wait, max(left/share, least))
	}
	return wait
}

// refusals counts how often Lichess itself has refused a game's stream since it was last open.
// What proxies answer says nothing about the game.
type refusals struct {
	count int
	last  time.Time
}

// maxRefusals is how many refusals end a game, unless a list of games has it.
const maxRefusals = 3

// add records a failed opening, and reports whether the game is refused for good. A refusal counts
// only when some time has passed since the last one that did: remaining is what is left of it.
func (r *refusals) add(err error, gap time.Duration, now time.Time) (remaining time.Duration, exceeded bool) {
	remaining = r.last.Add(gap).Sub(now)
	switch {
	case !lichess.IsRefusal(err):
		return 0, false
	case remaining > 0:
		return remaining, false
	}
	r.count++
	r.last = now
	return 0, r.count >= maxRefusals
}

// clear resets the refusals: the stream was opened.
func (r *refusals) clear() { *r = refusals{} }

// duplicateDetector recognises another program that plays one of our games with
// our User-Agent.
type duplicateDetector struct {
	detector event.DuplicateDetector
	endedAt  time.Time     // when our stream ended cleanly; zero if it did not
	holdOff  time.Duration // how long to wait after the next clean end
}

// reopenTimeout is how soon a healthy server answers the next opening.
const reopenTimeout = 2 * time.Second

// streamEnded records how our stream has ended or could not be opened, and returns
// how long to leave it to the other program.
func (d *duplicateDetector) streamEnded(err error, now time.Time) time.Duration {
	d.endedAt = time.Time{}
	if !errors.Is(err, io.EOF) {
		return 0
	}
	d.endedAt = now
	return d.holdOff
}

// streamOpened records that the stream is open again, and reports whether another
// program caused the previous end.
func (d *duplicateDetector) streamOpened(now time.Time) (duplicate bool) {
	if d.endedAt.IsZero() || now.Sub(d.endedAt) > reopenTimeout+d.holdOff {
		return false
	}
	d.holdOff = d.detector.StreamEnded(now)
	d.endedAt = time.Time{}
	return d.holdOff > 0
}

// Reachability tracks from the requests of all games whether the server is reachable.
// While it is down, games wait longer and longer for their streams; as soon as one
// request succeeds, they all reopen them. It is safe for concurrent use.
type Reachability struct {
	mu        sync.Mutex
	down      bool
	recovery  context.Context // ends when the server recovers from the current outage, or the next one
	recovered context.CancelFunc
}

// NewReachability returns the reachability of a server that is up.
func NewReachability() *Reachability {
	r := new(Reachability)
	r.recovery, r.recovered = context.WithCancel(context.Background())
	return r
}

// Record records the result of a request or a stream.
func (r *Reachability) Record(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case unreachable(err):
		r.down = true
	case err == nil && r.down:
		r.down = false
		r.recovered()
		r.recovery, r.recovered = context.WithCancel(context.Background())
	}
}

// unreachable reports whether an error may mean that the server or the network is
// down. A stream that ends cleanly may be the first sign.
func unreachable(err error) bool {
	return errors.As(err, new(*lichess.NetworkError)) || errors.Is(err, io.EOF) ||
		errors.Is(err, lichess.ErrUnavailable) || errors.Is(err, lichess.ErrStalled)
}

// nextRecovery returns a context that ends when the server recovers.
func (r *Reachability) nextRecovery() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recovery
}

// recoverySpread is the time over which games reopen their streams after an outage.
const recoverySpread = 300 * time.Millisecond

// wait waits before a game's stream is opened; less when streams may be opened again
// or the server has recovered.
func (r *Reachability) wait(ctx context.Context, source Source, limit time.Duration) error {
	if limit < recoverySpread {
		return source.Wait(ctx, limit)
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.nextRecovery(), cancel)()
	err := source.Wait(waiting, limit)
	if err != nil && ctx.Err() == nil { // the server has recovered
		return lichess.Sleep(ctx, rand.N(recoverySpread)) //nolint:gosec // chance, not secrets
	}
	return err
}
