package lichesstest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options set up a Server. The zero value is Lichess as it is.
type Options struct {
	Addr      string        // where to listen; default a free port of 127.0.0.1
	AnyClock  bool          // allow time controls that Lichess refuses
	KeepAlive time.Duration // between blank lines of streams; default 7 s
	TLS       bool          // serve https with a certificate of its own
	Seed      uint64        // of ids, colours and random players

	// ClaimAfter is how long a player must be away before the opponent can
	// claim the win; default Lichess's, by speed.
	ClaimAfter time.Duration
	// EventOpenings is how many event streams a token may open in 10 minutes;
	// default 30.
	EventOpenings int
	// OnFinish is told of each finished game, from a goroutine of its own.
	OnFinish func(Result)
}

// Server is a Lichess on loopback.
type Server struct {
	opts   Options
	url    string
	pool   *x509.CertPool
	http   *http.Server
	ln     *listener
	Faults *Faults

	ctx    context.Context // done at Close
	cancel context.CancelFunc
	work   sync.WaitGroup // players, callbacks, schedules

	mu         sync.Mutex
	users      map[string]*user
	tokens     map[string]*token
	challenges map[string]*challenge
	games      map[string]*game
	finished   []string // ids of games that are over, oldest first
	audit      Audit
	random     *random
	waiters    map[string][]chan Result // by game id
	connected  func(name string)
}

// T is what NewServer needs of *testing.T.
type T interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// NewServer starts a server that the test closes at its end.
func NewServer(t T, o Options) *Server {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// Start starts a server. The caller closes it.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = 7 * time.Second
	}
	if o.EventOpenings == 0 {
		o.EventOpenings = 30
	}
	ln, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("start embedded Lichess: %w", err)
	}
	s := &Server{
		opts: o, url: "http://" + ln.Addr().String(), Faults: newFaults(o.Seed),
		users: map[string]*user{}, tokens: map[string]*token{}, challenges: map[string]*challenge{},
		games: map[string]*game{}, audit: newAudit(), random: newRandom(o.Seed),
		waiters: map[string][]chan Result{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.ln = &listener{Listener: ln, faults: s.Faults}
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	serve := net.Listener(s.ln)
	if o.TLS {
		certificate, pool, err := selfSigned()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start embedded Lichess: %w", err), ln.Close())
		}
		s.pool, s.url = pool, "https://"+ln.Addr().String()
		serve = tls.NewListener(serve, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	}
	s.work.Go(func() { _ = s.http.Serve(serve) }) // ends with Close
	return s, nil
}

// URL returns the server's address.
func (s *Server) URL() string { return s.url }

// CertPool returns the authority to trust in TLS mode, nil otherwise.
func (s *Server) CertPool() *x509.CertPool { return s.pool }

// Close stops everything and waits for it.
func (s *Server) Close() {
	s.cancel()
	s.mu.Lock()
	for _, g := range s.games {
		g.stopTimers()
	}
	s.mu.Unlock()
	s.ln.release()
	_ = s.http.Close()
	s.work.Wait()
}

// Restart does what a restart of Lichess does: all connections drop, clocks
// get 20 s, and for a while there are only 502s.
func (s *Server) Restart(down time.Duration) {
	s.Faults.unavailable(down)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.users {
		u.events.close()
	}
	for _, g := range s.games {
		for side := range g.streams {
			g.streams[side].close()
		}
		g.restarted(time.Now())
	}
}

// handler routes the API.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]route{
		"GET /api/account":              {class: "account", handle: s.account},
		"GET /api/account/playing":      {class: "account", handle: s.playing},
		"POST /api/bot/account/upgrade": {class: "account", scope: "bot:play", handle: s.upgrade},
		"POST /api/token/test":          {class: "account", open: true, handle: s.testToken},
		"GET /api/users/status":         {class: "users", open: true, handle: s.userStatus},
		"GET /api/bot/online":           {class: "users", open: true, handle: s.onlineBots},
		"GET /api/stream/event":         {class: "events", scope: "bot:play", handle: s.streamEvents},

		"GET /api/challenge":               {class: "challenge", scope: "challenge:read", handle: s.listChallenges},
		"GET /api/challenge/{id}/show":     {class: "challenge", handle: s.showChallenge},
		"POST /api/challenge/{user}":       {class: "challenge", scope: "bot:play", handle: s.createChallenge},
		"POST /api/challenge/{id}/accept":  {class: "challenge", scope: "bot:play", handle: s.acceptChallenge},
		"POST /api/challenge/{id}/decline": {class: "challenge", scope: "bot:play", handle: s.declineChallenge},
		"POST /api/challenge/{id}/cancel":  {class: "challenge", scope: "bot:play", handle: s.cancelChallenge},

		"POST /api/bot/game/{id}/move/{uci}":     {class: "move", scope: "bot:play", handle: s.postMove},
		"POST /api/bot/game/{id}/abort":          {class: "command", scope: "bot:play", handle: s.abort},
		"POST /api/bot/game/{id}/resign":         {class: "command", scope: "bot:play", handle: s.resign},
		"POST /api/bot/game/{id}/draw/{yes}":     {class: "command", scope: "bot:play", handle: s.draw},
		"POST /api/bot/game/{id}/takeback/{yes}": {class: "command", scope: "bot:play", handle: s.takeback},
		"POST /api/bot/game/{id}/claim-victory":  {class: "command", scope: "bot:play", handle: s.claimVictory},
		"POST /api/bot/game/{id}/claim-draw":     {class: "command", scope: "bot:play", handle: s.claimDraw},
		"POST /api/bot/game/{id}/berserk":        {class: "command", scope: "bot:play", handle: s.berserk},
		"POST /api/bot/game/{id}/chat":           {class: "chat", scope: "bot:play", handle: s.postChat},
	} {
		mux.Handle(pattern, s.guard(h))
	}
	// The mux can not tell these two apart by itself.
	stream := s.guard(route{class: "game", scope: "bot:play", handle: s.streamGame})
	chat := s.guard(route{class: "chat", scope: "bot:play", handle: s.readChat})
	mux.HandleFunc("GET /api/bot/game/{id}/{what}", func(w http.ResponseWriter, r *http.Request) {
		switch id, what := r.PathValue("id"), r.PathValue("what"); {
		case id == "stream":
			r.SetPathValue("id", what)
			stream.ServeHTTP(w, r)
		case what == "chat":
			chat.ServeHTTP(w, r)
		default:
			refuse(w, http.StatusNotFound, "Not found")
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not found") })
	return mux
}
