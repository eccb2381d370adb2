package bot

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// reachability is what the requests of all games say of the server. While it cannot
// be reached, games wait longer and longer for their streams; as soon as one
// request succeeds, they all go on.
type reachability struct {
	mu        sync.Mutex
	down      bool
	recovered chan struct{} // closed when the server is back after it was away
}

func newReachability() *reachability { return &reachability{recovered: make(chan struct{})} }

// record takes in how a request or a stream ended.
func (r *reachability) record(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case unreachable(err):
		r.down = true
	case err == nil && r.down:
		r.down = false
		close(r.recovered)
		r.recovered = make(chan struct{})
	}
}

// unreachable reports whether an error may say that the server is down, or the way
// to it. A stream that ends in good order may be the first sign.
func unreachable(err error) bool {
	var network *lichess.NetworkError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, lichess.ErrUnavailable) || errors.Is(err, lichess.ErrStalled)
}

// onRecovery returns what is closed when the server is back after the next time, or
// this time, that it is away.
func (r *reachability) onRecovery() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recovered
}

// recoverySpread is the time within which all games come back, not all at once.
const recoverySpread = 300 * time.Millisecond

// awaitStreams is a pause before a game's stream is opened, which ends early when
// streams may be opened again or the server is back.
func (b *Bot) awaitStreams(ctx context.Context, limit time.Duration) error {
	if limit < recoverySpread {
		return b.opts.Client.WaitGameStreams(ctx, limit)
	}
	recovered := b.server.onRecovery()
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	waited := make(chan error, 1)
	go func() { waited <- b.opts.Client.WaitGameStreams(waiting, limit) }()
	select {
	case err := <-waited:
		return err
	case <-recovered:
		cancel()
		_ = <-waited
		return sleep(ctx, rand.N(recoverySpread)) //nolint:gosec // chance, not secrets
	}
}
