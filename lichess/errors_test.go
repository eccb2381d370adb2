package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClient_Refusals(t *testing.T) {
	tests := []struct {
		name   string
		status int
		header http.Header
		body   string
		want   APIError
		is     error
	}{
		{
			name: "text", status: 400, body: `{"error":"Not your turn, or game already over"}`,
			want: APIError{StatusCode: 400, Message: "Not your turn, or game already over"},
		},
		{
			name: "object", status: 400, body: `{"error":{"clock.limit":["Invalid","Bad"],"global":"No"},"clock.limit":["Invalid"]}`,
			want: APIError{
				StatusCode: 400, Message: "clock.limit: Invalid, Bad; global: No",
				Fields: map[string][]string{"clock.limit": {"Invalid", "Bad"}, "global": {"No"}},
			},
		},
		{
			name: "object in an object", status: 400, body: `{"error":{"a":{"b":1}}}`,
			want: APIError{StatusCode: 400, Message: `a: {"b":1}`, Fields: map[string][]string{"a": {`{"b":1}`}}},
		},
		{
			name: "no such token", status: 401, body: `{"error":"No such token"}`,
			want: APIError{StatusCode: 401, Message: "No such token"}, is: ErrUnauthorized,
		},
		{
			name: "not found", status: 404, body: `{"error":"No such game"}`,
			want: APIError{StatusCode: 404, Message: "No such game"}, is: ErrNotFound,
		},
		{
			name: "web page", status: 502, body: "<html><title>502 Bad Gateway</title></html>",
			want: APIError{StatusCode: 502, Message: "a web page instead of an answer"}, is: ErrUnavailable,
		},
		{
			name: "nothing", status: 503,
			want: APIError{StatusCode: 503, Message: "Service Unavailable"}, is: ErrUnavailable,
		},
		{
			name: "text with control characters", status: 500, body: "go\r\naway\x1b[31m now",
			want: APIError{StatusCode: 500, Message: "go away [31m now"}, is: ErrUnavailable,
		},
		{
			name: "redirect", status: 301, header: http.Header{"Location": {"https://evil.example/x"}},
			want: APIError{
				StatusCode: 301,
				Message:    `redirect to "https://evil.example/x", which is never followed: set the server's URL to where it really is`,
			},
			is: ErrRedirect,
		},
		{
			name: "forbidden for another reason", status: 403, body: `{"error":"Please upgrade"}`,
			header: http.Header{"X-Oauth-Scopes": {"bot:play,msg:write"}, "X-Accepted-Oauth-Scopes": {"board:play,bot:play"}},
			want:   APIError{StatusCode: 403, Message: "Please upgrade"},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			c := testClient(t, answerWith(tc.status, tc.header, tc.body), noRetry)
			_, err := c.Account(t.Context())
			var got *APIError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is no *APIError", err)
			}
			tc.want.Endpoint = "GET /api/account"
			if diff := cmp.Diff(tc.want, *got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			for _, sentinel := range []error{ErrUnauthorized, ErrNotFound, ErrUnavailable, ErrRedirect} {
				if errors.Is(err, sentinel) != (sentinel == tc.is) {
					t.Errorf("errors.Is(%v, %v) = %t", err, sentinel, sentinel != tc.is)
				}
			}
		})
	}
}

// answerWith returns a handler with one answer for everything.
func answerWith(status int, header http.Header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		respond(status, body)(w, r)
	}
}

func TestClient_MissingScope(t *testing.T) {
	headers := http.Header{"X-Oauth-Scopes": {"challenge:read,msg:write"}, "X-Accepted-Oauth-Scopes": {"bot:play,board:play"}}
	tests := map[string]struct {
		header http.Header
		body   string
		want   string
	}{
		"in the headers": {headers, "", "lacks the scope bot:play or board:play (it has: challenge:read, msg:write)"},
		"in the text":    {nil, `{"error":"Missing scope: bot:play"}`, "lacks the scope bot:play (it has: none)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := testClient(t, answerWith(403, tc.header, tc.body))
			_, err := c.StreamEvents(t.Context())
			var scope *ScopeError
			if !errors.As(err, &scope) || scope.Accepted[0] != "bot:play" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
			var api *APIError
			if !errors.As(err, &api) || api.StatusCode != 403 {
				t.Errorf("error %v holds no answer", err)
			}
		})
	}
}

// TestClient_NoRedirect shows that a redirect is followed neither to another host
// nor on the same one.
func TestClient_NoRedirect(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, to := range []string{other.URL + "/steal", "/api/elsewhere"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			var here atomic.Int32
			c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				here.Add(1)
				http.Redirect(w, r, to, status)
			}))
			calls := []error{
				second(c.Account(t.Context())),
				c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "e2e4"}),
				second(c.StreamGame(t.Context(), "a")),
			}
			for _, err := range calls {
				if !errors.Is(err, ErrRedirect) {
					t.Errorf("%d to %s: %v", status, to, err)
				}
			}
			if n := here.Load(); n != 3 {
				t.Errorf("%d to %s: %d requests, want 3", status, to, n)
			}
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests went to another host", n)
	}
}

func TestGuard_RefusesOtherHosts(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("got %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	c := testClient(t, respond(http.StatusOK, ok))
	for _, client := range []*http.Client{c.streams, c.moves.http, c.calls.http} {
		if _, err := client.Get(other.URL); err == nil {
			t.Error("sent to another host")
		}
	}
}

func TestClient_NoConnection(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	_, err := clientOf(t, server.URL, noRetry).Account(t.Context())
	var network *NetworkError
	if !errors.As(err, &network) || errors.Is(err, ErrUnauthorized) || !IsTemporary(err) {
		t.Errorf("error %v (%T)", err, err)
	}
	if !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error %v does not say why", err)
	}
}

