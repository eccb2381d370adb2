package lichess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeMoveServer responds to posted moves and to lists of games by script, and
// records the time of each request. The last response of a script repeats.
type fakeMoveServer struct {
	mu      sync.Mutex
	start   time.Time
	moves   []http.HandlerFunc
	playing []http.HandlerFunc
	log     []string
}

func (s *fakeMoveServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	script, name := &s.playing, "playing"
	if r.Method == http.MethodPost {
		script, name = &s.moves, "move"
	}
	s.log = append(s.log, fmt.Sprintf("%s %s", name, time.Since(s.start).Round(time.Second)))
	answer := (*script)[0]
	if len(*script) > 1 {
		*script = (*script)[1:]
	}
	s.mu.Unlock()
	answer(w, r)
}

// requests returns the requests so far.
func (s *fakeMoveServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// neverRespond reads the request and never responds.
func neverRespond(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// inPlay responds with a list of games that includes the test's game after a number
// of plies.
func inPlay(plies int, myTurn bool) http.HandlerFunc {
	side := [2]string{"w", "b"}[plies%2]
	fen := fmt.Sprintf("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ %s KQkq - 0 %d", side, plies/2+1)
	return respond(200, fmt.Sprintf(`{"nowPlaying":[{"gameId":"other"},{"gameId":"zH4kQ2ab","fen":%q,"isMyTurn":%t}]}`, fen, myTurn))
}

func limitedFor(seconds string) http.HandlerFunc {
	return answerWith(429, http.Header{"Retry-After": {seconds}}, "")
}

var done = respond(200, ok)

func TestClient_Move(t *testing.T) {
	type script = []http.HandlerFunc
	tests := []struct {
		name    string
		moves   script
		playing script
		clock   time.Duration // time left; 0 without a clock
		want    []string      // requests and their times
		failure error
	}{
		{
			name: "taken", moves: script{done},
			want: []string{"move 0s"},
		},
		{
			name: "refused", moves: script{respond(404, `{"error":"No such game"}`)},
			want: []string{"move 0s"}, failure: ErrNotFound,
		},
		{
			name: "illegal", moves: script{respond(400, `{"error":"Piece on e2 cannot move to e4"}`)},
			want: []string{"move 0s"}, failure: ErrIllegalMove,
		},
		{
			name: "a proxy's page refuses, move lost", moves: script{respond(400, "<html>"), respond(403, ""), done},
			playing: script{respond(404, "<html>"), inPlay(8, true), inPlay(8, true)},
			want:    []string{"move 0s", "playing 0s", "playing 0s", "move 0s", "playing 0s", "move 0s"},
		},
		{
			name: "a proxy's page with status 200, move lost", moves: script{respond(200, "<html>"), done}, playing: script{inPlay(8, true)},
			want: []string{"move 0s", "playing 0s", "move 0s"},
		},
		{
			name: "reply lost, move arrived", moves: script{closeConn}, playing: script{inPlay(9, false)},
			want: []string{"move 0s", "playing 0s"},
		},
		{
			name: "reply lost, move arrived and was answered", moves: script{closeConn}, playing: script{inPlay(10, true)},
			want: []string{"move 0s", "playing 0s"},
		},
		{
			name: "reply lost, not our turn in an unreadable position", moves: script{closeConn},
			playing: script{respond(200, `{"nowPlaying":[{"gameId":"zH4kQ2ab","fen":"?"}]}`)},
			want:    []string{"move 0s", "playing 0s"},
		},
		{
			name: "move lost", moves: script{closeConn, done}, playing: script{inPlay(8, true)},
			want: []string{"move 0s", "playing 0s", "move 0s"},
		},
		{
			name: "bad gateway, move lost", moves: script{respond(502, "<html>"), done}, playing: script{respond(503, ""), inPlay(8, true)},
			want: []string{"move 0s", "playing 0s", "playing 0s", "move 0s"},
		},
		{
			name: "101, move lost", moves: script{switchProtocols, done}, playing: script{switchProtocols, inPlay(8, true)},
			want: []string{"move 0s", "playing 0s", "playing 0s", "move 0s"},
		},
		{
			name: "no answer for 2 s", moves: script{neverRespond, done}, playing: script{inPlay(8, true)},
			want: []string{"move 0s", "playing 2s", "move 2s"},
		},
		{
			name: "reply lost, then refused since it arrived late", moves: script{closeConn, respond(400, `{"error":"Not your turn, or game already over"}`)},
			playing: script{inPlay(8, true), inPlay(9, false)},
			want:    []string{"move 0s", "playing 0s", "move 0s", "playing 0s"},
		},
		{
			name: "move lost, then refused", moves: script{closeConn, respond(404, `{"error":"No such game"}`)}, playing: script{inPlay(8, true)},
			want: []string{"move 0s", "playing 0s", "move 0s", "playing 0s"}, failure: ErrNotFound,
		},
		{
			name: "reply lost, game over", moves: script{closeConn}, playing: script{respond(200, `{"nowPlaying":[]}`)},
			want: []string{"move 0s", "playing 0s"}, failure: ErrMoveUnconfirmed,
		},
		{
			name: "reply lost, position unreadable", moves: script{closeConn},
			playing: script{respond(200, `{"nowPlaying":[{"gameId":"zH4kQ2ab","fen":"8/8 w - - 0 x","isMyTurn":true}]}`)},
			want:    []string{"move 0s", "playing 0s"}, failure: ErrMoveUnconfirmed,
		},
		{
			name: "reply lost, list of games limited", moves: script{closeConn}, playing: script{respond(429, "")},
			want: []string{"move 0s", "playing 0s"}, failure: ErrMoveUnconfirmed,
		},
		{
			name: "429 outlasted by the clock", moves: script{limitedFor("10"), limitedFor("5"), done}, clock: time.Minute,
			want: []string{"move 0s", "move 10s", "move 15s"},
		},
		{
			name: "429 without a clock", moves: script{respond(429, ""), respond(429, ""), done},
			want: []string{"move 0s", "move 1m0s", "move 3m0s"},
		},
		{
			name: "429 longer than the clock, second early try works", moves: script{limitedFor("60"), limitedFor("60"), done}, clock: 40 * time.Second,
			want: []string{"move 0s", "move 20s", "move 30s"},
		},
		{
			name: "429 that would leave too little of the clock", moves: script{limitedFor("60"), done}, clock: 80 * time.Second,
			want: []string{"move 0s", "move 40s"},
		},
		{
			name: "429 longer than the clock", moves: script{limitedFor("60")}, clock: 40 * time.Second,
			want: []string{"move 0s", "move 20s", "move 30s"}, failure: errLimited,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeMoveServer{start: time.Now(), moves: tc.moves, playing: tc.playing}
				c := bubbleClient(t, server)
				m := MoveRequest{GameID: "zH4kQ2ab", UCI: "e2e4", Ply: 8}
				if tc.clock > 0 {
					m.FlagAt = time.Now().Add(tc.clock)
				}
				err := c.Move(t.Context(), m)
				var limited *RateLimitError
				if errors.As(err, &limited) {
					err = errLimited
				}
				if !errors.Is(err, tc.failure) {
					t.Errorf("error %v, want %v", err, tc.failure)
				}
				if diff := cmp.Diff(tc.want, server.requests()); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// errLimited stands for any *RateLimitError in a table.
var errLimited = errors.New("limited")

// TestClient_MoveDuringRateLimit checks that one 429 delays the moves of all games,
// that each may be sent early if its clock is short, and that its success unblocks
// the others.
func TestClient_MoveDuringRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeMoveServer{start: time.Now(), moves: []http.HandlerFunc{limitedFor("60"), done}}
		c := bubbleClient(t, server)
		var games sync.WaitGroup
		for i, clock := range []time.Duration{300 * time.Second, 20 * time.Second} {
			games.Go(func() {
				m := MoveRequest{GameID: fmt.Sprint("game", i), UCI: "e2e4", FlagAt: time.Now().Add(clock)}
				if err := c.Move(t.Context(), m); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		games.Wait()
		if diff := cmp.Diff([]string{"move 0s", "move 10s", "move 10s"}, server.requests()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

func TestClient_OneMovePerGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeMoveServer{moves: []http.HandlerFunc{neverRespond, done}, playing: []http.HandlerFunc{neverRespond}}
		c := bubbleClient(t, server)
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error)
		go func() { first <- c.Move(ctx, MoveRequest{GameID: "a", UCI: "e2e4"}) }()
		synctest.Wait()
		if err := c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "d2d4"}); !errors.Is(err, ErrMoveInFlight) {
			t.Errorf("second move: %v", err)
		}
		if err := c.Move(t.Context(), MoveRequest{GameID: "b", UCI: "d2d4"}); err != nil {
			t.Errorf("another game: %v", err)
		}
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("first move: %v", err)
		}
		if err := c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "d2d4"}); err != nil {
			t.Errorf("after the first: %v", err)
		}
	})
}

