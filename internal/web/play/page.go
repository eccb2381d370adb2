package play

import (
	"embed"
	"errors"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules/pgn"
)

//go:embed static
var static embed.FS

// Options configure a [Page].
type Options struct {
	Listen         string // listen address, host:port
	Engine         Engine
	EngineName     string        // in PGN
	About          string        // the engine and its network, on the page
	MoveTime       time.Duration // of the engine, for a move without a clock
	EvaluationTime time.Duration // for an evaluation

	// Archive stores a game that is over, or left because another one begins or the page is
	// closed. nil stores none.
	Archive func(*pgn.Game) error

	Log zerolog.Logger
}

// Page shows a session, whose commands it serves. It is safe for concurrent use.
type Page struct {
	*web.Page
	*session
}

// minUpdateInterval is the minimum time between two updates of a viewer.
const minUpdateInterval = 30 * time.Millisecond

// New returns a page, and begins a game, whose settings must be valid; see [Settings.Check].
func New(o Options, first Settings) (*Page, error) {
	s := newSession(o, first)
	p, err := web.NewPage(web.PageOptions{
		Access: web.GuardOptions{Listen: o.Listen, HostHint: "Open the address that zhbot play has printed."},
		Files:  static, Interval: minUpdateInterval, State: s.shown, Log: o.Log,
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	p.Handle("GET /api/game.pgn", s.servePGN)
	for name, run := range commands() {
		p.Handle("POST /api/"+name, s.serveCommand(run))
	}
	return &Page{p, s}, nil
}

// servePGN serves the game as a file to save.
func (s *session) servePGN(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	game, started := s.pgn(), s.state.started
	s.mu.Unlock()
	web.SendPGN(w, "zhbot-"+started.Format("2006-01-02-1504"), game)
}
