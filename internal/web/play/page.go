package play

import (
	"embed"
	"fmt"
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
	*web.Page

	opts Options
}

// minUpdateInterval is the minimum time between two updates of a viewer.
const minUpdateInterval = 30 * time.Millisecond

// New returns the page of a session.
func New(o Options) (*Page, error) {
	p := &Page{opts: o}
	var err error
	p.Page, err = web.NewPage(web.PageOptions{
		Access: web.GuardOptions{Listen: o.Listen, HostHint: "Open the address that zhbot play has printed."},
		Files:  static, Interval: minUpdateInterval, Parts: p.parts, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	p.Handle("GET /api/game.pgn", p.servePGN)
	for name, run := range commands() {
		p.Handle("POST /api/"+name, p.serveCommand(run))
	}
	return p, nil
}

// servePGN serves the game as a file to save.
func (p *Page) servePGN(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-chess-pgn; charset=utf-8")
	name := "zhbot-" + p.opts.Session.State().Started.Format("2006-01-02-1504") + ".pgn"
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	_, _ = p.opts.Session.PGN().WriteTo(w) // the client may be gone
}
