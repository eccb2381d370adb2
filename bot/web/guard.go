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

// guard decides who sees what.
type guard struct {
	listen   string   // the host that the page listens at; "" for all
	hosts    []string // other names of it, in lower case
	password string
	attempts attempts
}

func newGuard(o *Options) (*guard, error) {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	g := &guard{listen: strings.ToLower(host), password: o.Password, attempts: attempts{wrong: map[netip.Prefix]*rate.Limiter{}}}
	for _, name := range o.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(name))
	}
	return g, nil
}

// policy allows the page its own files and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// wrap lets those requests through that are meant for us and may be answered.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch from := clientOf(r); {
		case !g.knows(r):
			http.Error(w, "This page is not known by that name. If it should be, add the name to web.hosts.", http.StatusMisdirectedRequest)
		case isHealth(r) || g.password == "":
			next.ServeHTTP(w, r)
		case !g.attempts.allowed(from):
			h.Set("Retry-After", strconv.Itoa(int(attemptEvery.Seconds())))
			http.Error(w, "Too many wrong passwords. Wait a little.", http.StatusTooManyRequests)
		case !g.admits(r):
			if r.Header.Get("Authorization") != "" {
				g.attempts.failed(from)
			}
			h.Set("WWW-Authenticate", `Basic realm="zhbot", charset="UTF-8"`)
			http.Error(w, "The password, please; any user name will do.", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isHealth reports whether a request asks no more than whether the bot is well.
func isHealth(r *http.Request) bool { return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" }

// admits reports whether a request carries the password. It takes as long for a
// wrong one, whatever is wrong with it.
func (g *guard) admits(r *http.Request) bool {
	_, given, _ := r.BasicAuth()
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(g.password))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// trusts reports whether a viewer may see what would help the opponent of a
// running game: with the password, or on this machine. A request by another
// name, or one that says it was passed on, came through something that others
// may reach too.
func (g *guard) trusts(r *http.Request) bool {
	return g.password != "" || isLoopback(g.listen) && isLoopback(hostOf(r.Host)) && !passedOn(r)
}

// passedOn reports whether a proxy says that it passed a request on.
func passedOn(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"},
		func(name string) bool { return r.Header.Get(name) != "" })
}

// knows reports whether a request names a host that we are known by. Another
// name is another site's, which a browser was led to believe is here.
func (g *guard) knows(r *http.Request) bool {
	host := hostOf(r.Host)
	return host != "" && (g.isOwn(r, host) || slices.Contains(g.hosts, host) || slices.Contains(g.hosts, strings.ToLower(r.Host)))
}

// isOwn reports whether a host is the address that the page listens at. The port
// may be another one, as through a tunnel: a name can mislead, an address can
// not.
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

// isLocalAddress reports whether a host is the address at which the request
// came in.
func isLocalAddress(r *http.Request, host string) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	ip, notIP := netip.ParseAddr(host)
	return err == nil && notIP == nil && ip.Unmap() == at.Addr().Unmap()
}
