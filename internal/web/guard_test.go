package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// guarded returns a guarded handler that accepts every request.
func guarded(t *testing.T, o GuardOptions) http.Handler {
	t.Helper()
	return newTestGuard(t, o).wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}

func newTestGuard(t *testing.T, o GuardOptions) *Guard {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8080"
	}
	g, err := newGuard(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// request passes a request to a handler.
func request(h http.Handler, method, host, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://"+host+path, nil)
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestGuard_Hosts(t *testing.T) {
	received := net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 8080} // where requests are
	for _, tt := range []struct {
		listen string
		hosts  []string
		host   string
		known  bool
	}{
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", true},
		{"127.0.0.1:8080", nil, "localhost:8080", true},
		{"127.0.0.1:8080", nil, "LOCALHOST:9999", true}, // through a tunnel
		{"127.0.0.1:8080", nil, "[::1]:8080", true},
		{"127.0.0.1:8080", nil, "evil.example", false},
		{"127.0.0.1:8080", nil, "127.0.0.1.evil.example:8080", false},
		{"127.0.0.1:8080", nil, "localhost.evil.example:8080", false},
		{"127.0.0.1:8080", nil, "10.0.0.7:8080", false},
		{"127.0.0.1:8080", []string{"Bot.example.org"}, "bot.EXAMPLE.org", true},
		{"127.0.0.1:8080", []string{"bot.example.org"}, "bot.example.org:8443", true},
		{"127.0.0.1:8080", []string{"bot.example.org:8443"}, "bot.example.org:8443", true},
		{"127.0.0.1:8080", []string{"bot.example.org:8443"}, "bot.example.org", false},
		{"127.0.0.1:8080", []string{"bot.example.org"}, "sub.bot.example.org", false},
		{"10.0.0.7:8080", nil, "10.0.0.7:8080", true},
		{"10.0.0.7:8080", nil, "10.0.0.8:8080", false},
		{"10.0.0.7:8080", nil, "localhost:8080", false},
		{"bot.lan:8080", nil, "bot.lan:8080", true},
		{"bot.lan:8080", nil, "10.0.0.9:8080", true}, // as the link has it
		{"bot.lan:8080", nil, "10.0.0.8:8080", false},
		{":8080", nil, "localhost:8080", true},
		{"0.0.0.0:8080", nil, "127.0.0.1:8080", true},
		{"[::]:8080", nil, "evil.example:8080", false},
		{":8080", nil, "10.0.0.9:8080", true},
		{":8080", nil, "[::ffff:10.0.0.9]:80", true},
		{":8080", nil, "10.0.0.7:8080", false},
	} {
		t.Run(tt.listen+" as "+tt.host, func(t *testing.T) {
			h := guarded(t, GuardOptions{Listen: tt.listen, Hosts: tt.hosts})
			status := request(h, "GET", "placeholder", "/", func(r *http.Request) {
				r.Host = tt.host
				*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &received))
			}).Code
			if want := map[bool]int{
				true: http.StatusOK, false: http.StatusMisdirectedRequest,
			}[tt.known]; status != want {
				t.Errorf("status %d, want %d", status, want)
			}
		})
	}
}

func TestGuard_Password(t *testing.T) {
	h := guarded(t, GuardOptions{Password: "open sesame", Public: []string{"/healthz"}})
	for _, tt := range []struct {
		name string
		with func(*http.Request)
		path string
		want int
	}{
		{"none", func(*http.Request) {}, "/", http.StatusUnauthorized},
		{"wrong", func(r *http.Request) { r.SetBasicAuth("x", "open sesam") }, "/", http.StatusUnauthorized},
		{"empty", func(r *http.Request) { r.SetBasicAuth("x", "") }, "/api/records", http.StatusUnauthorized},
		{"metrics without", func(*http.Request) {}, "/metrics", http.StatusUnauthorized},
		{"stream without", func(*http.Request) {}, "/api/stream", http.StatusUnauthorized},
		{"garbage", func(r *http.Request) { r.Header.Set("Authorization", "Basic ???") }, "/", http.StatusUnauthorized},
		{"right", func(r *http.Request) { r.SetBasicAuth("x", "open sesame") }, "/", http.StatusOK},
		{"right, no user", func(r *http.Request) { r.SetBasicAuth("", "open sesame") }, "/metrics", http.StatusOK},
		{"health needs none", func(*http.Request) {}, "/healthz", http.StatusOK},
		{"wrong host first", func(r *http.Request) { r.Host = "evil.example" }, "/", http.StatusMisdirectedRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := request(h, "GET", "127.0.0.1:8080", tt.path, tt.with)
			if w.Code != tt.want || (w.Code == http.StatusUnauthorized) != (w.Header().Get("WWW-Authenticate") != "") {
				t.Errorf("status %d, want %d; header %v", w.Code, tt.want, w.Header())
			}
		})
	}
}
