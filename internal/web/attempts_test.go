package web

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// tryPassword requests the page with a password, from an address that a space and X-Forwarded-For
// may follow.
func tryPassword(h http.Handler, from, password string) (status int, header http.Header) {
	peer, forwarded, _ := strings.Cut(from, " ")
	w := request(h, "GET", "127.0.0.1:8080", "/", func(r *http.Request) {
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", forwarded)
		if password != "" {
			r.SetBasicAuth("x", password)
		}
	})
	return w.Code, w.Header()
}

func TestGuard_LimitsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const guesser, other = "127.0.0.1:1000 192.0.2.2, 192.0.2.1", "127.0.0.1:1001 192.0.2.1, 192.0.2.2"
		const direct = "192.0.2.1:1000"
		const v6, neighbour = "[2001:db8::1]:1000 192.0.2.2", "[2001:db8::2]:1000 192.0.2.3" // no proxy of ours
		h := guarded(t, GuardOptions{Password: "open sesame", Public: []string{"/healthz"}})
		want := func(status int, from, password string) {
			t.Helper()
			if got, _ := tryPassword(h, from, password); got != status {
				t.Errorf("%q from %s: status %d, want %d", password, from, got, status)
			}
		}
		for range 100 { // a browser's first request has no password
			want(http.StatusUnauthorized, guesser, "")
		}
		for n := range attemptBurst {
			want(http.StatusUnauthorized, guesser, "guess "+strconv.Itoa(n))
			want(http.StatusUnauthorized, v6, "guess "+strconv.Itoa(n))
		}
		// From now on even the right password is rejected, so that guessing reveals nothing.
		want(http.StatusTooManyRequests, guesser, "open sesame")
		want(http.StatusTooManyRequests, direct, "open sesame")
		want(http.StatusTooManyRequests, neighbour, "open sesame")
		if _, header := tryPassword(h, guesser, "guess"); header.Get("Retry-After") != "5" {
			t.Errorf("header %v", header)
		}
		want(http.StatusOK, other, "open sesame")
		for range 100 { // the right password is not limited
			want(http.StatusOK, other, "open sesame")
		}
		if w := request(h, "GET", "127.0.0.1:8080", "/healthz",
			func(r *http.Request) { r.RemoteAddr = direct }); w.Code != http.StatusOK {
			t.Errorf("health: status %d", w.Code)
		}
		time.Sleep(attemptInterval)
		want(http.StatusUnauthorized, guesser, "guess")
		want(http.StatusTooManyRequests, guesser, "open sesame")
		time.Sleep(attemptInterval)
		want(http.StatusOK, guesser, "open sesame")
	})
}

func TestAttempts_Bounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := attempts{failures: map[netip.Prefix]*rate.Limiter{}}
		address := func(n int) netip.Prefix {
			return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 32)
		}
		for n := range 3 * maxAddresses {
			a.recordFailure(address(n))
		}
		if n := len(a.failures); n != maxAddresses {
			t.Errorf("%d addresses are tracked, want %d", n, maxAddresses)
		}
		time.Sleep(attemptBurst * attemptInterval)
		a.recordFailure(address(0))
		if n := len(a.failures); n > 1 && a.failures[address(0)] == nil {
			t.Errorf("%d addresses are tracked, but not the one with a failure", n)
		}
	})
}