func TestClient_MoveCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeMoveServer{moves: []http.HandlerFunc{limitedFor("60"), closeConn}, playing: []http.HandlerFunc{neverRespond}}
		c := bubbleClient(t, server)
		for _, after := range []time.Duration{10 * time.Second, 65 * time.Second} { // during the wait, while resolving
			ctx, cancel := context.WithTimeout(t.Context(), after)
			began := time.Now()
			err := c.Move(ctx, MoveRequest{GameID: "a", UCI: "e2e4"})
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != after {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
			cancel()
		}
	})
}

// TestClient_MoveCancelledKeepsConnection cancels each move before its response, like
// a caller whose stream has shown it: the connection must stay open.
func TestClient_MoveCancelledKeepsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var conns []int
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conns = append(conns, r.Context().Value(connection{}).(int))
			time.Sleep(20 * time.Millisecond)
			done(w, r)
		}))
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			if err := c.Move(ctx, MoveRequest{GameID: "a", UCI: "e2e4"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			cancel()
			if err := c.Move(ctx, MoveRequest{GameID: "a", UCI: "e2e4"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("with a context that has ended: %v", err)
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if diff := cmp.Diff([]int{1, 1, 1}, conns); diff != "" {
			t.Errorf("connections (-want +got):\n%s", diff)
		}
	})
}

// TestClient_MoveWhileServerUnreachable checks that a move is retried without a
// connection for as long as the clock runs, at most a minute.
func TestClient_MoveWhileServerUnreachable(t *testing.T) {
	refuse := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	const lastPause = 3 * maxPause / 2 // begins no later than the end
	for clock, want := range map[time.Duration]time.Duration{0: time.Minute, 10 * time.Second: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c, err := newClient(testOptions(t, "http://127.0.0.1:1"), newDialer(net.DefaultResolver.LookupIPAddr, refuse))
			if err != nil {
				t.Fatal(err)
			}
			m := MoveRequest{GameID: "a", UCI: "e2e4"}
			if clock > 0 {
				m.FlagAt = time.Now().Add(clock)
			}
			began := time.Now()
			err = c.Move(t.Context(), m)
			var network *NetworkError
			if took := time.Since(began); !errors.As(err, &network) || took > want || took < want-lastPause {
				t.Errorf("with a clock of %s: %v after %s", clock, err, took)
			}
		})
	}
}

