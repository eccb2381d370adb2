package web

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/rs/zerolog"
)

// PageOptions configure a [Page].
type PageOptions struct {
	Access   GuardOptions
	Files    fs.FS         // its own files, in the folder static
	Interval time.Duration // minimum time between two updates of a viewer

	// State returns what the page shows to a viewer, to be sent as JSON, and a channel that is
	// closed at the next change; nil if it is to be called after each interval. A trusted viewer
	// may see what would help an opponent.
	State func(trusted bool) (any, <-chan struct{})

	Log zerolog.Logger
}

// Page is a page in the browser that shows a state, and keeps it up to date. Its viewers
// get its files, and a stream of server-sent events. It is safe for concurrent use.
type Page struct {
	*Guard

	Files *Files

	opts    PageOptions
	mux     *http.ServeMux
	viewers chan struct{} // semaphore for open streams
}

// NewPage returns a page with its files and its stream, to which routes can be added.
func NewPage(o PageOptions) (*Page, error) {
	o.Access.Public = append(slices.Clone(o.Access.Public), faviconPath, robotsPath)
	guard, err := newGuard(o.Access)
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	files, err := NewFiles(o.Files)
	if err != nil {
		return nil, fmt.Errorf("web page: %w", err)
	}
	p := &Page{Guard: guard, Files: files, opts: o, mux: http.NewServeMux(), viewers: make(chan struct{}, maxViewers)}
	for _, path := range []string{"/{$}", faviconPath, robotsPath, "/static/{name}"} {
		p.Handle("GET "+path, files.ServeHTTP)
	}
	p.mux.HandleFunc("GET /api/stream", p.stream)
	return p, nil
}

// Handle adds a route. A client must read the response within [WriteTimeout] of its
// request; for a slow handler, [Send] begins that time anew.
func (p *Page) Handle(pattern string, h http.HandlerFunc) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		_ = setWriteDeadline(w)
		h(w, r)
	})
}

// Handler returns all routes, with access control: a request that changes something must
// come from the page itself.
func (p *Page) Handler() http.Handler {
	return p.wrap(http.NewCrossOriginProtection().Handler(p.mux))
}

// Serve serves the page on a listener, which it closes, until the context ends.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	return Serve(ctx, l, p.Handler(), p.opts.Log)
}
