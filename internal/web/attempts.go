package web

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// attempts limits the rate of password attempts: after a burst of wrong passwords an
// address must wait between any two, and passwords sent earlier are not checked.
// The clients of a proxy on another machine share its limit.
type attempts struct {
	mu       sync.Mutex // for failures
	failures map[netip.Prefix]*rate.Limiter
}

const (
	attemptBurst    = 10              // wrong passwords before an address must wait
	attemptInterval = 5 * time.Second // from then on
	maxAddresses    = 1024            // tracked at once
)

// allow reports whether the password of a request from an address may be checked now.
func (a *attempts) allow(from netip.Prefix) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.failures[from]
	return l == nil || l.Tokens() >= 1
}

// recordFailure counts a wrong password.
func (a *attempts) recordFailure(from netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.failures[from]
	if l == nil {
		if len(a.failures) >= maxAddresses { // so many are no person's mistakes
			clear(a.failures)
		}
		l = rate.NewLimiter(rate.Every(attemptInterval), attemptBurst)
		a.failures[from] = l
	}
	l.Allow()
}

// clientNetwork returns the network that a request comes from: an IPv4 address, or the
// /64 of an IPv6 address, which usually belongs to one client. Behind a proxy on this machine
// it is the last address of X-Forwarded-For, since only that one is the proxy's word.
func clientNetwork(r *http.Request) netip.Prefix {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	ip := at.Addr()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if last, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1])); err == nil && ip.IsLoopback() {
		ip = last
	}
	ip = ip.Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	client, _ := ip.Prefix(bits) // cannot fail: bits fit the address
	return client
}