// TestClient_MoveNewConnection makes all pooled connections unresponsive: the next
// attempts must not use them. Those that nothing was sent on stay open.
func TestClient_MoveNewConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pooled = 3
		var mu sync.Mutex
		var log []string
		kept := map[int]bool{}
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			warming := strings.Contains(r.URL.Path, "warm")
			conn := r.Context().Value(connection{}).(int)
			old := conn <= pooled
			mu.Lock()
			if kept[conn] = warming; !warming {
				kind := map[bool]string{true: "dead: ", false: "fresh: "}[old]
				log = append(log, kind+strings.TrimPrefix(r.URL.Path, "/api/"))
			}
			mu.Unlock()
			switch {
			case warming:
				time.Sleep(time.Second) // so that each needs a connection
				done(w, r)
			case old:
				neverRespond(w, r)
			case r.Method == http.MethodGet:
				inPlay(2, true)(w, r)
			default:
				done(w, r)
			}
		}))
		warm := func() {
			var warming sync.WaitGroup
			for i := range pooled {
				warming.Go(func() {
					if err := c.Move(t.Context(), MoveRequest{GameID: fmt.Sprint("warm", i), UCI: "e2e4"}); err != nil {
						t.Error(err)
					}
				})
			}
			warming.Wait()
		}
		warm()

		began := time.Now()
		if err := c.Move(t.Context(), MoveRequest{GameID: "zH4kQ2ab", UCI: "d2d4", Ply: 2}); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("took %s", took)
		}
		want := []string{
			"dead: bot/game/zH4kQ2ab/move/d2d4",
			"fresh: account/playing",
			"fresh: bot/game/zH4kQ2ab/move/d2d4",
		}
		if diff := cmp.Diff(want, log); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		time.Sleep(drainTimeout + time.Second)
		clear(kept)
		if warm(); len(kept) != pooled || !kept[1] && !kept[2] || !kept[2] && !kept[3] {
			t.Errorf("connections %v, want all but one of the first %d", kept, pooled)
		}
	})
}
