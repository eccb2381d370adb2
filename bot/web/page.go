package web

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/bot/web/access"
	"github.com/zhbot/zhbot/lichess"
)

// Options configure a [Page].
type Options struct {
	Listen   string       // listen address, host:port
	Hosts    []string     // other host names of the page
	Password string       // required of every viewer; "" for none
	Records  Records      // finished games; nil for none
	Metrics  http.Handler // served at /metrics; nil for none

	Slots func() slots.Use // reports how the slots are used

	Site    string // URL of the server
	Version string // of this program
	Threads int    // of the search

	Log zerolog.Logger
}

// Page is the live page of a bot, with its health. It is safe for
// concurrent use.
type Page struct {
	opts          Options
	guard         *access.Guard
	hub           *hub    // owns what changes by events
	records       records // owns the finished games
	health        atomic.Pointer[func() error]
	viewerSlots   chan struct{} // semaphore for open streams
	assetsVersion string        // hash of the page's files
	assets        map[string]asset
}

// New returns a page without any state.
func New(o Options) (*Page, error) {
	g, err := access.New(access.Options{Listen: o.Listen, Hosts: o.Hosts, Password: o.Password, Public: []string{healthPath, readyPath}})
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	assets, version, err := loadAssets()
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	return &Page{
		opts: o, guard: g, hub: newHub(), viewerSlots: make(chan struct{}, maxViewers),
		assets: assets, assetsVersion: version, records: records{source: o.Records},
	}, nil
}

// Observe updates the page by an event. It never blocks.
func (p *Page) Observe(e event.Event) { p.hub.observe(e) }

// ObserveRequest updates the page by a request to Lichess. It never blocks.
func (p *Page) ObserveRequest(r lichess.Observation) { p.hub.request(r) }

// Limits on clients.
const (
	maxConnections  = 128
	maxHeaderBytes  = 16 << 10
	headerTimeout   = 5 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = time.Second // for requests in progress
)

// Serve serves HTTP on a listener, which it closes, until the context ends.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler:           p.Handler(),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          stdlog.New(debugLog{p.opts.Log}, "", 0),
	}
	access.LimitConnections(server, maxConnections)
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(closed)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if server.Shutdown(last) != nil { // requests are still in progress
			_ = server.Close()
		}
	})
	err := server.Serve(l)
	stop() // if it has failed
	<-closed
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

// debugLog logs errors of the HTTP server, which are about clients.
type debugLog struct{ log zerolog.Logger }

func (d debugLog) Write(line []byte) (int, error) {
	d.log.Debug().Bytes("text", line).Msg("page server")
	return len(line), nil
}

// Handler returns all routes, with access control. None changes anything.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", withWriteDeadline(p.serveAsset))
	mux.Handle("GET /static/{name}", withWriteDeadline(p.serveAsset))
	mux.HandleFunc("GET /api/stream", p.stream)
	mux.Handle("GET /api/records", withWriteDeadline(p.showRecords))
	mux.Handle("GET /api/records/{id}", withWriteDeadline(p.showRecord))
	if p.opts.Metrics != nil {
		mux.Handle("GET /metrics", withWriteDeadline(p.opts.Metrics.ServeHTTP))
	}
	mux.Handle("GET "+healthPath, withWriteDeadline(serveCheck(p.checkHealth)))
	mux.Handle("GET "+readyPath, withWriteDeadline(serveCheck(p.checkReady)))
	return p.guard.Wrap(mux)
}

// withWriteDeadline limits the time that a client may take to read the response.
func withWriteDeadline(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The error is that the writer has no deadlines, as in tests.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
		h(w, r)
	})
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
