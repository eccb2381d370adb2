package lichess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServers are the name servers of a resolver. Those that are asked first never answer.
type nameServers struct {
	mu    sync.Mutex
	asked map[dnsmessage.Type]int
	down  bool // none answers
}

// resolver returns Go's own resolver, whose name servers these are.
func (n *nameServers) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.answer(server)
		return packetConn{client}, nil
	}}
}

// answer answers one query, or leaves it unanswered.
func (n *nameServers) answer(conn net.Conn) {
	query := make([]byte, 512)
	size, err := conn.Read(query)
	var m dnsmessage.Message
	if err != nil || m.Unpack(query[:size]) != nil {
		return
	}
	q := m.Questions[0]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked[q.Type]++; n.down || n.asked[q.Type]%2 == 1 {
		return
	}
	m.Response, m.Additionals = true, nil
	if q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.AResource{A: [4]byte{192, 0, 2, 1}},
		}}
	}
	response, _ := m.Pack()
	_, _ = conn.Write(response)
}

func (n *nameServers) setDown() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = true
}

// packetConn makes a resolver send datagrams on a pipe.
type packetConn struct{ net.Conn }

func (c packetConn) ReadFrom(p []byte) (int, net.Addr, error) {
	n, err := c.Read(p)
	return n, nil, err
}

func (c packetConn) WriteTo(p []byte, _ net.Addr) (int, error) { return c.Write(p) }

// pipeTo connects to any address.
func pipeTo(context.Context, string, string) (net.Conn, error) {
	client, _ := net.Pipe()
	return client, nil
}

// The first name server never answers, at last none does.
func TestDialer_DeadNameServers(t *testing.T) {
	readResolvConf(t)
	synctest.Test(t, func(t *testing.T) {
		servers := &nameServers{asked: map[dnsmessage.Type]int{}}
		d := newDialer(servers.resolver().LookupIPAddr, pipeTo)
		defer time.Sleep(lookupTimeout) // Go's resolver notices only its own timeouts
		defer d.close()
		dialWithin := func(patience, want time.Duration) time.Duration {
			t.Helper()
			began := time.Now()
			if _, err := d.withPatience(patience)(t.Context(), "tcp", "lichess.test.:443"); err != nil || time.Since(began) > want {
				t.Errorf("%v after %s, want within %s", err, time.Since(began), want)
			}
			return time.Since(began)
		}
		if took := dialWithin(lookupPatience, lookupTimeout); took == 0 {
			t.Error("the first name server answered")
		}
		dialWithin(lookupPatience, lookupPatience)
		servers.setDown()
		for range 3 {
			time.Sleep(2 * lookupTimeout) // the look-up fails
			dialWithin(lookupPatience, lookupPatience)
			dialWithin(lookupPatience, 0) // the look-up is known to be slow
			time.Sleep(2 * lookupTimeout)
			dialWithin(0, 0)
		}
	})
}

// readResolvConf makes the package net read the machine's settings. It must not do so in a
// bubble, since what it keeps would belong to that.
func readResolvConf(t *testing.T) {
	t.Helper()
	if _, err := (&net.Resolver{PreferGo: true}).LookupHost(t.Context(), "localhost"); err != nil {
		t.Log(err)
	}
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

func ipAddrs(texts ...string) (addrs []net.IPAddr) {
	for _, text := range texts {
		addrs = append(addrs, net.IPAddr{IP: net.ParseIP(text)})
	}
	return addrs
}

// A host that has moved is found at its new address, even while looking it up is slow; and
// there is one look-up at a time.
func TestDialer_FollowsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookups := &fakeLookups{addrs: ipAddrs("192.0.2.1")}
		var dialled string
		d := newDialer(lookups.lookUp, func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = address
			return pipeTo(t.Context(), "", "")
		})
		defer d.close()
		for _, step := range []struct {
			name    string
			delay   time.Duration
			addrs   []net.IPAddr
			sleep   time.Duration // before the connection
			want    string
			lookups int
		}{
			{"first", 4 * time.Second, ipAddrs("192.0.2.1"), 0, "192.0.2.1:443", 1},
			{"moved, in time", lookupPatience / 2, ipAddrs("192.0.2.2"), 0, "192.0.2.2:443", 2},
			{"moved, too slow", 4 * time.Second, ipAddrs("2001:db8::3"), 0, "192.0.2.2:443", 3},
			{"while that is looked up", 0, nil, 0, "192.0.2.2:443", 3},
			{"after that, failed", 0, nil, 4 * time.Second, "[2001:db8::3]:443", 4},
		} {
			lookups.set(step.delay, step.addrs)
			time.Sleep(step.sleep)
			_, err := d.withPatience(lookupPatience)(t.Context(), "tcp", "lichess.test:443")
			synctest.Wait()
			if err != nil || dialled != step.want || lookups.count != step.lookups {
				t.Errorf("%s: %v, dialled %s after %d look-ups, want %s after %d", step.name, err, dialled, lookups.count, step.want, step.lookups)
			}
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
		if _, err := dial(t.Context(), "tcp", "lichess.test:443"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != lookupTimeout {
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

func TestDialer_Race(t *testing.T) {
	const blackHole, refused, answers = "192.0.2.1", "192.0.2.2", "192.0.2.3"
	errRefused := errors.New("connection refused")
	for _, tt := range []struct {
		name  string
		addrs []string
		want  string // "" for an error
		after time.Duration
	}{
		{"at once", []string{answers, refused}, answers, 0},
		{"after a black hole", []string{blackHole, answers}, answers, headStart},
		{"after a refusal", []string{refused, answers}, answers, 0},
		{"after both", []string{refused, blackHole, answers}, answers, headStart},
		{"refused", []string{refused, refused}, "", 0},
		{"no answer", []string{blackHole, refused}, "", connectTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDialer(nil, func(ctx context.Context, _, address string) (net.Conn, error) {
					switch host, _, _ := net.SplitHostPort(address); host {
					case blackHole:
						<-ctx.Done()
						return nil, ctx.Err()
					case refused:
						return nil, errRefused
					}
					return pipeTo(ctx, "", "")
				})
				began := time.Now()
				conn, err := d.race(t.Context(), "tcp", ipAddrs(tt.addrs...), "443")
				if (err == nil) != (tt.want != "") || (conn != nil) != (tt.want != "") || time.Since(began) != tt.after {
					t.Errorf("%v after %s, want %q after %s", err, time.Since(began), tt.want, tt.after)
				}
			})
		})
	}
}

// Of two connections at the same time, one is closed.
func TestDialer_RaceClosesTheLoser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := 0
		d := newDialer(nil, func(_ context.Context, _, address string) (net.Conn, error) {
			if address == "192.0.2.1:443" {
				time.Sleep(headStart + time.Second)
			} else {
				time.Sleep(time.Second)
			}
			conn, _ := net.Pipe()
			return closeCounter{conn, &closed}, nil
		})
		if conn, err := d.race(t.Context(), "tcp", ipAddrs("192.0.2.1", "192.0.2.2"), "443"); err != nil || conn == nil || closed != 1 {
			t.Errorf("%v, %d connections closed", err, closed)
		}
	})
}
