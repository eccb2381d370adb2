package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/time/rate"
)

// GuardOptions configure a [Guard].
type GuardOptions struct {
	Listen   string   // listen address, host:port
	Hosts    []string // other host names of the page
	Password string   // required of every viewer; "" for none
	Public   []string // paths that need no password
	HostHint string   // what to do about an unexpected host name
}

// Guard controls access to a page. It is safe for concurrent use.
type Guard struct {
	opts     GuardOptions
	listen   string // host of the listen address, in lower case; "" for all addresses
	key      string // of the link
	cookie   string // name of the cookie with the key, by port: all ports of a host share cookies
	attempts attempts
}

// newGuard returns a guard, or an error for a listen address without a port.
func newGuard(o GuardOptions) (*Guard, error) {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	return &Guard{
		opts: o, listen: strings.ToLower(host), key: rand.Text(), cookie: "zhbot-" + port,
		attempts: attempts{failures: map[netip.Prefix]*rate.Limiter{}},
	}, nil
}

// contentSecurityPolicy lets the page load its own files and nothing else.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// wrap rejects requests for other hosts, those without the password, and a GET or HEAD
// with a body. It also serves the link.
func (g *Guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch from := clientNetwork(r); {
		case (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.ContentLength != 0:
			h.Set("Connection", "close") // or the server would wait for the body, which may never come
			http.Error(w, "A request for a page has no body.", http.StatusBadRequest)
		case !g.isExpectedHost(r):
			http.Error(w, "Unexpected host name. "+g.opts.HostHint, http.StatusMisdirectedRequest)
		case g.isLink(r):
			g.openLink(w, r)
		case g.opts.Password == "" || slices.Contains(g.opts.Public, r.URL.Path):
			next.ServeHTTP(w, r)
		case !g.attempts.allow(from):
			h.Set("Retry-After", strconv.Itoa(int(attemptInterval.Seconds())))
			http.Error(w, "Too many wrong passwords. Try again later.", http.StatusTooManyRequests)
		case !g.hasPassword(r):
			if r.Header.Get("Authorization") != "" {
				g.attempts.recordFailure(from)
			}
			h.Set("WWW-Authenticate", `Basic realm="zhbot", charset="UTF-8"`)
			http.Error(w, "Password required; any user name is accepted.", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hasPassword reports whether a request has the right password.
func (g *Guard) hasPassword(r *http.Request) bool {
	_, given, _ := r.BasicAuth()
	return IsSecret(given, g.opts.Password)
}

// IsSecret reports whether a given text is a secret, in constant time.
func IsSecret(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// isExpectedHost reports whether the Host of a request is a name of this page. Any
// other name may belong to a web site that resolves to our address (DNS rebinding).
func (g *Guard) isExpectedHost(r *http.Request) bool {
	host := hostOf(r.Host)
	return host != "" && (g.isOwn(r, host) || slices.ContainsFunc(g.opts.Hosts, func(name string) bool {
		return strings.EqualFold(name, host) || strings.EqualFold(name, r.Host)
	}))
}

// isOwn reports whether a host is the address that the page listens at. The port may
// differ, as through a tunnel.
func (g *Guard) isOwn(r *http.Request, host string) bool {
	switch {
	case isLoopback(g.listen):
		return isLoopback(host)
	case isWildcard(g.listen) && isLoopback(host):
		return true
	}
	return host == g.listen || isLocalAddress(r, host)
}

// hostOf returns the host of a Host header without its port, in lower case.
func hostOf(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.ToLower(host)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func isWildcard(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

// isLocalAddress reports whether a host is the address at which the request was
// received.
func isLocalAddress(r *http.Request, host string) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	ip, notIP := netip.ParseAddr(host)
	return err == nil && notIP == nil && ip.Unmap() == at.Addr().Unmap()
}
