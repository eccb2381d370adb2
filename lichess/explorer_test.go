package lichess

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const explorerSecret = "lip_explorersecret"

// testExplorer returns an explorer of a TLS server on loopback, and the count of
// its requests.
func testExplorer(t *testing.T, answer http.HandlerFunc) (*Explorer, *atomic.Int64) {
	t.Helper()
	requests := new(atomic.Int64)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	token, err := NewToken(explorerSecret)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExplorer(Options{Token: token, URL: s.URL, RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, requests
}

const openingAnswer = `{"white":30,"draws":1,"black":20,"moves":[
	{"uci":"e2e4","san":"e4","averageRating":2000,"white":20,"draws":1,"black":9,"game":null},
	{"uci":"N@f3","san":"N@f3","white":10,"draws":0,"black":11,"opening":null}],
	"topGames":[],"recentGames":[],"opening":null,"queuePosition":7}`

func TestExplorer_Opening(t *testing.T) {
	const fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1"
	e, _ := testExplorer(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Method != http.MethodGet || r.URL.Path != "/lichess" || q.Get("variant") != "crazyhouse" || q.Get("fen") != fen {
			t.Errorf("request %s %s", r.Method, r.URL)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+explorerSecret {
			t.Errorf("Authorization %q", got)
		}
		_, _ = w.Write([]byte(openingAnswer))
	})
	got, err := e.Opening(t.Context(), Crazyhouse, fen)
	if err != nil {
		t.Fatal(err)
	}
	want := &Opening{Moves: []OpeningMove{{UCI: "e2e4", White: 20, Draws: 1, Black: 9}, {UCI: "N@f3", White: 10, Black: 11}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Moves[0].Games() != 30 {
		t.Errorf("%d games, want 30", got.Moves[0].Games())
	}
}

func TestExplorer_Failures(t *testing.T) {
	tests := map[string]struct {
		status int
		body   string
		is     error
	}{
		"no token":      {401, `{"error":"` + explorerSecret + `"}`, ErrUnauthorized},
		"server error":  {502, "", ErrUnavailable},
		"redirect":      {302, "", ErrRedirect},
		"no JSON":       {200, "<html>", nil},
		"another shape": {200, `{"moves":{"uci":"e2e4"}}`, nil},
		"negative":      {200, `{"moves":[{"uci":"e2e4","white":-1}]}`, errInvalidOpening},
		"too many":      {200, `{"moves":[{"uci":"e2e4","draws":99999999999}]}`, errInvalidOpening},
		"too large":     {200, strings.Repeat(" ", maxBody+1), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, requests := testExplorer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "https://example.org/lichess")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			})
			o, err := e.Opening(t.Context(), Crazyhouse, "fen")
			if err == nil || o != nil || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v, error %v, want %v", o, err, tt.is)
			}
			if err != nil && strings.Contains(err.Error(), explorerSecret) {
				t.Errorf("the error shows the token: %v", err)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// After a 429 nothing is sent until the wait is over.
func TestExplorer_RateLimit(t *testing.T) {
	e, requests := testExplorer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	for i, local := range []bool{false, true, true} {
		_, err := e.Opening(t.Context(), Crazyhouse, "fen")
		var limited *RateLimitError
		if !errors.As(err, &limited) || limited.Local != local || limited.RetryAfter <= 0 {
			t.Errorf("question %d: %v, want a rate limit, local %t", i, err, local)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// A query ends with its context, whatever the server does.
func TestExplorer_Slow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, _ := testExplorer(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		closeConn(w, r)
	})
	if _, err := e.Opening(ctx, Crazyhouse, "fen"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestNewExplorer_URL(t *testing.T) {
	token, err := NewToken(explorerSecret)
	if err != nil {
		t.Fatal(err)
	}
	for url, good := range map[string]bool{
		"": true, "https://explorer.example.org": true, "http://127.0.0.1:9": true,
		"http://explorer.example.org": false, "ftp://x": false, "https://u:p@x": false, "https://x/y": false,
	} {
		if _, err := NewExplorer(Options{Token: token, URL: url}); (err == nil) != good {
			t.Errorf("%q: error %v, want none: %t", url, err, good)
		}
	}
	if _, err := NewExplorer(Options{}); !errors.Is(err, ErrNoToken) {
		t.Errorf("error %v, want ErrNoToken", err)
	}
}

func FuzzOpening(f *testing.F) {
	f.Add([]byte(openingAnswer))
	f.Add([]byte(`{"moves":[{"uci":null,"white":1e3}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var o Opening
		if json.Unmarshal(body, &o) != nil {
			return
		}
		if len(o.Moves) > maxOpeningMoves {
			t.Fatalf("%d moves", len(o.Moves))
		}
		for _, m := range o.Moves {
			if m.Games() < 0 || m.White < 0 || m.Draws < 0 || m.Black < 0 {
				t.Fatalf("impossible %+v", m)
			}
		}
	})
}
