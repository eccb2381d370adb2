package lichess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipeTo connects to any address.
func pipeTo(context.Context, string, string) (net.Conn, error) {
	client, _ := net.Pipe()
	return client, nil
}

// fakeLookups are look-ups that succeed after a while, or fail.
type fakeLookups struct {
	mu    sync.Mutex
	delay time.Duration
	addrs []net.IPAddr // nil to fail
	count int
}

var errNoAnswer = errors.New("no name server answers")

func (f *fakeLookups) lookUp(ctx context.Context, _ string) ([]net.IPAddr, error) {
	f.mu.Lock()
	f.count++
	delay, addrs := f.delay, f.addrs
	f.mu.Unlock()
	if err := Sleep(ctx, delay); err != nil {
		return nil, err
	}
	if addrs == nil {
		return nil, errNoAnswer
	}
	return addrs, nil
}

// set sets the result of look-ups from now on.
func (f *fakeLookups) set(delay time.Duration, addrs []net.IPAddr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delay, f.addrs = delay, addrs
}

// ipAddrs returns addresses separated by spaces.
func ipAddrs(texts string) (addrs []net.IPAddr) {
	for _, text := range strings.Fields(texts) {
		addrs = append(addrs, net.IPAddr{IP: net.ParseIP(text)})
	}
	return addrs
}

// A host that has moved is found at its new address, even while looking it up is slow; there
// is one look-up at a time, and one known to be slow is not waited for again. Without name
// servers the last address is kept.
func TestDialer_FollowsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookups := new(fakeLookups)
		var dialled string
		d := newDialer(lookups.lookUp, func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = address
			return pipeTo(t.Context(), "", "")
		})
		defer d.close()
		for _, step := range []struct {
			name    string
			sleep   time.Duration // before the connection
			delay   time.Duration // of a look-up that begins now
			addr    string        // found by it, "" for none
			want    string
			took    time.Duration
			lookups int
		}{
			{"first", 0, 4 * time.Second, "192.0.2.1", "192.0.2.1:443", 4 * time.Second, 1},
			{"moved, in time", 0, lookupPatience / 2, "192.0.2.2", "192.0.2.2:443", lookupPatience / 2, 2},
			{"moved, too slow", 0, 4 * time.Second, "2001:db8::3", "192.0.2.2:443", lookupPatience, 3},
			{"while that is looked up", 0, 0, "", "192.0.2.2:443", 0, 3},
			{"after that, failed", 4 * time.Second, 0, "", "[2001:db8::3]:443", 0, 4},
			{"no name server answers", 0, time.Hour, "", "[2001:db8::3]:443", lookupPatience, 5},
			{"nor later", 2 * lookupTimeout, time.Hour, "", "[2001:db8::3]:443", lookupPatience, 6},
		} {
			lookups.set(step.delay, ipAddrs(step.addr))
			time.Sleep(step.sleep)
			began := time.Now()
			_, err := d.withPatience(lookupPatience)(t.Context(), "tcp", "lichess.test:443")
			took := time.Since(began)
			synctest.Wait()
			if err != nil || dialled != step.want || took != step.took || lookups.count != step.lookups {
				t.Errorf("%s: %v, dialled %s after %s and %d look-ups, want %s after %s and %d",
					step.name, err, dialled, took, lookups.count, step.want, step.took, step.lookups)
			}
		}
		time.Sleep(2 * lookupTimeout)
		began := time.Now()
		if _, err := d.withPatience(0)(t.Context(), "tcp", "lichess.test:443"); err != nil || time.Since(began) != 0 {
			t.Errorf("without patience: %v after %s", err, time.Since(began))
		}
	})
}

// The certificate must be the host's, at whatever address it is.
func TestDialer_ServerName(t *testing.T) {
	server := httptest.NewTLSServer(respond(http.StatusOK, `{"username":"zhBot"}`))
	defer server.Close()
	address := server.Listener.Addr().(*net.TCPAddr)
	lookups := &fakeLookups{addrs: []net.IPAddr{{IP: address.IP}}}
	for host, want := range map[string]bool{"example.com": true, "lichess.test": false} {
		o := testOptions(t, fmt.Sprintf("https://%s:%d", host, address.Port), noRetry)
		o.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		c, err := newClient(o, newDialer(lookups.lookUp, new(net.Dialer).DialContext))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Account(t.Context()); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
		c.Close()
	}
}

func TestDialer_NothingKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookups := new(fakeLookups)
		d := newDialer(lookups.lookUp, pipeTo)
		dial := d.withPatience(0)
		if _, err := dial(t.Context(), "tcp", "lichess.test:443"); !errors.Is(err, errNoAnswer) {
			t.Errorf("got %v, want %v", err, errNoAnswer)
		}
		lookups.set(time.Hour, nil)
		began := time.Now()
		if _, err := dial(t.Context(), "tcp", "lichess.test:443"); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) != lookupTimeout {
			t.Errorf("got %v after %s, want a timeout after %s", err, time.Since(began), lookupTimeout)
		}
		time.AfterFunc(time.Second, d.close)
		if _, err := dial(t.Context(), "tcp", "lichess.test:443"); err == nil {
			t.Error("connected by a closed dialer")
		}
	})
}

// closeCounter counts how often connections are closed.
type closeCounter struct {
	net.Conn
	closed *int
}

func (c closeCounter) Close() error {
	*c.closed++
	return c.Conn.Close()
}

// Of two connections at the same time, one is closed.
func TestDialer_Race(t *testing.T) {
	const blackHole, refused, answers, slow = "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"
	for _, tt := range []struct {
		name, addrs string
		conns       int32 // 0 for an error
		after       time.Duration
	}{
		{"at once", answers + " " + refused, 1, 0},
		{"after a black hole", blackHole + " " + answers, 1, headStart},
		{"after a refusal", refused + " " + answers, 1, 0},
		{"after both", refused + " " + blackHole + " " + answers, 1, headStart},
		{"two at once", slow + " " + slow, 2, headStart + time.Second},
		{"refused", refused + " " + refused, 0, 0},
		{"no answer", blackHole + " " + refused, 0, connectTimeout},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			var opened atomic.Int32
			closed := 0
			d := newDialer(nil, func(ctx context.Context, _, address string) (net.Conn, error) {
				switch host, _, _ := net.SplitHostPort(address); host {
				case blackHole:
					<-ctx.Done()
					return nil, ctx.Err()
				case refused:
					return nil, errors.New("connection refused")
				case slow: // whether or not it is still wanted
					time.Sleep(time.Second)
				}
				opened.Add(1)
				conn, _ := net.Pipe()
				return closeCounter{conn, &closed}, nil
			})
			began := time.Now()
			conn, err := d.race(t.Context(), "tcp", ipAddrs(tt.addrs), "443")
			lost := int(max(0, tt.conns-1))
			if took := time.Since(began); (err == nil) != (tt.conns > 0) || (conn == nil) != (err != nil) ||
				opened.Load() != tt.conns || closed != lost || took != tt.after {
				t.Errorf("%v, %d connections, %d closed, after %s, want %d, %d and %s",
					err, opened.Load(), closed, took, tt.conns, lost, tt.after)
			}
		})
	}
}
