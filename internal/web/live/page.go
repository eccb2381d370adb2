package live

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"net/http"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules/pgn"
)

//go:embed static
var static embed.FS

// Options configure a [Page].
type Options struct {
	Listen   string   // listen address, host:port
	Hosts    []string // other host names of the page
	Password string   // required of every viewer; "" for none
	Records  Records  // finished games; nil for none

	Status func() bot.Status               // reads the state of the bot
	Game   func(id string) *event.GameView // finds a game of [bot.Status]; nil if there is none

	// Analyse annotates a game, for those who may see the scores of games; nil for no
	// analyses. MadeBy says by what, under an analysis.
	Analyse func(context.Context, *pgn.Game) (*analysis.Analysis, error)
	MadeBy  string

	Log zerolog.Logger
}

// Page is the live page of a bot, with its health checks. It is safe for concurrent use.
type Page struct {
	*web.Page

	Metrics *Metrics // served at /metrics

	// These are set before the page is served.
	Operator    control.Executor // for the controls, which need a password, too; nil for none
	CheckHealth func() error     // for /healthz: why the bot is stuck, independently of Lichess; nil for no check

	opts     Options
	records  records        // owns the finished games
	warnings rate.Sometimes // about them
	token    string         // that commands must have

	analysing chan struct{} // semaphore for the one analysis at a time
}

// updateInterval is how often a viewer is sent the state of the bot, if it has changed.
const updateInterval = time.Second

// New returns a page without any state. Only /api/control changes anything.
func New(o Options) (*Page, error) {
	p := &Page{
		Metrics: newMetrics(o.Status), opts: o, records: records{source: o.Records},
		analysing: make(chan struct{}, 1), token: rand.Text(), warnings: rate.Sometimes{Interval: time.Minute},
	}
	var err error
	p.Page, err = web.NewPage(web.PageOptions{
		Access: web.GuardOptions{
			Listen: o.Listen, Hosts: o.Hosts, Password: o.Password, Public: []string{healthPath, readyPath},
			HostHint: "If it is a name of this page, add it to web.hosts.",
		},
		Files: static, Interval: updateInterval, State: p.state, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	p.Handle("GET /api/records", p.showRecords)
	p.Handle("GET /api/games", p.showGames)
	p.Handle("GET /api/games/{id}", p.showGame)
	p.Handle("GET /game/{id}/pgn", p.savePGN)
	p.Handle("GET /api/games/{id}/analysis", p.showAnalysis)
	if o.Password != "" {
		p.Handle("GET /api/control", p.showToken)
		p.Handle("POST /api/control", p.command)
	}
	p.Handle("GET /metrics", p.Metrics.Handler().ServeHTTP)
	p.Handle("GET "+healthPath, serveCheck(p.checkHealth))
	p.Handle("GET "+readyPath, serveCheck(p.checkReady))
	return p, nil
}

// status is the state of the bot as sent to the page.
type status struct {
	bot.Status

	Controls bool `json:"controls"` // the page can control the bot
	Analyses bool `json:"analyses"` // finished games can be analysed
}

// state returns what the page shows. What would help an opponent is for trusted viewers.
func (p *Page) state(trusted bool) (shown any, changed <-chan struct{}) {
	s := status{p.opts.Status(), p.hasControls(), trusted && p.opts.Analyse != nil}
	if !trusted {
		s.Withhold()
	}
	return s, nil
}

// The paths of the health checks, which need no password.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// checkHealth returns an error if the process hangs.
func (p *Page) checkHealth() error {
	if p.CheckHealth == nil {
		return nil
	}
	return p.CheckHealth()
}

// checkReady returns an error unless the event stream is open.
func (p *Page) checkReady() error {
	switch s := p.opts.Status(); {
	case s.Refused != nil:
		return errors.New("not playing: Lichess refuses the token or the account")
	case !s.Connected:
		return errors.New("the event stream is not open")
	}
	return nil
}

// serveCheck serves the result of a check.
func serveCheck(check func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		status, text := http.StatusOK, "ok"
		if err := check(); err != nil {
			status, text = http.StatusServiceUnavailable, err.Error()
		}
		sendText(w, status, text)
	}
}
