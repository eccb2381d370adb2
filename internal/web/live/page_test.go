package live

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
)

func newTestPage(t *testing.T, o Options) *Page {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8080"
	}
	if o.Slots == nil {
		o.Slots = func() game.Use { return game.Use{} }
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
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

// Every route needs the password but the health checks, the icon and robots.txt.
func TestPage_Password(t *testing.T) {
	h := newTestPage(t, Options{Password: "open sesame"}).Handler()
	right := func(r *http.Request) { r.SetBasicAuth("x", "open sesame") }
	for path, want := range map[string]int{
		"/": http.StatusOK, "/static/app.js": http.StatusOK, "/api/records": http.StatusOK, "/metrics": http.StatusOK, "/api/records/x": http.StatusNotFound,
	} {
		if status := request(h, "GET", "127.0.0.1:8080", path).Code; status != http.StatusUnauthorized {
			t.Errorf("%s without the password: status %d", path, status)
		}
		if status := request(h, "GET", "127.0.0.1:8080", path, right).Code; status != want {
			t.Errorf("%s with the password: status %d, want %d", path, status, want)
		}
		if status := request(h, "GET", "evil.example", path, right).Code; status != http.StatusMisdirectedRequest {
			t.Errorf("%s of another host: status %d", path, status)
		}
	}
	for path, want := range map[string]int{
		"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/favicon.ico": http.StatusOK, "/robots.txt": http.StatusOK, "/api/stream": http.StatusUnauthorized,
	} {
		if status := request(h, "GET", "127.0.0.1:8080", path).Code; status != want {
			t.Errorf("%s without the password: status %d, want %d", path, status, want)
		}
	}
}

func TestPage_OnlyReads(t *testing.T) {
	h := newTestPage(t, Options{}).Handler()
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
		for _, path := range []string{"/", "/api/stream", "/api/records", "/api/records/x", "/metrics", "/healthz", "/readyz", "/static/app.js"} {
			if status := request(h, method, "127.0.0.1:8080", path).Code; status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: status %d", method, path, status)
			}
		}
	}
}

func TestPage_Headers(t *testing.T) {
	h := newTestPage(t, Options{}).Handler()
	for _, path := range []string{"/", "/static/app.js", "/api/records", "/none", "/metrics"} {
		header := request(h, "GET", "127.0.0.1:8080", path).Header()
		csp := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: header %v", path, header)
		}
	}
}

// serveTest serves a page until the test ends and returns its address.
func serveTest(t *testing.T, p *Page) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Health checks and viewers work however many other connections are open: silent,
// halfway through a request or idle after one.
func TestPage_HealthAmongIdleClients(t *testing.T) {
	address := serveTest(t, newTestPage(t, Options{}))
	viewer := openStream(t, "http://"+address)
	viewer.next()
	for i := range 500 {
		conn := dial(t, address)
		switch i % 3 {
		case 1:
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: ")
		case 2:
			_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: "+address+"\r\n\r\n")
		}
	}
	start := time.Now()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 4 * time.Second} // less than clients have for their headers
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("health after %s: %v", time.Since(start), err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
	viewer.next() // fails the test if the stream has ended
}

// Liveness is independent of Lichess; readiness means that the bot can be challenged.
func TestPage_Health(t *testing.T) {
	p := newTestPage(t, Options{})
	var hangs error
	p.CheckHealth = func() error { return hangs }
	for _, tt := range []struct {
		name        string
		event       event.Event
		hangs       error
		alive, able int
	}{
		{"before Lichess answers", event.StreamLost{}, nil, http.StatusOK, http.StatusServiceUnavailable},
		{"only a game's stream is open", event.StreamOpened{Game: "abc"}, nil, http.StatusOK, http.StatusServiceUnavailable},
		{"connected", event.StreamOpened{}, nil, http.StatusOK, http.StatusOK},
		{"hanging", event.StreamOpened{}, errors.New("game abc hangs"), http.StatusServiceUnavailable, http.StatusOK},
		{"connection lost", event.StreamLost{}, nil, http.StatusOK, http.StatusServiceUnavailable},
	} {
		p.Observe(tt.event)
		hangs = tt.hangs
		alive, able := request(p.Handler(), "GET", "localhost", "/healthz"), request(p.Handler(), "GET", "localhost", "/readyz")
		if alive.Code != tt.alive || able.Code != tt.able {
			t.Errorf("%s: /healthz %d, /readyz %d", tt.name, alive.Code, able.Code)
		}
		if tt.hangs != nil && !strings.Contains(alive.Body.String(), tt.hangs.Error()) {
			t.Errorf("%s: %s", tt.name, alive.Body)
		}
	}
}

// Serve ends with its context, also while a viewer is connected, and can be called
// again.
func TestPage_Serve(t *testing.T) {
	p := newTestPage(t, Options{Log: zerolog.Nop()})
	for range 2 {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Serve(ctx, l) }()
		v := openStream(t, "http://"+l.Addr().String())
		v.next()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("served until the end with %v", err)
		}
	}
}

func TestPage_ServeFails(t *testing.T) {
	p := newTestPage(t, Options{})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := p.Serve(t.Context(), l); err == nil {
		t.Error("served on a closed listener")
	}
}

func TestNew_BadAddress(t *testing.T) {
	if _, err := New(Options{Listen: "nonsense"}); err == nil {
		t.Error("no error for an address without a port")
	}
}

// FuzzRequest sends arbitrary requests: none succeeds with an unexpected host name or
// without the password, and none panics.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "127.0.0.1:8080", "/", "", "")
	f.Add("GET", "localhost", "/api/records", "from=9999999999999&limit=-1&opponent=%00", "Basic Og==")
	f.Add("GET", "[::1]:8080", "/api/records/..%2f..%2fetc", "game=x", "Basic eDpzZXNhbWU=")
	f.Add("GET", "evil.example", "/api/stream", "last=x", "")
	f.Add("POST", "127.0.0.1:8080", "/static/../page.go", "", "Basic eDpzZXNhbWU=")
	p, err := New(Options{Listen: "127.0.0.1:8080", Password: "sesame", Slots: func() game.Use { return game.Use{} }})
	if err != nil {
		f.Fatal(err)
	}
	h := p.Handler()
	f.Fuzz(func(t *testing.T, method, host, path, query, authorization string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // so that a stream ends
		r := (&http.Request{
			Method: method, Host: host, URL: &url.URL{Path: path, RawQuery: query},
			Header: http.Header{"Authorization": {authorization}}, Body: http.NoBody,
		}).WithContext(ctx)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		_, given, _ := r.BasicAuth()
		if w.Code == http.StatusOK && given != "sesame" && path != healthPath {
			t.Errorf("%s %q of %q answered without the password", method, path, host)
		}
		name := strings.ToLower(strings.Trim(host, "[]"))
		if h, _, err := net.SplitHostPort(host); err == nil {
			name = strings.ToLower(h)
		}
		if ip := net.ParseIP(name); w.Code == http.StatusOK && name != "localhost" && (ip == nil || !ip.IsLoopback()) {
			t.Errorf("%s %q answered as %q", method, path, host)
		}
		if strings.Contains(w.Body.String(), "sesame") {
			t.Error("the page shows its password")
		}
	})
}
