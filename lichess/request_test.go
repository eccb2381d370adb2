package lichess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
	var network *NetworkError
	if !errors.As(err, &network) || errors.Is(err, ErrUnauthorized) || !IsTemporary(err) {
		t.Errorf("error %v (%T)", err, err)
	}
	if !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error %v does not say why", err)
	}
}

func TestClient_HugeResponse(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, strings.Repeat(" ", maxBody+1)))
	if _, err := c.Account(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes") {
		t.Errorf("error %v", err)
	}
}

// TestClient_OneCallAtATime checks that calls are sent one at a time and that moves,
// streams and accepts do not wait for them.
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
		if err := c.AcceptChallenge(t.Context(), "b", Human); err != nil {
			t.Error(err)
		}
		stream, err := c.StreamEvents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stream.Close()
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
		{"reading after a cut", account, []http.HandlerFunc{closeConn, respond(200, "{}")}, 2, nil},
		{"reading after 4xx", account, []http.HandlerFunc{respond(404, `{"error":"Not found"}`)}, 1, ErrNotFound},
		{"reading after a proxy's 4xx", account, []http.HandlerFunc{respond(403, "<html>"), respond(404, ""), respond(200, "{}")}, 3, nil},
		{"reading after a proxy's 200", account, []http.HandlerFunc{respond(200, "<html>"), respond(200, "{}")}, 2, nil},
		{"a command after a cut", accept, []http.HandlerFunc{closeConn}, 1, io.EOF},
		{"a command after 5xx", accept, []http.HandlerFunc{respond(502, "")}, 1, ErrUnavailable},
		{"a command after a proxy's 200", accept, []http.HandlerFunc{respond(200, "<html>")}, 1, ErrUnavailable},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{answers: tc.answers}
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

// TestClient_RetriesUnsentRequests checks that a command is sent again if the
// connection failed.
func TestClient_RetriesUnsentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{answers: []http.HandlerFunc{respond(200, ok)}}
		c, down := bubbleClient(t, server)
		defer down()
		transport := c.calls.GetClient().Transport.(*authTransport).Transport
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

// A request for which there was no connection was not sent, whatever ended it.
func TestClient_NotSent(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prevent func(c *Client, end <-chan struct{}) // a connection, until the end
		want    bool
	}{
		{"unanswered", func(*Client, <-chan struct{}) {}, false},
		{"no connection", func(c *Client, end <-chan struct{}) {
			c.calls.GetClient().Transport.(*authTransport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				select {
				case <-ctx.Done():
				case <-end:
				}
				return nil, &net.OpError{Op: "dial", Err: errors.New("no route")}
			}
		}, true},
		{"behind another call", func(c *Client, _ <-chan struct{}) { c.calls.sem <- struct{}{} }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, down := bubbleClient(t, http.HandlerFunc(neverRespond))
				defer down()
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
		})
	}
}

func TestClient_RetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{answers: []http.HandlerFunc{respond(503, "")}}
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

func TestClient_ErrorResponses(t *testing.T) {
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
			want: APIError{StatusCode: 400, Message: "Not your turn, or game already over", Explained: true},
		},
		{
			name: "object", status: 400, body: `{"error":{"clock.limit":["Invalid","Bad"],"global":"No"},"clock.limit":["Invalid"]}`,
			want: APIError{
				StatusCode: 400, Message: "clock.limit: Invalid, Bad; global: No", Explained: true,
				Fields: map[string][]string{"clock.limit": {"Invalid", "Bad"}, "global": {"No"}},
			},
		},
		{
			name: "object in an object", status: 400, body: `{"error":{"a":{"b":1}}}`,
			want: APIError{StatusCode: 400, Message: `a: {"b":1}`, Explained: true, Fields: map[string][]string{"a": {`{"b":1}`}}},
		},
		{
			name: "no such token", status: 401, body: `{"error":"No such token"}`,
			want: APIError{StatusCode: 401, Message: "No such token", Explained: true}, is: ErrUnauthorized,
		},
		{
			name: "not found", status: 404, body: `{"error":"No such game"}`,
			want: APIError{StatusCode: 404, Message: "No such game", Explained: true}, is: ErrNotFound,
		},
		{
			name: "web page", status: 502, body: "<html><title>502 Bad Gateway</title></html>",
			want: APIError{StatusCode: 502, Message: "a web page instead of JSON"}, is: ErrUnavailable,
		},
		{
			name: "web page in place of a token check", status: 401, body: "<html>",
			want: APIError{StatusCode: 401, Message: "a web page instead of JSON"}, is: ErrUnavailable,
		},
		{
			name: "nothing in place of a game", status: 404,
			want: APIError{StatusCode: 404, Message: "Not Found"}, is: ErrUnavailable,
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
			want:   APIError{StatusCode: 403, Message: "Please upgrade", Explained: true},
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

// answerWith returns a handler that always sends the same response.
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
			if !errors.As(err, &api) || api.StatusCode != http.StatusForbidden {
				t.Errorf("error %v holds no answer", err)
			}
		})
	}
}

