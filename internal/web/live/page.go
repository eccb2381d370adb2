package live

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
)

//go:embed static
var static embed.FS

// Options configure a [Page].
type Options struct {
	Listen   string       // listen address, host:port
	Hosts    []string     // other host names of the page
	Password string       // required of every viewer; "" for none
	Records  Records      // finished games; nil for none
	Metrics  http.Handler // served at /metrics; nil for none

	Slots func() game.Use // reports how the slots are used

	Site    string // URL of the server
	Version string // of this program
	Threads int    // of the search

	Log zerolog.Logger
}

// Page is the live page of a bot, with its health checks. It is safe for concurrent use.
type Page struct {
	opts     Options
	guard    *web.Guard
	hub      *hub    // owns what changes by events
	records  records // owns the finished games
	health   atomic.Pointer[func() error]
	viewers  *web.Viewers
	files    *web.Files
	operator atomic.Pointer[control.Executor] // nil for none
	token    string                           // that commands must have
}

// New returns a page without any state.
func New(o Options) (*Page, error) {
	g, err := web.NewGuard(web.GuardOptions{
		Listen: o.Listen, Hosts: o.Hosts, Password: o.Password, Public: []string{healthPath, readyPath},
		HostHint: "If it is a name of this page, add it to web.hosts.",
	})
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	files, err := web.NewFiles(static, "static")
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	return &Page{
		opts: o, guard: g, hub: newHub(), viewers: web.NewViewers(files, minUpdateInterval, o.Log),
		files: files, records: records{source: o.Records}, token: rand.Text(),
	}, nil
}

// Observe updates the page with an event. It never blocks.
func (p *Page) Observe(e event.Event) { p.hub.observe(e) }

// ObserveRequest updates the page with a request to Lichess. It never blocks.
func (p *Page) ObserveRequest(r lichess.Observation) { p.hub.request(r) }

// Link returns the link for the operator to a page at a URL, see [web.Guard.Link].
func (p *Page) Link(url string) string { return p.guard.Link(url) }

// Serve serves HTTP on a listener, which it closes, until the context ends.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	return web.Serve(ctx, l, p.Handler(), p.opts.Log)
}

// Handler returns all routes, with access control. Only /api/control changes anything.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", web.WithWriteDeadline(p.files.ServeHTTP))
	mux.Handle("GET /static/{name}", web.WithWriteDeadline(p.files.ServeHTTP))
	mux.HandleFunc("GET /api/stream", p.stream)
	mux.Handle("GET /api/records", web.WithWriteDeadline(p.showRecords))
	mux.Handle("GET /api/records/{id}", web.WithWriteDeadline(p.showRecord))
	if p.opts.Password != "" {
		mux.Handle("GET /api/control", web.WithWriteDeadline(p.showControls))
		mux.HandleFunc("POST /api/control", p.command)
	}
	if p.opts.Metrics != nil {
		mux.Handle("GET /metrics", web.WithWriteDeadline(p.opts.Metrics.ServeHTTP))
	}
	mux.Handle("GET "+healthPath, web.WithWriteDeadline(serveCheck(p.checkHealth)))
	mux.Handle("GET "+readyPath, web.WithWriteDeadline(serveCheck(p.checkReady)))
	return p.guard.Wrap(mux)
}

// The paths of the health checks, which need no password.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// SetHealthCheck sets the function behind /healthz, which returns an error while the
// bot is stuck. It may be called while the page is served.
func (p *Page) SetHealthCheck(check func() error) { p.health.Store(&check) }

// checkHealth returns an error if the process hangs, independently of Lichess.
func (p *Page) checkHealth() error {
	if check := p.health.Load(); check != nil {
		return (*check)()
	}
	return nil
}

// checkReady returns an error unless the bot can be challenged.
func (p *Page) checkReady() error {
	if !p.hub.isConnected() {
		return errors.New("the event stream is not open")
	}
	return nil
}

// serveCheck serves the result of a check.
func serveCheck(check func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		text := "ok"
		if err := check(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			text = err.Error()
		}
		fmt.Fprintln(w, text)
	}
}
