package play

import (
	"context"
	"embed"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/internal/web"
)

//go:embed static
var static embed.FS

// Options configure a [Page].
type Options struct {
	Listen  string // listen address, host:port
	Session *Session
	Player  string // name of the person
	Engine  string // name of the engine and its network
	Log     zerolog.Logger
}

// Page shows a session. It is safe for concurrent use.
type Page struct {
	opts    Options
	guard   *web.Guard
	files   *web.Files
	viewers *web.Viewers
}

// minUpdateInterval is the minimum time between two updates of a viewer.
const minUpdateInterval = 30 * time.Millisecond

// New returns the page of a session.
func New(o Options) (*Page, error) {
	g, err := web.NewGuard(web.GuardOptions{Listen: o.Listen, HostHint: "Open the address that zhbot play has printed."})
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	files, err := web.NewFiles(static, "static")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return &Page{opts: o, guard: g, files: files, viewers: web.NewViewers(files, minUpdateInterval, o.Log)}, nil
}

// Serve serves the page on a listener, which it closes, until the context ends.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	return web.Serve(ctx, l, p.Handler(), p.opts.Log)
}

// Handler returns all routes, with access control.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", web.WithWriteDeadline(p.files.ServeHTTP))
	mux.Handle("GET /static/{name}", web.WithWriteDeadline(p.files.ServeHTTP))
	mux.HandleFunc("GET /api/stream", p.stream)
	mux.Handle("GET /api/game.pgn", web.WithWriteDeadline(p.servePGN))
	mux.Handle("POST /api/new", command(p.newGame))
	mux.Handle("POST /api/move", command(p.move))
	mux.Handle("POST /api/takeback", command(p.takeBack))
	mux.Handle("POST /api/resign", command(p.resign))
	mux.Handle("POST /api/pause", command(p.pause))
	mux.Handle("POST /api/evaluate", command(p.evaluate))
	return p.guard.Wrap(http.NewCrossOriginProtection().Handler(mux))
}

// stream sends a viewer the game, and each change of it.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	p.viewers.Serve(w, r, func() ([]web.Part, <-chan struct{}) {
		changed := p.opts.Session.Changed()
		return p.parts(), changed
	})
}

// servePGN serves the game as a file to save.
func (p *Page) servePGN(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-chess-pgn; charset=utf-8")
	name := "zhbot-" + p.opts.Session.State().Started.Format("2006-01-02-1504") + ".pgn"
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	_, _ = p.opts.Session.PGN().WriteTo(w) // the client may be gone
}
