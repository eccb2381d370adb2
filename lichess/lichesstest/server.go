package lichesstest

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Options configure a Server. The zero value behaves as Lichess does.
type Options struct {
	Addr      string        // where to listen; default a free port of 127.0.0.1
	InMemory  bool          // listen in memory instead, for clients that connect by [Server.Dial]
	AnyClock  bool          // allow time controls that Lichess rejects
	KeepAlive time.Duration // between blank lines of streams, and checks of flags; default 7 s
	TLS       *tls.Config   // serve https; nil for http
	Seed      uint64        // of ids, colours and random players

	// ClaimAfter is how long a player must be absent before the opponent can claim
	// the win, for an API player since the start of the game; default as on Lichess,
	// by speed.
	ClaimAfter time.Duration
	// Refund has the players of a game get time where a fault would leave one less than 3 s.
	Refund bool
	// BotGamesPerDay is how many games between bots an account may start;
	// default 100.
	BotGamesPerDay int
	// WrapConn, if set, wraps each connection, for example to record its bytes.
	WrapConn func(net.Conn) net.Conn
	// Exchanges is a folder that gets an exchange of each shape, without tokens, for a comparison
	// with Lichess's OpenAPI document; "" for none.
	Exchanges string
}

// Server is a fake Lichess on loopback.
type Server struct {
	opts   Options
	url    string
	http   *http.Server
	pipe   *pipeListener // of Dial
	Faults *Faults

	ctx    context.Context // done at Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // players, callbacks, schedules

	mu               sync.Mutex // guards the fields below
	guide            string     // on the page
	requests         []time.Time
	users            map[string]*user
	tokens           map[string]*token
	challenges       map[string]*challenge
	offered          []*challenge // the latest, oldest first
	games            map[string]*game
	arenas           map[string]*arena
	finished         []string // ids of finished games, oldest first
	closedChallenges []string // ids, oldest first
	botList          []*user  // as of botListed
	botListed        time.Time
	rng              *rand.Rand // of ids and colours
}

// test is a *testing.T, or a *testing.B.
type test interface {
	Cleanup(f func())
	Fatal(args ...any)
	Helper()
}

// NewServer starts a server that is closed at the end of the test. Its default of
// [Options].Exchanges is the environment variable LICHESSTEST_EXCHANGES.
func NewServer(t test, o Options) *Server {
	t.Helper()
	o.Exchanges = cmp.Or(o.Exchanges, os.Getenv("LICHESSTEST_EXCHANGES"))
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Client returns a client with a token and changed options. It is closed at the end of the
// test.
func (s *Server) Client(t test, secret string, change ...func(*lichess.Options)) *lichess.Client {
	t.Helper()
	token, err := lichess.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	o := lichess.Options{Token: token, URL: s.URL()}
	if s.opts.InMemory {
		o.Connect = s.Dial
	}
	for _, f := range change {
		f(&o)
	}
	client, err := lichess.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func (o *Options) setDefaults() {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	o.KeepAlive = cmp.Or(o.KeepAlive, 7*time.Second)
	o.BotGamesPerDay = cmp.Or(o.BotGamesPerDay, 100)
}

// Start starts a server. The caller closes it.
func Start(o Options) (*Server, error) {
	o.setDefaults()
	pipe := newPipeListener()
	ln, err := net.Listener(pipe), error(nil)
	if !o.InMemory {
		ln, err = new(net.ListenConfig).Listen(context.Background(), "tcp", o.Addr)
	}
	if err != nil {
		return nil, fmt.Errorf("start embedded Lichess: %w", err)
	}
	s := &Server{
		opts: o, url: "http://" + dialAddr(ln.Addr()), pipe: pipe, Faults: newFaults(o.Seed),
		users: map[string]*user{}, tokens: map[string]*token{}, challenges: map[string]*challenge{},
		games: map[string]*game{}, arenas: map[string]*arena{},
		rng: rand.New(rand.NewPCG(o.Seed, 64)),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return s.ctx }, // Close ends the streams
		ErrorLog:    log.New(io.Discard, "", 0),                          // of handshakes
	}
	serve := net.Listener(&listener{ln, s})
	if o.TLS != nil {
		serve, s.url = tls.NewListener(serve, o.TLS), "https://"+dialAddr(ln.Addr())
	}
	s.spawn(func() { _ = s.http.Serve(serve) }) // returns on Close
	s.spawn(s.watchPresence)
	return s, nil
}

// dialAddr returns the address at which this machine reaches a listener, even one on
// all interfaces.
func dialAddr(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return a.String()
}

// URL returns the server's base URL.
func (s *Server) URL() string { return s.url }

// AddTime adds time to both clocks of a game, as moderators and opponents can.
func (s *Server) AddTime(id string, d time.Duration) {
	s.do(func() {
		if g := s.games[id]; g != nil && !g.over() {
			g.addTime(d)
			g.broadcast(g.state())
		}
	})
}

// LeastTime returns the least time that a user has left in a game, and if it plays one.
func (s *Server) LeastTime(name string) (left time.Duration, playing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, left := s.mustUser(name), never
	for _, g := range s.gamesInProgress(u) {
		left, playing = min(left, g.clock.timeLeft(g.side(u), time.Now())), true
	}
	return left, playing
}

// Refund gives the players of a user's games as much as a fault takes of their last seconds, if
// the options want that.
func (s *Server) Refund(name string, cost time.Duration) {
	s.change(name, func(u *user) {
		for _, g := range s.gamesInProgress(u) {
			g.refund(cost)
		}
	})
}

// closeGrace is how long Close waits for requests to finish.
const closeGrace = time.Second

// Close stops the server and waits for its goroutines.
func (s *Server) Close() {
	s.mu.Lock()
	s.cancel()
	for _, g := range s.games {
		g.stopTimers()
	}
	for _, a := range s.arenas {
		a.startTimer.Stop()
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	_ = s.http.Shutdown(ctx)
	_ = s.http.Close()
	s.wg.Wait()
}

// spawn runs a function in a goroutine that Close waits for, unless the server is
// closed. The caller holds the lock.
func (s *Server) spawn(do func()) {
	if s.ctx.Err() == nil {
		s.wg.Go(do)
	}
}

// do calls a function under the lock, and locked returns a function that does so.
func (s *Server) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *Server) locked(f func()) func() { return func() { s.do(f) } }

// restartBonus is added to both clocks when Lichess restarts.
const restartBonus = 20 * time.Second

// Restart simulates a restart of Lichess: streams and rematch offers are lost, clocks
// gain 20 s, and every request gets a 502 for a while.
func (s *Server) Restart(down time.Duration) {
	s.Faults.Inject("down", When{For: down})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.users {
		u.closeEvents()
	}
	for _, g := range s.games {
		g.eachStream((*subscriber).close)
		if !g.over() {
			g.addTime(restartBonus)
		}
	}
	for id, c := range s.challenges {
		if c.open() && c.RematchOf != "" {
			delete(s.challenges, id)
		}
	}
}
