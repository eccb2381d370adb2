package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(webtest.Tests{M: m}) }

// newTestPage returns a page, by default of a bot without games.
func newTestPage(t testing.TB, o Options) *Page {
	t.Helper()
	o.Listen = "127.0.0.1:8080"
	if o.Status == nil {
		o.Status = func() bot.Status { return bot.Status{Account: "ZhBot"} }
	}
	if o.Game == nil {
		o.Game = func(string) *event.GameView { return nil }
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recorder is a recorder that accepts deadlines, as a stream needs.
type recorder struct{ *httptest.ResponseRecorder }

func (recorder) SetWriteDeadline(time.Time) error { return nil }

// request passes a request for a path to a page.
func request(p *Page, method, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, nil)
	for _, c := range change {
		c(r)
	}
	w := recorder{httptest.NewRecorder()}
	p.Handler().ServeHTTP(w, r)
	return w.ResponseRecorder
}

// ended ends a request for a stream before it begins, so that it sends only its first events.
func ended(r *http.Request) {
	if r.URL.Path != "/api/stream" {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	cancel()
	*r = *r.WithContext(ctx)
}

// trusted makes a request one of a viewer who has opened the page's link.
func trusted(p *Page) func(*http.Request) {
	opened := request(p, "GET", strings.TrimPrefix(p.Link("http://localhost"), "http://localhost"))
	return func(r *http.Request) { r.AddCookie(opened.Result().Cookies()[0]) }
}

// Every route needs the password but the health checks, the icon and robots.txt. None but that
// of the controls changes anything, and none lets its answer load anything from elsewhere.
func TestPage_Routes(t *testing.T) {
	p := newTestPage(t, Options{Password: password})
	const denied, found, none, unready = http.StatusUnauthorized, http.StatusOK, http.StatusNotFound,
		http.StatusServiceUnavailable
	for path, want := range map[string][2]int{ // without and with the password
		"/": {denied, found}, "/static/app.js": {denied, found}, "/metrics": {denied, found},
		"/api/stream":  {denied, found},
		"/api/records": {denied, found}, "/api/games": {denied, found}, "/api/games/x": {denied, none},
		"/game/x/pgn":           {denied, none},
		"/api/games/x/analysis": {denied, http.StatusForbidden}, "/favicon.ico": {found, found},
		"/robots.txt": {found, found},
		"/healthz":    {found, found}, "/readyz": {unready, unready},
	} {
		authorized := func(r *http.Request) { ended(r); r.SetBasicAuth("x", password) }
		elsewhere := func(r *http.Request) { r.Host = "evil.example" }
		for _, got := range []struct {
			w    *httptest.ResponseRecorder
			want int
		}{
			{request(p, "GET", path, ended), want[0]},
			{request(p, "GET", path, authorized), want[1]},
			{request(p, "GET", path, authorized, elsewhere), http.StatusMisdirectedRequest},
			{request(p, "POST", path, authorized), http.StatusMethodNotAllowed},
			{request(p, "DELETE", path, authorized), http.StatusMethodNotAllowed},
		} {
			header := got.w.Header()
			csp := header.Get("Content-Security-Policy")
			closed := strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self';") &&
				!strings.Contains(csp, "unsafe") && !strings.Contains(csp, "http")
			if got.w.Code != got.want || !closed || header.Get("X-Content-Type-Options") != "nosniff" ||
				header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: status %d, want %d; header %v", path, got.w.Code, got.want, header)
			}
		}
	}
	if _, err := New(Options{Listen: "nonsense", Status: p.opts.Status}); err == nil {
		t.Error("no error for an address without a port")
	}
}

// Liveness is independent of Lichess; readiness means that the event stream is open.
func TestPage_Health(t *testing.T) {
	var s bot.Status
	var hangs error
	p := newTestPage(t, Options{Status: func() bot.Status { return s }})
	for _, tt := range []struct {
		connected   bool
		hangs       error
		alive, able int
	}{
		{false, nil, http.StatusOK, http.StatusServiceUnavailable},
		{true, nil, http.StatusOK, http.StatusOK},
		{true, errors.New("game abc hangs"), http.StatusServiceUnavailable, http.StatusOK},
	} {
		s.Connected, hangs = tt.connected, tt.hangs
		alive, able := request(p, "GET", "/healthz"), request(p, "GET", "/readyz")
		if alive.Code != tt.alive || able.Code != tt.able || hangs != nil && alive.Body.String() != "game abc hangs\n" {
			t.Errorf("%+v: /healthz %d %s, /readyz %d", tt, alive.Code, alive.Body, able.Code)
		}
		p.CheckHealth = func() error { return hangs }
	}
}

// A viewer is sent the state at once and when it has changed, at most once a second. Without a
// viewer, it is not read.
func TestPage_Stream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads, rating atomic.Int64
		p := newTestPage(t, Options{Password: password, Status: func() bot.Status {
			reads.Add(1)
			return bot.Status{Rating: int(rating.Load())}
		}})
		before := reads.Load()
		time.Sleep(time.Hour)
		ctx, leave := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer leave()
		time.AfterFunc(500*time.Millisecond, func() { rating.Store(1900) })
		time.AfterFunc(600*time.Millisecond, func() { rating.Store(2000) })
		events := strings.Split(request(p, "GET", "/api/stream", func(r *http.Request) {
			*r = *r.WithContext(ctx)
			r.SetBasicAuth("", password)
		}).Body.String(), "\n\n")
		if len(events) != 4 || !strings.Contains(events[0], `"state":{`) ||
			!strings.Contains(events[1], `"rating":2000`) || strings.Contains(events[2], "state") {
			t.Errorf("sent %q", events)
		}
		time.Sleep(time.Hour)
		if n := reads.Load() - before; n != 4 {
			t.Errorf("read %d times in 3.5 s", n)
		}
	})
}

