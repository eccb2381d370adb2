package lichess

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Times from the server hold when this machine's clock is off, by hours either way.
func TestClient_ClockOffset(t *testing.T) {
	for _, ahead := range []time.Duration{-5 * time.Hour, 0, 3 * time.Hour} {
		c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			now := time.Now().Add(ahead)
			w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
			switch r.URL.Path {
			case "/api/tournament/a", "/api/team/t/arena":
				fmt.Fprintf(w, `{"id":"a","startsAt":%d,"minutes":60}`, now.Add(10*time.Minute).UnixMilli())
			case "/api/token/test":
				fmt.Fprintf(w, `{"%s":{"userId":"zhbot","scopes":"","expires":%d}}`,
					secret, now.Add(time.Hour).UnixMilli())
			case "/api/user/zhbot":
				fmt.Fprint(w, `{"id":"zhbot","username":"zhbot"}`)
			default:
				w.Header().Set("Retry-After", now.Add(2*time.Minute).UTC().Format(http.TimeFormat))
				w.WriteHeader(http.StatusTooManyRequests)
			}
		}))
		near := func(what string, got, want time.Duration) {
			t.Helper()
			if (got - want).Abs() > 5*time.Second {
				t.Errorf("with a server %s ahead, %s is %s, want %s", ahead, what, got, want)
			}
		}
		arena, err := c.Arena(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		near("the offset", c.ClockOffset(), ahead)
		near("the time to an arena", time.Until(arena.Starts), 10*time.Minute)
		near("the time to its end", time.Until(arena.Finishes), 70*time.Minute)
		arenas, err := c.TeamArenas(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		near("the time to a team's arena", time.Until(arenas[0].Starts), 10*time.Minute)
		if accepted, err := c.acceptsToken(t.Context()); !accepted || err != nil {
			t.Errorf("with a server %s ahead, a token that expires in an hour counts as expired, %v", ahead, err)
		}
		var limited *RateLimitError
		if _, err := c.Account(t.Context()); !errors.As(err, &limited) {
			t.Fatal(err)
		}
		near("the wait", limited.RetryAfter, 2*time.Minute)
	}
}
