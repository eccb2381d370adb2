package web

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// attempts slows down those who guess the password: after a few wrong ones an
// address must wait between any two, and what it sends before is not looked at.
// Clients behind one proxy share its address.
type attempts struct {
	mu    sync.Mutex
	wrong map[netip.Prefix]*rate.Limiter
}

const (
	freeAttempts = 10              // wrong passwords before an address must wait
	attemptEvery = 5 * time.Second // from then on
	maxAddresses = 1024            // that are remembered
)

// allowed reports whether an address may try a password now.
func (a *attempts) allowed(from netip.Prefix) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.wrong[from]
	return l == nil || l.Tokens() >= 1
}

// failed notes a wrong password.
func (a *attempts) failed(from netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.wrong[from]
	if l == nil {
		a.forget()
		l = rate.NewLimiter(rate.Every(attemptEvery), freeAttempts)
		a.wrong[from] = l
	}
	l.Allow()
}

// forget makes room for another address: those go first that may try as often as
// a new one. The lock is held.
func (a *attempts) forget() {
	if len(a.wrong) < maxAddresses {
		return
	}
	for from, l := range a.wrong {
		if l.Tokens() >= freeAttempts {
			delete(a.wrong, from)
		}
	}
	for from := range a.wrong {
		if len(a.wrong) < maxAddresses {
			return
		}
		delete(a.wrong, from)
	}
}

// clientOf returns where a request comes from: an IPv4 address, or the network
// of an IPv6 one, all of which is one customer's.
func clientOf(r *http.Request) netip.Prefix {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	client, _ := ip.Prefix(bits) // bits fit the address
	return client
}
