package lichess

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

func TestRateLimiter_WaitDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRateLimiter()
		class := post("/chat")
		block := func(what string, requested, want time.Duration) {
			t.Helper()
			if got := g.block(class, requested, ""); got != want {
				t.Errorf("%s: a wait of %s, want %s", what, got, want)
			}
		}
		for _, want := range []time.Duration{60, 120, 240, 480, 600, 600} {
			want *= time.Second
			block("first 429", 0, want)
			if others, _ := g.blockedFor(everything); others != time.Minute {
				t.Errorf("everything else is blocked for %s", others)
			}
			time.Sleep(10 * time.Second)
			block("429 to a request sent earlier", 0, want)
			time.Sleep(want)
		}
		g.succeeded(class)
		block("after a success", 0, time.Minute)
		g.succeeded(class) // sent before the class was blocked
		time.Sleep(time.Minute + 1)
		block("after a success within the wait", 0, 2*time.Minute)
		block("a shorter wait", time.Second, 2*time.Minute)
		if got := (&Client{limiter: g}).Blocked(); len(got) != 2 || time.Until(got["POST /chat"]) != 2*time.Minute ||
			got["requests but those of games"].IsZero() {
			t.Errorf("blocked: %v", got)
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
		for _, row := range rows(`
			                              |    | 0s
			17                            |    | 17s
			` + inFive + ` |    | 5s
			Mon, 01 Jan 1990 00:00:00 GMT |    | 1s
			0                             |    | 1s
			-9                            |    | 1s
			soon                          |    | 0s
			1.5                           |    | 1.5s
			0.25                          |    | 1s
			1e300                         |    | 24h0m0s
			NaN                           |    | 0s
			-Inf                          |    | 0s
			9223372036854775807           |    | 24h0m0s
			                              | 90 | 1m30s
			60                            | 90 | 1m30s
			120                           | 90 | 2m0s
			                              | -1 | 0s
		`) { // Retry-After, seconds of the limit, and the wait
			var limit *Limit
			if seconds, err := strconv.Atoi(row[1]); err == nil {
				limit = &Limit{Seconds: Seconds(seconds)}
			}
			if got := requestedWait(http.Header{"Retry-After": {row[0]}}, limit, now).String(); got != row[2] {
				t.Errorf("Retry-After %q, limit %q: %s, want %s", row[0], row[1], got, row[2])
			}
		}
	})
}

// checkLimited checks that an error is a rate limit, for requests that were sent or for those
// that are not, and how long it lasts.
func checkLimited(t *testing.T, what string, err error, local bool, wait time.Duration) {
	t.Helper()
	limited, ok := errors.AsType[*RateLimitError](err)
	if !ok || limited.Local != local || limited.RetryAfter != wait {
		t.Errorf("%s: error %v, want a rate limit for %s, local %t", what, err, wait, local)
	}
}

// A 429 with a named limit blocks its class only.
func TestClient_RateLimitBlocksClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(respond(429, `{"error":"Too many requests","ratelimit":{"key":"chat","seconds":60}}`), done)
		c := bubbleClient(t, server)
		chat := func() error { return c.Chat(t.Context(), "a", PlayerRoom, "hi") }
		checkLimited(t, "first", chat(), false, time.Minute)
		time.Sleep(59 * time.Second)
		checkLimited(t, "within the wait", chat(), true, time.Second)
		if n := server.count(); n != 1 {
			t.Errorf("%d requests within the wait", n)
		}
		checkError(t, "another class", c.Resign(t.Context(), "a"), "")
		checkError(t, "a move", c.Move(t.Context(), e4), "")
		time.Sleep(time.Second)
		checkError(t, "after the wait", chat(), "")
	})
}

