//go:build browser

package live_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// testSetup is an embedded Lichess server, a bot, and its page.
type testSetup struct {
	*lichesstest.Server
	t        *testing.T
	token    string
	records  string
	address  string // of the page
	password string // of the page; "" for none

	page *live.Page
	stop func() // stops bot and page
}

const botName = "zhbot"

// noSlots is how the slots of no bot are used.
func noSlots() game.Use { return game.Use{} }

// newTestSetup starts the bot on its own server.
func newTestSetup(t *testing.T) *testSetup {
	s := &testSetup{Server: lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, Seed: 3}), t: t, records: t.TempDir(), address: "127.0.0.1:0"}
	s.token = s.AddBot(botName)
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

// searcher is our engine with a small node limit.
type searcher struct{ engine *engine.Engine }

func (searcher) EndGame(string) {}

func (s searcher) Search(ctx context.Context, g *rules.Game, _ game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	r, err := s.engine.Search(ctx, g, engine.Limits{Nodes: 2000}, report)
	return game.SearchResult{Result: r}, err
}

// start starts bot and page, always on the same address.
func (s *testSetup) start() {
	s.t.Helper()
	l, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	archive, err := record.Open(s.records)
	if err != nil {
		s.t.Fatal(err)
	}
	memory, err := record.OpenState(s.records)
	if err != nil {
		s.t.Fatal(err)
	}
	var shown atomic.Pointer[bot.Bot]
	page, err := live.New(live.Options{
		Slots: func() game.Use {
			if b := shown.Load(); b != nil {
				return b.Slots()
			}
			return noSlots()
		},
		Listen: s.address, Password: s.password, Records: record.NewHistory(s.records), Site: s.URL(), Version: "test", Threads: 1, Log: zerolog.Nop(),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	terms := config.Terms{
		Enabled: true, Modes: []string{"rated", "casual"}, Speeds: []lichess.Speed{lichess.Bullet, lichess.Blitz, lichess.Rapid},
		Initial: config.Range[time.Duration]{Max: time.Hour}, Increment: config.Range[time.Duration]{Max: time.Minute}, Provisional: true,
	}
	b := bot.New(bot.Options{
		Client: s.Client(s.t, s.token), Engine: searcher{engine.New(engine.Options{Threads: 1, HashMB: 8})}, Log: zerolog.Nop(),
		Site: s.URL(), Archive: archive, State: memory, Observe: page.Observe, Contenders: []game.Contender{{Contender: config.Contender{Name: "steady", Weight: 1}}, {Contender: config.Contender{Name: "bold", Weight: 1}}},
	}, &config.Config{Challenges: config.Challenges{Humans: config.HumanTerms{Terms: terms}, Bots: terms}, Games: config.Games{Max: 8}})
	shown.Store(b)
	page.Operator = &control.Operator{
		Bot: func() *bot.Bot { return b }, Journal: filepath.Join(s.records, control.JournalFile), Log: zerolog.Nop(),
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = b.Run(ctx) })
	running.Go(func() {
		if err := page.Serve(ctx, l); err != nil {
			s.t.Error(err)
		}
	})
	s.page = page
	s.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		archive.Close()
	})
}

// url returns the URL of the page.
func (s *testSetup) url() string { return "http://" + s.address }

// challenge sends a challenge to the bot and returns its id.
func (s *testSetup) challenge(from string, color string) string {
	return s.Challenge(from, botName, lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Color: color})
}

// journal returns the lines of the operator's journal.
func (s *testSetup) journal() []string {
	s.t.Helper()
	text := filetest.Read(s.t, filepath.Join(s.records, control.JournalFile))
	return strings.Split(strings.TrimSpace(text), "\n")
}