func TestClient_HugeAnswer(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, strings.Repeat(" ", maxBody+1)))
	if _, err := c.Account(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes") {
		t.Errorf("error %v", err)
	}
}

func TestClient_ChallengeWithoutID(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, "{}"))
	if _, err := c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{}); !errors.Is(err, errNoChallengeID) {
		t.Errorf("error %v", err)
	}
}

func TestClient_AnswerIsNotJSON(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, "<html>"))
	if _, err := c.Account(t.Context()); err == nil || !strings.Contains(err.Error(), "GET /api/account: answer 200 is not what it should be") {
		t.Errorf("error %v", err)
	}
}

// counter answers by the number of the request, and with the last answer from
// then on.
type counter struct {
	mu      sync.Mutex
	at      []time.Time
	answers []http.HandlerFunc
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.at = append(c.at, time.Now())
	answer := c.answers[min(len(c.at), len(c.answers))-1]
	c.mu.Unlock()
	answer(w, r)
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.at)
}

// hangUp closes the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestClient_Retries(t *testing.T) {
	account := func(ctx context.Context, c *Client) error { return second(c.Account(ctx)) }
	accept := func(ctx context.Context, c *Client) error { return c.AcceptChallenge(ctx, "a", Human) }
	tests := []struct {
		name    string
		call    func(context.Context, *Client) error
		answers []http.HandlerFunc
		want    int // requests
		failure error
	}{
		{"reading after 5xx", account, []http.HandlerFunc{respond(502, ""), respond(503, ""), respond(200, "{}")}, 3, nil},
		{"reading after a cut", account, []http.HandlerFunc{hangUp, respond(200, "{}")}, 2, nil},
		{"reading after 4xx", account, []http.HandlerFunc{respond(404, "")}, 1, ErrNotFound},
		{"a command after a cut", accept, []http.HandlerFunc{hangUp}, 1, io.EOF},
		{"a command after 5xx", accept, []http.HandlerFunc{respond(502, "")}, 1, ErrUnavailable},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &counter{answers: tc.answers}
				c, down := bubbleClient(t, server)
				defer down()
				if err := tc.call(t.Context(), c); !errors.Is(err, tc.failure) {
					t.Errorf("error %v, want %v", err, tc.failure)
				}
				if n := server.count(); n != tc.want {
					t.Errorf("%d requests, want %d", n, tc.want)
				}
			})
		})
	}
}

// TestClient_RetriesWhatWasNeverSent shows that a command is sent again when the
// connection itself failed.
func TestClient_RetriesWhatWasNeverSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counter{answers: []http.HandlerFunc{respond(200, ok)}}
		c, down := bubbleClient(t, server)
		defer down()
		transport := c.calls.http.Transport.(*guard).Transport
		dial, failures := transport.DialContext, 3
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if failures--; failures >= 0 {
				return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
			}
			return dial(ctx, network, address)
		}
		if err := c.AcceptChallenge(t.Context(), "aaaaaaaa", Human); err != nil || server.count() != 1 {
			t.Errorf("error %v, %d requests", err, server.count())
		}
	})
}

func TestClient_RetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counter{answers: []http.HandlerFunc{respond(503, "")}}
		c, down := bubbleClient(t, server)
		defer down()
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
	})
}

// TestClient_OneCallAtATime shows that calls take turns, and that moves and
// streams do not wait for them.
func TestClient_OneCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most atomic.Int32
		c, down := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/resign") {
				most.Store(max(most.Load(), inside.Add(1)))
				time.Sleep(time.Second)
				inside.Add(-1)
			}
			respond(http.StatusOK, ok)(w, r)
		}))
		defer down()
		began := time.Now()
		var calls sync.WaitGroup
		for i := range 4 {
			calls.Go(func() {
				if err := c.Resign(t.Context(), fmt.Sprint("game", i)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "e2e4"}); err != nil {
			t.Error(err)
		}
		stream, err := c.StreamEvents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stream.Close()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a move and a stream waited %s for calls", waited)
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
	for range 2 { // the second is refused here, so there is nothing to observe
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

func TestClient_BotGamesLimit(t *testing.T) {
	sample, err := os.ReadFile("testdata/bot-limit.json")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		status := http.StatusBadRequest
		server := &counter{answers: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			respond(status, string(sample))(w, r)
		}}}
		c, down := bubbleClient(t, server)
		defer down()

		// With 400 it is the opponent's limit: nothing closes.
		var refused *APIError
		for range 2 {
			err := second(c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{Opponent: Bot}))
			if !errors.As(err, &refused) || refused.Limit == nil || *refused.Limit != (Limit{Key: BotGamesLimit, Seconds: 43210}) {
				t.Fatalf("error %v", err)
			}
		}

		// With 429 it is ours: no more games with bots, neither way.
		status = http.StatusTooManyRequests
		var limited *RateLimitError
		err := c.AcceptChallenge(t.Context(), "aaaaaaaa", Bot)
		if !errors.As(err, &limited) || limited.Local || limited.Key != BotGamesLimit || limited.RetryAfter != 43210*time.Second {
			t.Fatalf("error %v", err)
		}
		sent := server.count()
		err = second(c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{Opponent: Bot}))
		if !errors.As(err, &limited) || !limited.Local || limited.Key != BotGamesLimit || server.count() != sent {
			t.Errorf("to a bot: %v", err)
		}

		// Humans can still play.
		status = http.StatusOK
		if err := c.AcceptChallenge(t.Context(), "bbbbbbbb", Human); err != nil {
			t.Errorf("of a human: %v", err)
		}
		time.Sleep(43210 * time.Second)
		if err := c.AcceptChallenge(t.Context(), "cccccccc", Bot); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}
