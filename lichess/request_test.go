package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClient_NoConnection(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	_, err := clientOf(t, server.URL, noRetry).Account(t.Context())
	checkError(t, "call", err, "connection refused")
	if !errors.As(err, new(*NetworkError)) || errors.Is(err, ErrUnauthorized) || !IsTemporary(err) {
		t.Errorf("error %v (%T)", err, err)
	}
}

func TestClient_HugeResponse(t *testing.T) {
	_, err := testClient(t, respond(http.StatusOK, strings.Repeat(" ", maxBody+1))).Account(t.Context())
	checkError(t, "call", err, "more than 4194304 bytes")
}

// TestClient_OneCallAtATime checks that calls are sent one at a time and that moves,
// streams and accepts do not wait for them.
func TestClient_OneCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most atomic.Int32
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/resign") {
				most.Store(max(most.Load(), inside.Add(1)))
				time.Sleep(time.Second)
				inside.Add(-1)
			}
			respond(http.StatusOK, ok)(w, r)
		}))
		began := time.Now()
		var calls sync.WaitGroup
		for i := range 4 {
			calls.Go(func() {
				checkError(t, "call", c.Resign(t.Context(), fmt.Sprint("game", i)), "")
			})
		}
		synctest.Wait()
		checkError(t, "move", c.Move(t.Context(), e4), "")
		checkError(t, "accept", c.AcceptChallenge(t.Context(), "b", Human), "")
		checkError(t, "stream", second(c.StreamEvents(t.Context())), "")
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a move, an accept and a stream waited %s for calls", waited)
		}
		calls.Wait()
		if most.Load() != 1 || time.Since(began) != 4*time.Second {
			t.Errorf("%d calls at once, %s in all", most.Load(), time.Since(began))
		}
	})
}

func TestClient_Observe(t *testing.T) {
	var seen []Observation
	c := testClient(t, answerWith(429, http.Header{"Retry-After": {"7"}}, ""), func(o *Options) {
		o.Observe = func(o Observation) { seen = append(seen, o) }
	})
	for range 2 { // the second is blocked locally: nothing to observe
		if err := c.Chat(t.Context(), "a", PlayerRoom, "hi"); err == nil {
			t.Error("no error")
		}
	}
	if _, err := c.StreamGame(t.Context(), "a"); err == nil {
		t.Error("no error")
	}
	var got []string
	for _, o := range seen {
		got = append(got, fmt.Sprintf("%s %d %s", o.Endpoint, o.Status, o.Wait.Round(time.Second)))
		if o.Duration <= 0 || o.Err == nil {
			t.Errorf("observed %+v", o)
		}
	}
	want := []string{"POST /api/bot/game/{id}/chat 429 7s", "GET /api/bot/game/stream/{id} 429 7s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

// fakeServer sends one response after the other and repeats the last one.
type fakeServer struct {
	mu       sync.Mutex
	requests int
	answers  []http.HandlerFunc
}

func newServer(answers ...http.HandlerFunc) *fakeServer { return &fakeServer{answers: answers} }

func (c *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	answer := c.answers[min(c.requests, len(c.answers)-1)]
	c.requests++
	c.mu.Unlock()
	answer(w, r)
}

func (c *fakeServer) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// closeConn closes the connection without a response.
func closeConn(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// switchProtocols answers what only a request for another protocol may be answered with, and
// leaves the connection open.
func switchProtocols(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", "other")
	w.WriteHeader(http.StatusSwitchingProtocols)
}

// informUntilGone sends informational responses (1xx) without end.
func informUntilGone(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		w.WriteHeader(http.StatusEarlyHints)
		time.Sleep(time.Millisecond)
	}
}

func TestClient_Retries(t *testing.T) {
	for _, row := range rows(`
		Account         | 502; 503; 200 {}                  | 3 |
		Account         | cut; 200 {}                       | 2 |
		Account         | 404 {"error":"Not found"}         | 1 | not found
		Account         | 403 <html>; 404; 200 {}           | 3 |
		Account         | 200 <html>; 200 {}                | 2 |
		OnlineBots      | 200 <html>; 200 {}                | 2 |
		Account         | switch; 200 {}                    | 2 |
		Account         | informational; 200 {}             | 2 |
		AcceptChallenge | switch        | 1 | the server switches protocols (101), which was not asked for
		AcceptChallenge | cut                               | 1 | EOF
		AcceptChallenge | 502                               | 1 | server unavailable
		AcceptChallenge | 200 <html>                        | 1 | server unavailable
	`) {
		inBubble(t, row[0]+" after "+row[1], func(t *testing.T) {
			server := newServer(script(t, row[1])...)
			c := bubbleClient(t, server)
			err := map[string]func() error{
				"Account":         func() error { return second(c.Account(t.Context())) },
				"OnlineBots":      func() error { return second(c.OnlineBots(t.Context(), 5)) },
				"AcceptChallenge": func() error { return c.AcceptChallenge(t.Context(), "a", Human) },
			}[row[0]]()
			if got := fmt.Sprint(server.count()); got != row[2] || !isNamed(err, row[3]) {
				t.Errorf("error %v after %s requests, want %q after %s", err, got, row[3], row[2])
			}
		})
	}
}

// rows returns the cells of a table, one row a line.
func rows(table string) (list [][]string) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		list = append(list, cells)
	}
	return list
}

// isNamed reports whether an error is what a cell of a table names by its text; "" is none.
func isNamed(err error, cell string) bool {
	if errors.As(err, new(*RateLimitError)) {
		return cell == "rate limit"
	}
	sentinels := []error{ErrNotFound, ErrUnavailable, ErrIllegalMove, ErrMoveUnconfirmed, errSwitched, io.EOF}
	return err == nil && cell == "" ||
		slices.ContainsFunc(sentinels, func(s error) bool { return s.Error() == cell && errors.Is(err, s) })
}

