package lichess

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestClient_NoRedirect checks that no redirect is followed, neither to another host
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

func TestAuthTransport_RejectsOtherHosts(t *testing.T) {
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

func TestClient_TLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			t.Errorf("%s over %s", r.URL.Path, r.Proto)
		}
		respond(http.StatusOK, ok)(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // reports the rejected handshake
	server.EnableHTTP2 = true                           // offered, but must not be used
	server.StartTLS()
	t.Cleanup(server.Close)

	trusting := clientOf(t, server.URL, func(o *Options) {
		o.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	})
	for range 2 {
		if err := trusting.Move(t.Context(), MoveRequest{GameID: "a", UCI: "e2e4"}); err != nil {
			t.Error(err)
		}
		if _, err := trusting.Account(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := trusting.StreamEvents(t.Context()); err != nil {
			t.Error(err)
		}
	}

	_, err := clientOf(t, server.URL).Account(t.Context())
	if err == nil || IsTemporary(err) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("with an unknown authority: %v", err)
	}
}
