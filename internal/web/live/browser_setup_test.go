//go:build browser

package live_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// listen listens at an address of this machine.
func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve serves a handler until stop is called.
func serve(t *testing.T, l net.Listener, h http.Handler) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := web.Serve(ctx, l, h, zerolog.Nop()); err != nil {
			t.Error(err)
		}
	})
	return func() { cancel(); serving.Wait() }
}

// statusPage is a page without a bot, which shows a status that the test sets.
type statusPage struct {
	*live.Page
	t         *testing.T
	url, host string
	stop      func() // stops serving

	mu     sync.Mutex
	status bot.Status
}

// newStatusPage serves a page with a status.
func newStatusPage(t *testing.T, o live.Options, s bot.Status) *statusPage {
	t.Helper()
	p := &statusPage{status: s, t: t, host: "127.0.0.1:0"}
	o.Log = zerolog.Nop()
	if o.Game == nil {
		o.Game = func(string) *event.GameView { return nil }
	}
	o.Status = func() bot.Status {
		p.mu.Lock()
		defer p.mu.Unlock()
		s := p.status
		s.Games = append([]bot.GameStatus{}, s.Games...)
		return s
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	var err error
	if p.Page, err = live.New(o); err != nil {
		t.Fatal(err)
	}
	p.serve()
	t.Cleanup(func() { p.stop() })
	return p
}

// serve serves the page, always at the same address.
func (p *statusPage) serve() {
	l := listen(p.t, p.host)
	p.host = l.Addr().String()
	p.url, p.stop = "http://"+p.host, serve(p.t, l, p.Handler())
}

// set changes the status.
func (p *statusPage) set(change func(*bot.Status)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.status)
}

// gameStatus is a game against alice at the start, in which a search has found something.
func gameStatus(id string) bot.GameStatus {
	return bot.GameStatus{
		ID: id, Color: "white", Us: record.Player{Name: "zhbot"}, Opponent: record.Player{Name: "alice"}, Clock: "3+2",
		Left: 60, FEN: rules.StartFEN, Search: &bot.SearchStatus{Centipawns: 77, Depth: 12},
	}
}

// testSetup is an embedded Lichess server, and the page of a bot on it.
type testSetup struct {
	*lichesstest.Server
	t       *testing.T
	records string
	address string // of the page

	tokenless atomic.Bool // the page's token cannot be read
}

const botName = "zhbot"

// searcher is our engine with a small node limit.
type searcher struct{ engine *engine.Engine }

func (searcher) EndGame(string) {}

func (s searcher) Search(
	ctx context.Context, g *rules.Game, _ game.SearchLimits, report func(engine.Info),
) (game.SearchResult, error) {
	r, err := s.engine.Search(ctx, g, engine.Limits{Nodes: 2000}, report)
	return game.SearchResult{Result: r}, err
}

// newTestSetup starts a bot and its page on their own server.
func newTestSetup(t *testing.T, password string) *testSetup {
	t.Helper()
	l := listen(t, "127.0.0.1:0")
	s := &testSetup{
		Server: lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, Seed: 3}), t: t,
		records: t.TempDir(), address: l.Addr().String(),
	}
	archive, err := record.Open(s.records)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := record.OpenState(s.records)
	if err != nil {
		t.Fatal(err)
	}
	terms := config.Terms{
		Enabled: true, Modes: []string{"rated", "casual"}, Speeds: []lichess.Speed{lichess.Blitz}, Provisional: true,
		Initial: config.Range[time.Duration]{Max: time.Hour}, Increment: config.Range[time.Duration]{Max: time.Minute},
	}
	b := bot.New(bot.Options{
		Client: s.Client(t, s.AddBot(botName)), Engine: searcher{engine.New(engine.Options{Threads: 1, HashMB: 8})},
		Log: zerolog.Nop(), Site: s.URL(), Archive: archive, State: memory, Contenders: []game.Contender{
			{Contender: config.Contender{Name: "steady", Weight: 1}},
			{Contender: config.Contender{Name: "bold", Weight: 1}},
		},
	}, &config.Config{
		Challenges: config.Challenges{Humans: config.HumanTerms{Terms: terms}, Bots: terms},
		Games:      config.Games{Max: 8},
	})
	page, err := live.New(live.Options{
		Listen: s.address, Password: password, Records: record.NewHistory(s.records),
		Status: b.Status, Game: b.Game, Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	page.Operator = &control.Operator{
		Bot: func() *bot.Bot { return b }, Status: b.Status,
		Journal: filepath.Join(s.records, control.JournalFile), Log: zerolog.Nop(),
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = b.Run(ctx) })
	h := page.Handler()
	closePage := serve(t, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.tokenless.Load() && r.Method == http.MethodGet && r.URL.Path == "/api/control" {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		cancel()
		closePage()
		running.Wait()
		archive.Close()
	})
	return s
}

// url returns the URL of the page.
func (s *testSetup) url() string { return "http://" + s.address }

// challenge sends a challenge to the bot and returns its id.
func (s *testSetup) challenge(from string, color string) string {
	return s.Challenge(from, botName, lichesstest.ChallengeSpec{
		Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Color: color,
	})
}

// journal returns the lines of the operator's journal.
func (s *testSetup) journal() []string {
	s.t.Helper()
	text := fixture.Read(s.t, filepath.Join(s.records, control.JournalFile))
	return strings.Split(strings.TrimSpace(text), "\n")
}

// shownBoard is a board as displayed on the page.
type shownBoard struct {
	Ply  int
	Over bool
	FEN  string
}

// readBoard is a script that reads the board in an element.
const readBoard = `(root => ({
	ply: Number(root.dataset.ply ?? -1), over: root.classList.contains("over"), fen: ` + webtest.BoardFEN + `(root),
}))`

func cardOf(id string) string { return fmt.Sprintf(`document.querySelector("[data-game=%s]")`, id) }

// check compares a board on the page with the game on the server.
func (got shownBoard) check(t *testing.T, moves []string) {
	t.Helper()
	if want := fixture.Game(t, moves...).Position().FEN(); got.FEN != strings.Fields(want)[0] {
		t.Errorf("after %d moves (%v) the page shows %s, the server has %s", len(moves), moves, got.FEN, want)
	}
}
