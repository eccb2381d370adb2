package lichess

import (
	"errors"
	"fmt"
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

// TestClient_OneCallAtATime checks that calls are sent one at a time and that moves
// and streams do not wait for them.
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
