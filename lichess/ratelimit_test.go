package lichess

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/file/filetest"
)

func TestRateLimiter_WaitDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRateLimiter()
		class := post("/chat")
		for _, want := range []time.Duration{60, 120, 240, 480, 600, 600} {
			if got := g.block(class, 0, ""); got != want*time.Second {
				t.Errorf("wait %s, want %ds", got, want)
			}
			if others, _ := g.blockedFor(everything); others != time.Minute {
				t.Errorf("everything else is blocked for %s", others)
			}
			time.Sleep(10 * time.Second)
			// A 429 to a request sent earlier does not count again.
			if got := g.block(class, 0, ""); got != want*time.Second {
				t.Errorf("second 429 within a wait: %s, want %ds", got, want)
			}
			time.Sleep(want * time.Second)
		}
		g.succeeded(class)
		if got := g.block(class, 0, ""); got != time.Minute {
			t.Errorf("after a success: %s", got)
		}
		g.succeeded(class) // sent before the class was blocked
		time.Sleep(time.Minute + 1)
		if got := g.block(class, 0, ""); got != 2*time.Minute {
			t.Errorf("after a success within the wait: %s", got)
		}
		if got := g.block(class, time.Second, ""); got != 2*time.Minute {
			t.Errorf("a shorter wait cut the longer: %s", got)
		}
		if wait, _ := g.blockedFor(get("/chat")); wait > 0 {
			t.Errorf("another class is blocked for %s", wait)
		}
	})
}

func TestRequestedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // for the clock
		now := time.Now()
		inFive := now.Add(5 * time.Second).UTC().Format(http.TimeFormat)
		tests := []struct {
			header string
			limit  *Limit
			want   time.Duration
		}{
			{"", nil, 0},
			{"17", nil, 17 * time.Second},
			{inFive, nil, 5 * time.Second},
			{"Mon, 01 Jan 1990 00:00:00 GMT", nil, time.Second},
			{"0", nil, time.Second},
			{"-9", nil, time.Second},
			{"soon", nil, 0},
			{"1.5", nil, 1500 * time.Millisecond},
			{"0.25", nil, time.Second},
			{"1e300", nil, maxWait},
			{"NaN", nil, 0},
			{"-Inf", nil, 0},
			{"9223372036854775807", nil, maxWait},
			{"", &Limit{Seconds: 90}, 90 * time.Second},
			{"60", &Limit{Seconds: 90}, 90 * time.Second},
			{"120", &Limit{Seconds: 90}, 120 * time.Second},
			{"", &Limit{Seconds: -1}, 0},
		}
		for _, tc := range tests {
			if got := requestedWait(http.Header{"Retry-After": {tc.header}}, tc.limit, now); got != tc.want {
				t.Errorf("Retry-After %q, limit %v: %s, want %s", tc.header, tc.limit, got, tc.want)
			}
		}
	})
}

// TestClient_RateLimitBlocksClass checks that a 429 with a named limit blocks its
// class only.
func TestClient_RateLimitBlocksClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{answers: []http.HandlerFunc{
			respond(429, `{"error":"Too many requests","ratelimit":{"key":"chat","seconds":60}}`), respond(200, ok),
		}}
		c := bubbleClient(t, server)

		var limited *RateLimitError
		if err := c.Chat(t.Context(), "a", PlayerRoom, "1"); !errors.As(err, &limited) || limited.Local {
			t.Fatalf("error %v", err)
		}
		time.Sleep(59 * time.Second)
		err := c.Chat(t.Context(), "b", PlayerRoom, "2")
		if !errors.As(err, &limited) || !limited.Local || limited.RetryAfter != time.Second {
			t.Errorf("within the wait: %v", err)
		}
		if n := server.count(); n != 1 {
			t.Errorf("%d requests within the wait", n)
		}
		if err := c.Resign(t.Context(), "a"); err != nil {
			t.Errorf("another class: %v", err)
		}
		if err := c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "e2e4"}); err != nil {
			t.Errorf("a move: %v", err)
		}
		time.Sleep(time.Second)
		if err := c.Chat(t.Context(), "a", PlayerRoom, "3"); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}

