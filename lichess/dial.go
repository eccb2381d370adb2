package lichess

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// lookupTimeout is long enough to ask three name servers twice: Go's resolver gives
	// each 5 s, and begins with the first one every time.
	lookupTimeout = 30 * time.Second
	// lookupPatience is how long a connection waits for a look-up before it goes to the
	// addresses known from an earlier one.
	lookupPatience = 300 * time.Millisecond
	// connectTimeout bounds the attempts to connect to the addresses of a host.
	connectTimeout = 5 * time.Second
	// headStart is how long one address is tried before the next one is tried as well.
	headStart = 300 * time.Millisecond
)

// dialer connects to hosts. It remembers their addresses, so that a host that was found
// once can be reached without name servers. It is safe for concurrent use.
type dialer struct {
	lookUp  lookUpFunc
	connect dialFunc // to an IP address

	ctx     context.Context // of look-ups, done when the dialer is closed
	cancel  context.CancelFunc
	lookups sync.WaitGroup

	mu     sync.Mutex
	latest map[string]*lookup // by host
}

// lookUpFunc returns the addresses of a host, and dialFunc connects to one.
type (
	lookUpFunc func(ctx context.Context, host string) ([]net.IPAddr, error)
	dialFunc   func(ctx context.Context, network, address string) (net.Conn, error)
)

// lookup is a look-up of a host's addresses.
type lookup struct {
	began time.Time
	known []net.IPAddr  // found by the last successful look-up before
	done  chan struct{} // closed at the end, when the result is set
	addrs []net.IPAddr  // those found, or known if it failed
	err   error         // nil if there are addrs
}

func newDialer(lookUp lookUpFunc, connect dialFunc) *dialer {
	d := &dialer{lookUp: lookUp, connect: connect, latest: make(map[string]*lookup)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// close ends the look-ups, and so the connections that wait for one.
func (d *dialer) close() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.lookups.Wait()
}

// withPatience returns a function that connects to a host. Each call looks the host up,
// since it may have moved, but if addresses are known it does not wait for a look-up that
// takes longer than patience: the result is then for later calls.
func (d *dialer) withPatience(patience time.Duration) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		name, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("dial %s: %w", network, err)
		}
		addrs, err := d.find(ctx, name, patience)
		if err != nil {
			return nil, fmt.Errorf("dial %s: %w", network, err)
		}
		return d.race(ctx, network, addrs, port)
	}
}

// find returns the addresses of a host.
func (d *dialer) find(ctx context.Context, name string, patience time.Duration) ([]net.IPAddr, error) {
	l := d.startLookup(name)
	var enough <-chan time.Time
	if len(l.known) > 0 {
		enough = time.After(patience - time.Since(l.began))
	}
	select {
	case <-l.done:
		return l.addrs, l.err
	case <-enough:
		return l.known, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-d.ctx.Done():
		return nil, net.ErrClosed
	}
}

// startLookup returns the look-up of a host that is in progress. There is at most one at a
// time.
func (d *dialer) startLookup(name string) *lookup {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := &lookup{began: time.Now(), done: make(chan struct{})}
	if last := d.latest[name]; last != nil {
		select {
		case <-last.done:
			l.known = last.addrs
		default:
			return last
		}
	}
	d.latest[name] = l
	if d.ctx.Err() == nil {
		d.lookups.Go(func() {
			defer close(l.done)
			ctx, cancel := context.WithTimeout(d.ctx, lookupTimeout)
			defer cancel()
			if l.addrs, l.err = d.lookUp(ctx, name); l.err != nil && len(l.known) > 0 {
				l.addrs, l.err = l.known, nil
			}
		})
	}
	return l
}

// race connects to the first address that answers. The next one is tried as well when the
// one before has failed or had its head start.
func (d *dialer) race(ctx context.Context, network string, addrs []net.IPAddr, port string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	var attempts sync.WaitGroup
	conns, failed := make(chan net.Conn, len(addrs)), make(chan error, len(addrs))
	defer func() {
		cancel()
		attempts.Wait()
		close(conns)
		for conn := range conns { // those that lost the race
			_ = conn.Close() // it was not used
		}
	}()
	var errs []error
	for next := addrs; len(errs) < len(addrs); {
		var headStartOver <-chan time.Time
		if len(next) > 0 {
			address := net.JoinHostPort(next[0].String(), port)
			attempts.Go(func() {
				if conn, err := d.connect(ctx, network, address); err != nil {
					failed <- err
				} else {
					conns <- conn
				}
			})
			next, headStartOver = next[1:], time.After(headStart)
		}
		select {
		case conn := <-conns:
			return conn, nil
		case err := <-failed:
			errs = append(errs, err)
		case <-headStartOver:
		}
	}
	return nil, errs[0]
}
