package live

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
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

	Slots func() game.Use // reports how the slots are used
	// SPRT returns the test of two contenders, nil for none; it may be nil, too.
	SPRT func() *stats.SPRTReport

	// Analyse annotates a game, for those who may see the scores of games; nil for no
	// analyses. MadeBy says by what, under an analysis.
	Analyse func(context.Context, *pgn.Game) (*analysis.Analysis, error)
	MadeBy  string

	Site    string // URL of the server
	Version string // of this program
	Threads int    // of the search

	Log zerolog.Logger
}

// Page is the live page of a bot, with its health checks. It is safe for concurrent use.
type Page struct {
	*web.Page

	Metrics *Metrics // served at /metrics

	// These are set before the page is served.
	Operator    control.Executor // for the controls, which need a password, too; nil for none
	CheckHealth func() error     // for /healthz: why the bot is stuck, independently of Lichess; nil for no check

	opts    Options
	hub     *hub          // owns what changes by events
	records records       // owns the finished games
	analyse chan struct{} // semaphore for the one analysis at a time
	token   string        // that commands must have
}

// minUpdateInterval is the minimum time between two updates of a viewer.
const minUpdateInterval = 250 * time.Millisecond

// New returns a page without any state. Only /api/control changes anything.
func New(o Options) (*Page, error) {
	h := newHub(&o)
	p := &Page{Metrics: newMetrics(&o, h), opts: o, hub: h, records: records{source: o.Records}, analyse: make(chan struct{}, 1), token: rand.Text()}
	var err error
	p.Page, err = web.NewPage(web.PageOptions{
		Access: web.GuardOptions{
			Listen: o.Listen, Hosts: o.Hosts, Password: o.Password, Public: []string{healthPath, readyPath},
			HostHint: "If it is a name of this page, add it to web.hosts.",
		},
		Files: static, Interval: minUpdateInterval, Parts: p.parts, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	p.Handle("GET /api/records", p.showRecords)
	p.Handle("GET /api/records/{id}", p.showRecord)
	p.Handle("GET /api/games", p.showGames)
	p.Handle("GET /game/{id}/pgn", p.savePGN)
	p.Handle("GET /game/{id}/analysis", p.showAnalysis)
	if o.Password != "" {
		p.Handle("GET /api/control", p.showToken)
		p.Handle("POST /api/control", p.command)
	}
	p.Handle("GET /metrics", p.Metrics.Handler().ServeHTTP)
	p.Handle("GET "+healthPath, serveCheck(p.checkHealth))
	p.Handle("GET "+readyPath, serveCheck(p.checkReady))
	return p, nil
}

// Observe updates the page and the metrics with an event. It never blocks.
func (p *Page) Observe(e event.Event) {
	p.hub.observe(e)
	p.Metrics.Observe(e)
}

// ObserveRequest updates the page and the metrics with a request to Lichess. It never blocks.
func (p *Page) ObserveRequest(r lichess.Observation) {
	p.hub.request(r)
	p.Metrics.ObserveRequest(r)
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

// checkReady returns an error unless the bot can be challenged.
func (p *Page) checkReady() error {
	if !p.hub.state().Alive {
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
