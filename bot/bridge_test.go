package bot

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// BenchmarkBridge measures the way between the server and the engine: from the
// bytes of the opponent's move on the server's socket to the bytes of our answer
// on it, less the time of the search, with eight games at once over HTTP.
func BenchmarkBridge(b *testing.B) {
	b.Run("idle", func(b *testing.B) { benchmarkBridge(b, 8) })
	b.Run("busy", func(b *testing.B) {
		keepBusy(b)
		benchmarkBridge(b, 8)
	})
	b.Run("games=200", func(b *testing.B) { benchmarkBridge(b, 200) })
}

func benchmarkBridge(b *testing.B, games int) {
	p := &latencyProbe{asked: map[string]time.Time{}, thought: map[string]time.Duration{}}
	s := lichesstest.NewServer(b, lichesstest.Options{AnyClock: true, WrapConn: p.tap})
	s.AddHuman("alice", unsteady(25*time.Millisecond))
	token := s.AddBot(botName)
	client := s.Client(b, token)
	bot := New(Options{
		Client: client, Engine: &fakeEngine{peace: 1000}, Observe: p.observe,
	}, &config.Config{Challenges: openChallenges(), Games: config.Games{Max: games}})
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	plan := lichesstest.Schedule{
		Bot: botName, Opponents: []string{"alice"}, Concurrency: games,
		Spec: func(int) lichesstest.ChallengeSpec { return terms("") },
	}
	played := make(chan error, 1)
	p.enough = b.N + 20*games // the first of each game warm the connections
	p.done = stop
	b.ResetTimer()
	go func() { played <- s.RunGames(ctx, plan, func(lichesstest.Result) {}) }()
	<-played
	<-ended
	b.StopTimer()
	p.report(b, 20*games)
}

// unsteady is an opponent who takes some time, more or less, so that games that
// began together do not stay in step, and who does not end them.
func unsteady(mean time.Duration) lichesstest.Player {
	b := &fakeEngine{peace: 1000}
	return lichesstest.Searching(func(ctx context.Context, t lichesstest.Turn) (rules.Move, error) {
		pause := time.Duration(rand.Int64N(int64(2 * mean))) //nolint:gosec // no secret depends on it
		if err := lichess.Sleep(ctx, pause); err != nil {
			return rules.NoMove, err
		}
		r, err := b.Search(ctx, t.Game, game.SearchLimits{}, nil)
		return r.Move, err
	})
}

// keepBusy lets an engine search on every core until the benchmark ends, with as
// many threads for Go as "zhbot run" has.
func keepBusy(b *testing.B) {
	cores := runtime.NumCPU()
	before := runtime.GOMAXPROCS(cores + 2)
	e := engine.New(engine.Options{Threads: cores, HashMB: 16})
	ctx, stop := context.WithCancel(b.Context())
	var search sync.WaitGroup
	search.Go(func() { _, _ = e.Search(ctx, rules.NewGame(rules.StartPosition()), engine.Limits{Infinite: true}, nil) })
	b.Cleanup(func() {
		stop()
		search.Wait()
		runtime.GOMAXPROCS(before)
	})
}

// latencyProbe watches the server's sockets.
type latencyProbe struct {
	mu      sync.Mutex
	asked   map[string]time.Time // when the bytes of the opponent's last move were written, by game
	thought map[string]time.Duration
	samples []time.Duration
	enough  int
	done    func()
}

func (p *latencyProbe) tap(conn net.Conn) net.Conn { return &tappedConn{Conn: conn, probe: p} }

// observe notes the time of a search.
func (p *latencyProbe) observe(e event.Event) {
	if s, ok := e.(event.Searched); ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.thought[s.Game] = s.Info.Time
	}
}

func (p *latencyProbe) ask(game string) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[game] = now
}

func (p *latencyProbe) answer(game string) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, ok := p.asked[game]
	if !ok {
		return
	}
	delete(p.asked, game)
	p.samples = append(p.samples, now.Sub(asked)-p.thought[game])
	if len(p.samples) == p.enough {
		p.done()
	}
}

// report tells median and 99th percentile, without the first samples.
func (p *latencyProbe) report(b *testing.B, warm int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	samples := slices.Sorted(slices.Values(p.samples[warm:]))
	at := func(q float64) float64 { return float64(samples[int(q*float64(len(samples)-1))].Microseconds()) }
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
	b.ReportMetric(at(1), "max-µs")
	b.ReportMetric(0, "ns/op")
}

// tappedConn is a connection of the server.
type tappedConn struct {
	net.Conn
	probe *latencyProbe
	game  string // whose stream it carries
	black bool   // our side there
}

var (
	streamLine = regexp.MustCompile(`^GET /api/bot/game/stream/(\w+) `)
	moveLine   = regexp.MustCompile(`^POST /api/bot/game/(\w+)/move/`)
	movesField = regexp.MustCompile(`"moves":"([^"]*)"`)
	blackField = regexp.MustCompile(`"black":\{"id":"(?:(zhbot)|\w+)"`)
)

func (c *tappedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	switch head := p[:n]; {
	case bytes.HasPrefix(head, []byte("POST")):
		if m := moveLine.FindSubmatch(head); m != nil {
			c.probe.answer(string(m[1]))
		}
	case bytes.HasPrefix(head, []byte("GET")):
		if m := streamLine.FindSubmatch(head); m != nil {
			c.game = string(m[1])
		}
	}
	return n, err
}

func (c *tappedConn) Write(p []byte) (int, error) {
	if c.game != "" {
		c.readLine(p)
	}
	return c.Conn.Write(p)
}

// readLine reads a line of the stream: if it is our turn after it, an answer is
// due from now on.
func (c *tappedConn) readLine(line []byte) {
	if bytes.Contains(line, []byte(`"type":"gameFull"`)) {
		c.black = blackField.FindSubmatch(line)[1] != nil
	}
	moves := movesField.FindSubmatch(line)
	if moves == nil || !bytes.Contains(line, []byte(`"status":"started"`)) {
		return
	}
	if n := len(strings.Fields(string(moves[1]))); n >= 2 && (n%2 == 1) == c.black {
		c.probe.ask(c.game)
	}
}
