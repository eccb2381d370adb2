package lichess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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
func (s *fakeMoveServer) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, ", ")
}

// neverRespond reads the request and never responds.
func neverRespond(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// inPlay responds with a list of games that includes the test's game after a number
// of plies.
func inPlay(plies int, myTurn bool) http.HandlerFunc {
	side := [2]string{"w", "b"}[plies%2]
	fen := fmt.Sprintf("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ %s KQkq - 0 %d", side, plies/2+1)
	return respond(200, fmt.Sprintf(`{"nowPlaying":[{"gameId":"other"},{"gameId":"zH4kQ2ab","fen":%q,"isMyTurn":%t}]}`,
		fen, myTurn))
}

func limitedFor(seconds string) http.HandlerFunc {
	return answerWith(429, http.Header{"Retry-After": {seconds}}, "")
}

var done = respond(200, ok)

var e4 = MoveRequest{GameID: "a", UCI: "e2e4"}

// What is answered to a move and to questions for the list of games decides on what is sent
// and when, and on the error. The clock is the time left, if there is one.
func TestClient_Move(t *testing.T) {
	for _, row := range rows(`
		done                                     |                    |     | move 0s |
		404 {"error":"No such game"}             |                    |     | move 0s | not found
		400 {"error":"Piece on e2 cannot move to e4"}  |                    |     | move 0s | illegal move
		400 <html>; 403; done | 404 <html>; lost; lost||move 0s, playing 0s, playing 0s, move 0s, playing 0s, move 0s |
		200 <html>; done                         | lost               |     | move 0s, playing 0s, move 0s |
		cut                                      | arrived            |     | move 0s, playing 0s |
		cut                                      | answered           |     | move 0s, playing 0s |
		cut                                      | opponent           |     | move 0s, playing 0s |
		cut; done                                | lost               |     | move 0s, playing 0s, move 0s |
		502 <html>; done                         | 503; lost          |     | move 0s, playing 0s, playing 0s, move 0s |
		switch; done                             | switch; lost       |     | move 0s, playing 0s, playing 0s, move 0s |
		silence; done                            | lost               |     | move 0s, playing 2s, move 2s |
		cut; 400 {"error":"Not your turn"}       | lost; arrived      |     | move 0s, playing 0s, move 0s, playing 0s |
		cut; 404 {"error":"No such game"} | lost |   | move 0s, playing 0s, move 0s, playing 0s | not found
		cut                                      | no game            |     | move 0s, playing 0s | move unconfirmed
		cut                                      | no ply             |     | move 0s, playing 0s | move unconfirmed
		cut                                      | 429                |     | move 0s, playing 0s | move unconfirmed
		wait 10; wait 5; done                    |                    | 60s | move 0s, move 10s, move 15s |
		429; 429; done                           |                    |     | move 0s, move 1m0s, move 3m0s |
		wait 60; wait 60; done                   |                    | 40s | move 0s, move 20s, move 30s |
		wait 60; done                            |                    | 80s | move 0s, move 40s |
		wait 60                                  |                    | 40s | move 0s, move 20s, move 30s | rate limit
	`) {
		inBubble(t, row[0]+", "+row[1], func(t *testing.T) {
			server := &fakeMoveServer{start: time.Now(), moves: script(t, row[0])}
			if row[1] != "" {
				server.playing = script(t, row[1])
			}
			m := MoveRequest{GameID: "zH4kQ2ab", UCI: "e2e4", Ply: 8}
			if left, err := time.ParseDuration(row[2]); err == nil {
				m.FlagAt = time.Now().Add(left)
			}
			err := bubbleClient(t, server).Move(t.Context(), m)
			if got := server.requests(); got != row[3] || !isNamed(err, row[4]) {
				t.Errorf("requests %s, error %v, want %s and %q", got, err, row[3], row[4])
			}
		})
	}
}

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
				checkError(t, m.GameID, c.Move(t.Context(), m), "")
			})
			synctest.Wait()
		}
		games.Wait()
		if got := server.requests(); got != "move 0s, move 10s, move 10s" {
			t.Errorf("requests %s", got)
		}
	})
}

func TestClient_OneMovePerGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeMoveServer{
			moves: []http.HandlerFunc{neverRespond, done}, playing: []http.HandlerFunc{neverRespond},
		}
		c := bubbleClient(t, server)
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error)
		go func() { first <- c.Move(ctx, e4) }()
		synctest.Wait()
		second := MoveRequest{GameID: "a", UCI: "d2d4"}
		checkError(t, "second move", c.Move(t.Context(), second), ErrMoveInFlight.Error())
		checkError(t, "another game", c.Move(t.Context(), MoveRequest{GameID: "b", UCI: "d2d4"}), "")
		cancel()
		checkError(t, "first move", <-first, context.Canceled.Error())
		checkError(t, "after the first", c.Move(t.Context(), second), "")
	})
}

func TestClient_MoveCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeMoveServer{
			moves: []http.HandlerFunc{limitedFor("60"), closeConn}, playing: []http.HandlerFunc{neverRespond},
		}
		c := bubbleClient(t, server)
		for _, after := range []time.Duration{10 * time.Second, 65 * time.Second} { // during the wait, while resolving
			ctx, cancel := context.WithTimeout(t.Context(), after)
			began := time.Now()
			err := c.Move(ctx, e4)
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
			for range 2 { // and with a context that has ended
				if err := c.Move(ctx, e4); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
			}
			cancel()
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
			c, err := newClient(testOptions(t, "http://127.0.0.1:1"),
				newDialer(net.DefaultResolver.LookupIPAddr, refuse))
			if err != nil {
				t.Fatal(err)
			}
			m := e4
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
				m := MoveRequest{GameID: fmt.Sprint("warm", i), UCI: "e2e4"}
				warming.Go(func() { checkError(t, m.GameID, c.Move(t.Context(), m), "") })
			}
			warming.Wait()
		}
		warm()

		began := time.Now()
		checkError(t, "move", c.Move(t.Context(), MoveRequest{GameID: "zH4kQ2ab", UCI: "d2d4", Ply: 2}), "")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("took %s", took)
		}
		const want = "dead: bot/game/zH4kQ2ab/move/d2d4, fresh: account/playing, fresh: bot/game/zH4kQ2ab/move/d2d4"
		if got := strings.Join(log, ", "); got != want {
			t.Errorf("requests %s, want %s", got, want)
		}
		time.Sleep(drainTimeout + time.Second)
		clear(kept)
		if warm(); len(kept) != pooled || !kept[1] && !kept[2] || !kept[2] && !kept[3] {
			t.Errorf("connections %v, want all but one of the first %d", kept, pooled)
		}
	})
}