// script returns the answers that a cell of a table lists: a status with its body, or one of
// namedAnswers. "wait 60" asks for a wait of 60 s.
func script(t *testing.T, cell string) (list []http.HandlerFunc) {
	t.Helper()
	for text := range strings.SplitSeq(cell, "; ") {
		status, body, _ := strings.Cut(text, " ")
		code, err := strconv.Atoi(status)
		switch named := namedAnswers[text]; {
		case named != nil:
			list = append(list, named)
		case status == "wait":
			list = append(list, limitedFor(body))
		case err == nil:
			list = append(list, respond(code, body))
		default:
			t.Fatalf("no answer %q", text)
		}
	}
	return list
}

var namedAnswers = map[string]http.HandlerFunc{
	"cut":           closeConn,
	"silence":       neverRespond,
	"switch":        switchProtocols,
	"informational": informUntilGone,
	"done":          done,
	// Lists of games in progress, by what they tell of the move of ply 8:
	"lost":     inPlay(8, true),
	"arrived":  inPlay(9, false),
	"answered": inPlay(10, true),
	"no ply":   respond(200, `{"nowPlaying":[{"gameId":"zH4kQ2ab","fen":"8/8 w - - 0 x","isMyTurn":true}]}`),
	"opponent": respond(200, `{"nowPlaying":[{"gameId":"zH4kQ2ab","fen":"?"}]}`),
	"no game":  respond(200, `{"nowPlaying":[]}`),
}

// TestClient_RetriesUnsentRequests checks that a command is sent again if the
// connection failed.
func TestClient_RetriesUnsentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(done)
		c := bubbleClient(t, server)
		failures := 3
		dialBy(c, func(dial dialFunc) dialFunc {
			return func(ctx context.Context, network, address string) (net.Conn, error) {
				if failures--; failures >= 0 {
					return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
				}
				return dial(ctx, network, address)
			}
		})
		if checkError(t, "accept", c.AcceptChallenge(t.Context(), "aaaaaaaa", Human), ""); server.count() != 1 {
			t.Errorf("%d requests", server.count())
		}
	})
}

// dialBy replaces how the client connects for calls and their retries.
func dialBy(c *Client, by func(dialFunc) dialFunc) {
	for _, t := range []*transport{c.calls, c.fresh} {
		pool := t.GetClient().Transport.(*authTransport).Transport
		pool.DialContext = by(pool.DialContext)
	}
}

// A request for which there was no connection was not sent, whatever ended it.
func TestClient_NotSent(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prevent func(c *Client, end <-chan struct{}) // a connection, until the end
		want    bool
	}{
		{"unanswered", func(*Client, <-chan struct{}) {}, false},
		{"no connection", func(c *Client, end <-chan struct{}) {
			dialBy(c, func(dialFunc) dialFunc {
				return func(ctx context.Context, _, _ string) (net.Conn, error) {
					select {
					case <-ctx.Done():
					case <-end:
					}
					return nil, &net.OpError{Op: "dial", Err: errors.New("no route")}
				}
			})
		}, true},
		{"behind another call", func(c *Client, _ <-chan struct{}) { c.calls.sem <- struct{}{} }, true},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			c := bubbleClient(t, http.HandlerFunc(neverRespond))
			end := make(chan struct{})
			defer close(end)
			tt.prevent(c, end)
			for _, limit := range []time.Duration{3 * time.Second, 20 * time.Second, time.Hour} {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				err := c.Resign(ctx, "aaaaaaaa")
				cancel()
				if err == nil || errors.Is(err, ErrNotSent) != tt.want {
					t.Errorf("within %s: %v; not sent: %t, want %t", limit, err, !tt.want, tt.want)
				}
			}
		})
	}
}

func TestClient_RetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bubbleClient(t, respond(503, ""))
		began := time.Now()
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took > time.Minute || took < 30*time.Second {
			t.Errorf("gave up after %s", took)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := c.Account(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrUnavailable) {
			t.Errorf("after the deadline: %v", err)
		}

		c = bubbleClient(t, newServer(respond(503, ""), neverRespond))
		ctx, cancel = context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := c.Account(ctx); !errors.Is(err, context.DeadlineExceeded) || !IsTemporary(err) {
			t.Errorf("cut in an attempt: %v", err)
		}
	})
}

// After a timeout no pooled connection is used again.
func TestClient_CallsNewConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pooled = 2
		dead := false
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if dead && r.Context().Value(connection{}).(int) <= pooled {
				neverRespond(w, r)
				return
			}
			time.Sleep(time.Second) // so that each needs a connection
			done(w, r)
		}))
		var warming sync.WaitGroup
		for range pooled {
			warming.Go(func() { checkError(t, "warming", c.AcceptChallenge(t.Context(), "a", Human), "") })
		}
		warming.Wait()
		dead = true
		if err := c.AcceptChallenge(t.Context(), "a", Human); err == nil {
			t.Error("accepted on a dead connection")
		}
		checkError(t, "the next", c.AcceptChallenge(t.Context(), "a", Human), "")
	})
}

// Lichess has no text for an arena that it does not know; a proxy's page is another thing,
// and asked again.
func TestClient_NotFound(t *testing.T) {
	for body, want := range map[string]error{"": ErrNotFound, "<html>": ErrUnavailable} {
		_, err := testClient(t, respond(http.StatusNotFound, body), noRetry).Arena(t.Context(), "nonesuch")
		if !errors.Is(err, want) {
			t.Errorf("%q: error %v", body, err)
		}
	}
}