// After a 429 that names no limit only moves and game streams are sent, for the wait
// that it asks for or for a minute.
func TestClient_UnnamedLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		wait   time.Duration
	}{
		"a proxy's page":   {respond(429, "<html>Too many requests</html>"), time.Minute},
		"without a key":    {respond(429, `{"error":"Too many requests. Try again later."}`), time.Minute},
		"with Retry-After": {limitedFor("20"), 20 * time.Second},
		"for very long":    {limitedFor("36000"), maxBackoff},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{answers: []http.HandlerFunc{tt.answer, respond(200, ok)}}
				c := bubbleClient(t, server)
				var limited *RateLimitError
				if err := c.Chat(t.Context(), "a", PlayerRoom, "1"); !errors.As(err, &limited) || limited.Local {
					t.Fatalf("error %v", err)
				}
				time.Sleep(tt.wait - time.Second)
				held := map[string]func() error{
					"resign":  func() error { return c.Resign(t.Context(), "a") },
					"ping":    func() error { return c.Ping(t.Context()) },
					"account": func() error { return second(c.Account(t.Context())) },
					"patient stream": func() error {
						return second(c.StreamGameWith(t.Context(), "c", StreamOptions{Deferrable: true}))
					},
					"accept":       func() error { return c.AcceptChallenge(t.Context(), "b", Human) },
					"event stream": func() error { return second(c.StreamEvents(t.Context())) },
				}
				for what, call := range held {
					if err := call(); !errors.As(err, &limited) || !limited.Local || limited.RetryAfter != time.Second {
						t.Errorf("%s within the wait: %v", what, err)
					}
				}
				if n := server.count(); n != 1 {
					t.Errorf("%d requests within the wait", n)
				}
				if err := c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "e2e4"}); err != nil {
					t.Errorf("a move: %v", err)
				}
				stream, err := c.StreamGame(t.Context(), "a")
				if err != nil {
					t.Fatalf("the stream of a game: %v", err)
				}
				stream.Close()
				time.Sleep(time.Second)
				for what, call := range held {
					if err := call(); err != nil && !strings.Contains(what, "stream") {
						t.Errorf("%s after the wait: %v", what, err)
					}
				}
			})
		})
	}
}

// The event stream alone is tried again after ten minutes: without it the bot is off.
func TestClient_LimitedForADay(t *testing.T) {
	for _, answer := range []http.HandlerFunc{limitedFor("86400"), respond(429, `{"error":"","ratelimit":{"key":"x","seconds":86400}}`)} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{answers: []http.HandlerFunc{answer}}
			c := bubbleClient(t, server)
			for range 3 {
				err := second(c.StreamEvents(t.Context()))
				limited, ok := errors.AsType[*RateLimitError](err)
				if !ok || limited.Local || limited.RetryAfter != maxBackoff {
					t.Fatalf("error %v", err)
				}
				time.Sleep(limited.RetryAfter)
			}
			for _, local := range []bool{false, true} {
				err := c.Chat(t.Context(), "a", PlayerRoom, "1")
				if limited, ok := errors.AsType[*RateLimitError](err); !ok || limited.Local != local || limited.RetryAfter <= 23*time.Hour {
					t.Errorf("chat: %v", err)
				}
				time.Sleep(maxBackoff)
			}
		})
	}
}

func TestClient_BotGamesLimit(t *testing.T) {
	sample := filetest.Read(t, "testdata/bot-limit.json")
	synctest.Test(t, func(t *testing.T) {
		status := http.StatusBadRequest
		server := &fakeServer{answers: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			respond(status, sample)(w, r)
		}}}
		c := bubbleClient(t, server)

		// With 400 it is the opponent's limit: nothing is blocked.
		var refused *APIError
		for range 2 {
			err := second(c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{Opponent: Bot}))
			if !errors.As(err, &refused) || refused.Limit == nil || *refused.Limit != (Limit{Key: BotGamesLimit, Seconds: 43210}) {
				t.Fatalf("error %v", err)
			}
		}

		// With 429 it is our own: no more games with bots in either direction.
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
