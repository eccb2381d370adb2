package web

import (
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

// guard controls access to the page.
type guard struct {
	listen   string   // host of the listen address; "" for all addresses
	hosts    []string // other names of the page, in lower case
	password string
	attempts attempts
}

func newGuard(o *Options) (*guard, error) {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	g := &guard{listen: strings.ToLower(host), password: o.Password, attempts: attempts{failures: map[netip.Prefix]*rate.Limiter{}}}
	for _, name := range o.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(name))
	}
	return g, nil
}

// contentSecurityPolicy lets the page load its own files and nothing else.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// wrap rejects requests for other hosts, and those without the password.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch from := clientNetwork(r); {
		case !g.isExpectedHost(r):
			http.Error(w, "Unexpected host name. If it is a name of this page, add it to web.hosts.", http.StatusMisdirectedRequest)
		case isHealth(r) || g.password == "":
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

// isHealth reports whether a request is a health check, which needs no password.
func isHealth(r *http.Request) bool { return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" }

// hasPassword reports whether a request has the right password, in constant time.
func (g *guard) hasPassword(r *http.Request) bool {
	_, given, _ := r.BasicAuth()
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(g.password))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// mayShowAnalysis reports whether a viewer may see the analysis of games in progress,
// which would help the opponent: with the password, or on this machine. A request with
// another host name or through a proxy may come from elsewhere.
func (g *guard) mayShowAnalysis(r *http.Request) bool {
	return g.password != "" || isLoopback(g.listen) && isLoopback(hostOf(r.Host)) && !isProxied(r)
}

// isProxied reports whether a request has a header that proxies add.
func isProxied(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"},
		func(name string) bool { return r.Header.Get(name) != "" })
}

// isExpectedHost reports whether the Host of a request is a name of this page. Any
// other name may belong to a web site that resolves to our address (DNS rebinding).
func (g *guard) isExpectedHost(r *http.Request) bool {
	host := hostOf(r.Host)
	return host != "" && (g.isOwn(r, host) || slices.Contains(g.hosts, host) || slices.Contains(g.hosts, strings.ToLower(r.Host)))
}

// isOwn reports whether a host is the address that the page listens at. The port may
// differ, as through a tunnel.
func (g *guard) isOwn(r *http.Request, host string) bool {
	switch {
	case isLoopback(g.listen):
		return isLoopback(host)
	case isWildcard(g.listen):
		return isLoopback(host) || isLocalAddress(r, host)
	}
	return host == g.listen
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