func TestClient_ChallengeWithoutID(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, "{}"))
	if _, err := c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{}); !errors.Is(err, errNoChallengeID) {
		t.Errorf("error %v", err)
	}
}

// What is not JSON is not from Lichess, which may be back later; what is, but has another
// form, is no matter of time.
func TestClient_InvalidResponse(t *testing.T) {
	for body, tt := range map[string]struct {
		want      string
		temporary bool
	}{
		"<html>":          {"server unavailable: a web page instead of JSON", true},
		"Down, " + secret: {"server unavailable: Down, ", true},
		"":                {"server unavailable: an empty body", true},
		`{"id":1}`:        {"json: cannot unmarshal number", false},
	} {
		_, err := testClient(t, respond(http.StatusOK, body), noRetry).Account(t.Context())
		if err == nil || !strings.Contains(err.Error(), "GET /api/account: invalid response (status 200): "+tt.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: error %v", body, err)
		}
		if IsTemporary(err) != tt.temporary || errors.Is(err, ErrUnavailable) != tt.temporary || IsRefusal(err) {
			t.Errorf("%q: temporary is %t", body, IsTemporary(err))
		}
	}
}

// Only a message about the move itself marks it as illegal.
func TestIsAboutMove(t *testing.T) {
	for text, want := range map[string]bool{
		"Piece on e2 cannot move to e4":                true,
		"No piece on e2":                               true,
		"Can't drop Pawn on e4":                        true,
		"Invalid UCI: e2e4":                            true,
		"Not your turn, or game already over":          false,
		"game zH4kQ2e4 is finished":                    false,
		"Pov(zH4kQ2ab,White) not your turn":            false,
		"This game cannot be played with the Bot API.": false,
		"move refused for some reason":                 false,
	} {
		err := &APIError{StatusCode: 400, Message: text, Explained: true}
		if got := isAboutMove(err, "e2e4"); got != want {
			t.Errorf("%q condemns e2e4: %t", text, got)
		}
	}
	if isAboutMove(&APIError{StatusCode: 400, Message: "e2"}, "e2e4") {
		t.Error("a proxy's page condemns a move")
	}
}

// Lichess has no text for a game that it does not know; a proxy's page is another thing,
// and asked again.
func TestExportGame_NotFound(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want error
	}{"Lichess": {"", ErrNotFound}, "a proxy": {"<html>", ErrUnavailable}} {
		c := testClient(t, respond(http.StatusNotFound, tt.body), noRetry)
		if _, err := c.ExportGame(t.Context(), "nonesuch"); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestClient_Anonymous(t *testing.T) {
	var sent http.Header
	c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		respond(http.StatusOK, `{"id":"a"}`)(w, r)
	}), func(o *Options) { o.Token, o.Anonymous = Token{}, true })
	if _, err := c.User(t.Context(), "a"); err != nil || sent.Get("Authorization") != "" || sent.Get("User-Agent") != "zhbot/1.2.3" {
		t.Errorf("sent %v: %v", sent, err)
	}
}