// After a 429 that names no limit only moves and game streams are sent, for the wait
// that it asks for or for a minute.
func TestClient_UnnamedLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		wait   time.Duration // held up
		local  time.Duration // of the class
	}{
		"a proxy's page":   {respond(429, "<html>Too many requests</html>"), time.Minute, time.Minute},
		"without a key":    {respond(429, `{"error":"Too many requests. Try again later."}`), time.Minute, time.Minute},
		"with Retry-After": {limitedFor("20"), 20 * time.Second, 20 * time.Second},
		"for very long":    {limitedFor("36000"), maxBackoff, 10 * time.Hour},
	} {
		inBubble(t, name, func(t *testing.T) {
			server := newServer(tt.answer, done)
			c := bubbleClient(t, server)
			checkLimited(t, "first", c.Chat(t.Context(), "a", PlayerRoom, "1"), false, tt.local)
			time.Sleep(tt.wait - time.Second)
			held := map[string]func() error{
				"resign":       func() error { return c.Resign(t.Context(), "a") },
				"ping":         func() error { return c.Ping(t.Context()) },
				"account":      func() error { return second(c.Account(t.Context())) },
				"accept":       func() error { return c.AcceptChallenge(t.Context(), "b", Human) },
				"event stream": func() error { return second(c.StreamEvents(t.Context())) },
				"patient stream": func() error {
					return second(c.StreamGameWith(t.Context(), "c", StreamOptions{Deferrable: true}))
				},
			}
			for what, call := range held {
				checkLimited(t, what, call(), true, time.Second)
			}
			if n := server.count(); n != 1 {
				t.Errorf("%d requests within the wait", n)
			}
			checkError(t, "a move", c.Move(t.Context(), e4), "")
			checkError(t, "a game's stream", second(c.StreamGame(t.Context(), "a")), "")
			time.Sleep(time.Second)
			for what, call := range held {
				checkError(t, what+" after the wait", call(), "")
			}
		})
	}
}

// The event stream alone is tried again after ten minutes: without it the bot is off.
func TestClient_LimitedForADay(t *testing.T) {
	for _, answer := range []http.HandlerFunc{
		limitedFor("86400"), respond(429, `{"error":"","ratelimit":{"key":"x","seconds":86400}}`),
	} {
		synctest.Test(t, func(t *testing.T) {
			c := bubbleClient(t, answer)
			for range 3 {
				checkLimited(t, "events", second(c.StreamEvents(t.Context())), false, maxBackoff)
				time.Sleep(maxBackoff)
			}
			checkLimited(t, "chat", c.Chat(t.Context(), "a", PlayerRoom, "1"), false, day)
			time.Sleep(maxBackoff)
			checkLimited(t, "chat", c.Chat(t.Context(), "a", PlayerRoom, "1"), true, day-maxBackoff)
		})
	}
}

const day = 24 * time.Hour

func TestClient_BotGamesLimit(t *testing.T) {
	sample := fixture.Read(t, "testdata/bot-limit.json")
	synctest.Test(t, func(t *testing.T) {
		const wait = 43210 * time.Second
		status, requests := http.StatusBadRequest, 0
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			respond(status, sample)(w, r)
		}))
		challenge := func() error {
			return second(c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{Opponent: Bot}))
		}

		// With 400 it is the opponent's limit: nothing is blocked.
		for range 2 {
			refused, ok := errors.AsType[*APIError](challenge())
			if !ok || refused.Limit == nil || *refused.Limit != (Limit{Key: BotGamesLimit, Seconds: 43210}) {
				t.Fatalf("refused by %+v", refused)
			}
		}

		// With 429 it is our own: no more games with bots in either direction.
		status = http.StatusTooManyRequests
		for i, err := range []error{c.AcceptChallenge(t.Context(), "aaaaaaaa", Bot), challenge()} {
			checkLimited(t, "with a bot", err, i > 0, wait)
			if limited, ok := errors.AsType[*RateLimitError](err); !ok || limited.Key != BotGamesLimit {
				t.Errorf("limited by %+v", limited)
			}
		}
		if requests != 3 {
			t.Errorf("%d requests, want 3", requests)
		}

		// Humans can still play.
		status = http.StatusOK
		checkError(t, "of a human", c.AcceptChallenge(t.Context(), "bbbbbbbb", Human), "")
		time.Sleep(wait)
		checkError(t, "after the wait", c.AcceptChallenge(t.Context(), "cccccccc", Bot), "")
	})
}
