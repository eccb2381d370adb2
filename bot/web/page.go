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
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot"
)

// Options set up a [Page].
type Options struct {
	Listen   string   // host:port, to know our own name
	Hosts    []string // other names that the page may be asked for by
	Password string   // asked of everyone; "" is none
	Records  Records  // finished games; nil has none

	Site    string // address of the server that is played on
	Version string // of this program
	Threads int    // of the search

	Log zerolog.Logger
}

// Page is the live page of a bot, with metrics and health. It is safe for
// concurrent use.
type Page struct {
	opts    Options
	guard   *guard
	hub     *hub
	metrics *metrics
	records records
	slots   atomic.Pointer[func() bot.SlotUse]
	health  atomic.Pointer[func() error]
	viewers chan struct{} // holds the open streams
	edition string        // of the page's files
	assets  map[string]asset
}

// New returns a page that shows nothing yet.
func New(o Options) (*Page, error) {
	g, err := newGuard(&o)
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	assets, edition, err := loadAssets()
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	p := &Page{
		opts: o, guard: g, hub: newHub(), viewers: make(chan struct{}, mostViewers),
		assets: assets, edition: edition, records: records{from: o.Records},
	}
	p.metrics = newMetrics(p)
	return p, nil
}

// Observe takes in what the bot tells. It returns at once.
func (p *Page) Observe(e bot.Event) {
	p.hub.observe(e)
	p.metrics.observe(e)
}

// Request is a request to Lichess and what became of it.
type Request struct {
	Endpoint string // method and path template
	Status   int    // 0 without an answer
	Duration time.Duration
	Wait     time.Duration // how long Lichess takes no more of these, after a 429
}

// ObserveRequest takes in a request to Lichess. It returns at once.
func (p *Page) ObserveRequest(r Request) {
	p.hub.request(r)
	p.metrics.request(r)
}

// SetSlotSource sets the function that reports how the slots are used. It may be
// called while the page is served.
func (p *Page) SetSlotSource(use func() bot.SlotUse) { p.slots.Store(&use) }

// Bounds on what others may ask of us.
const (
	maxConnections = 128
	mostHeader     = 16 << 10
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	goodbye        = time.Second // for requests under way at the end
)

// Serve answers on a listener, which it closes, until the context ends.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	open := newConnections(maxConnections)
	server := &http.Server{
		Handler:           open.wrap(p.Handler()),
		ConnState:         open.track,
		ConnContext:       open.remember,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          stdlog.New(debugLog{p.opts.Log}, "", 0),
	}
	var serving errgroup.Group
	serving.Go(func() error {
		defer stop() // if it fails, there is nothing to wait for
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve the page: %w", err)
		}
		return nil
	})
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	if server.Shutdown(last) != nil { // someone is slow
		_ = server.Close()
	}
	return serving.Wait()
}

// debugLog takes what the HTTP server has to say about its clients.
type debugLog struct{ log zerolog.Logger }

func (d debugLog) Write(line []byte) (int, error) {
	d.log.Debug().Bytes("text", line).Msg("page server")
	return len(line), nil
}

// Handler returns all routes, guarded. None changes anything.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", bounded(p.file))
	mux.Handle("GET /static/{name}", bounded(p.file))
	mux.HandleFunc("GET /api/stream", p.stream)
	mux.Handle("GET /api/records", bounded(p.showRecords))
	mux.Handle("GET /api/records/{id}", bounded(p.showRecord))
	mux.Handle("GET /metrics", bounded(p.metrics.handler().ServeHTTP))
	mux.Handle("GET /healthz", bounded(p.healthy))
	mux.Handle("GET /readyz", bounded(p.ready))
	return p.guard.wrap(mux)
}

// bounded gives the client of a handler a time to take the answer.
func bounded(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A response that has no deadlines, as in tests, needs none.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
		h(w, r)
	})
}
