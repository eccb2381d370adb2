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
	var network *lichess.NetworkError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, lichess.ErrUnavailable) || errors.Is(err, lichess.ErrStalled)
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
		return event.Sleep(ctx, rand.N(recoverySpread)) //nolint:gosec // chance, not secrets
	}
	return err
}
