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
	lookUp  func(ctx context.Context, host string) ([]net.IPAddr, error)
	connect dialFunc // to an IP address

	ctx     context.Context // of look-ups, done when the dialer is closed
	cancel  context.CancelFunc
	lookups sync.WaitGroup

	mu    sync.Mutex
	hosts map[string]*host
}

// dialFunc connects to an address.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// host is what a dialer knows of a host.
type host struct {
	addrs   []net.IPAddr // found by the last successful look-up
	current *lookup      // nil if none is in progress
}

// lookup is a look-up of a host's addresses.
type lookup struct {
	began time.Time
	done  chan struct{} // closed at the end, when the result is set
	addrs []net.IPAddr
	err   error
}

func newDialer(lookUp func(context.Context, string) ([]net.IPAddr, error), connect dialFunc) *dialer {
	d := &dialer{lookUp: lookUp, connect: connect, hosts: make(map[string]*host)}
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
	known, current := d.startLookup(name)
	var enough <-chan time.Time
	if len(known) > 0 {
		enough = time.After(patience - time.Since(current.began))
	}
	select {
	case <-current.done:
		if current.err != nil && len(known) > 0 {
			return known, nil
		}
		return current.addrs, current.err
	case <-enough:
		return known, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-d.ctx.Done():
		return nil, net.ErrClosed
	}
}

// startLookup returns the addresses known of a host and its look-up in progress. There is
// at most one at a time.
func (d *dialer) startLookup(name string) (known []net.IPAddr, current *lookup) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hosts[name]
	if h == nil {
		h = new(host)
		d.hosts[name] = h
	}
	if h.current == nil {
		h.current = &lookup{began: time.Now(), done: make(chan struct{})}
		if d.ctx.Err() == nil {
			d.lookups.Go(func() { d.finishLookup(h, name) })
		}
	}
	return h.addrs, h.current
}

func (d *dialer) finishLookup(h *host, name string) {
	ctx, cancel := context.WithTimeout(d.ctx, lookupTimeout)
	defer cancel()
	addrs, err := d.lookUp(ctx, name)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		h.addrs = addrs
	}
	h.current.addrs, h.current.err = addrs, err
	close(h.current.done)
	h.current = nil
}

// attempt is the result of an attempt to connect to one address.
type attempt struct {
	conn net.Conn
	err  error
}

// race connects to the first address that answers. The next one is tried as well when the
// one before has failed or had its head start.
func (d *dialer) race(ctx context.Context, network string, addrs []net.IPAddr, port string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	var attempts sync.WaitGroup
	results := make(chan attempt, len(addrs))
	defer func() {
		cancel()
		attempts.Wait()
		close(results)
		closeAll(results)
	}()
	var errs []error
	for next := addrs; len(errs) < len(addrs); {
		var headStartOver <-chan time.Time
		if len(next) > 0 {
			address := net.JoinHostPort(next[0].String(), port)
			attempts.Go(func() {
				conn, err := d.connect(ctx, network, address)
				results <- attempt{conn, err}
			})
			next, headStartOver = next[1:], time.After(headStart)
		}
		select {
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			errs = append(errs, r.err)
		case <-headStartOver:
		}
	}
	return nil, errs[0]
}

// closeAll closes the connections that lost the race.
func closeAll(results <-chan attempt) {
	for r := range results {
		if r.conn != nil {
			_ = r.conn.Close() // it was not used
		}
	}
}