// runningView is a game in progress of ours as White, after 1. e4 d5.
func runningView(t *testing.T) *event.GameView {
	return &event.GameView{
		Summary: record.Summary{ID: "running", Status: "started", White: record.Player{Name: "zhbot"}},
		Us:      rules.White, Board: fixture.Game(t, "e2e4", "d7d5"),
		Notes: []record.Note{{Clock: time.Minute, HasClock: true,
			Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 4242}}}, {}},
	}
}

// What would help an opponent leaves the process only for trusted viewers; finished games show
// everything.
func TestPage_Withholds(t *testing.T) {
	running := runningView(t)
	over := *running
	over.ID, over.Status = "over", "resign"
	views := map[string]*event.GameView{"running": running, "over": &over}
	found := &bot.SearchStatus{Centipawns: 4242, Depth: 31, Line: "2. exd5"}
	p := newTestPage(t, Options{
		Status: func() bot.Status {
			return bot.Status{
				Games:   []bot.GameStatus{{ID: "running", Search: found}},
				Ended:   []bot.GameStatus{{ID: "over", Search: found}},
				Records: record.Backlog{Waiting: 1, Reason: "4242 blocks"},
			}
		},
		Game: func(id string) *event.GameView { return views[id] },
	})
	secret := regexp.MustCompile(`[ :"]42\.?42\b`)
	for path, want := range map[string][2]int{ // how often it is shown without and with the link
		"/api/stream": {1, 3}, "/api/games/running": {0, 1}, "/api/games/over": {1, 1}, "/api/records": {0, 0},
		"/game/running/pgn": {0, 0}, "/metrics": {0, 0},
	} {
		open, linked := request(p, "GET", path, ended).Body.String(), request(p, "GET", path, ended, trusted(p)).Body.String()
		if got := [2]int{len(secret.FindAllString(open, -1)), len(secret.FindAllString(linked, -1))}; got != want {
			t.Errorf("%s shows it %d times, want %d:\n%s", path, got, want, open)
		}
	}
	if !running.Notes[0].Eval.Known {
		t.Error("the game itself has lost its scores")
	}
	open := request(p, "GET", "/api/stream", ended).Body.String()
	if !strings.Contains(open, `"withheld":true`) {
		t.Errorf("sent %s", open)
	}
}

// FuzzRequest sends arbitrary requests: none succeeds with an unexpected host name or
// without the password, and none panics.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "127.0.0.1:8080", "/", "", "")
	f.Add("GET", "localhost", "/api/games", "page=9999999999999&search=%00", "Basic Og==")
	f.Add("GET", "[::1]:8080", "/api/games/..%2f..%2fetc", "game=x", "Basic eDpvcGVuIHNlc2FtZQ==")
	p := newTestPage(f, Options{Password: password})
	f.Fuzz(func(t *testing.T, method, host, path, query, authorization string) {
		r := &http.Request{
			Method: method, Host: host, URL: &url.URL{Path: path, RawQuery: query},
			Header: http.Header{"Authorization": {authorization}}, Body: http.NoBody,
		}
		*r = *r.WithContext(t.Context())
		ended(r)
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, r)
		_, given, _ := r.BasicAuth()
		if w.Code == http.StatusOK && given != password && path != healthPath {
			t.Errorf("%s %q of %q answered without the password", method, path, host)
		}
		if known := regexp.MustCompile(`(?i)^(localhost|\[[0-9a-f:.]+\]|[0-9a-f:.]+)(:\d*)?$`); w.Code == http.StatusOK &&
			!known.MatchString(host) {
			t.Errorf("%s %q answered as %q", method, path, host)
		}
		if strings.Contains(fmt.Sprint(w.Header(), w.Body), password) {
			t.Error("the page shows its password")
		}
	})
}
