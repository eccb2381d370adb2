package mover

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

const explorerToken = "lip_explorersecret"

// testExplorer is an explorer with its server and its log.
type testExplorer struct {
	*Explorer
	requests *atomic.Int64
	log      *bytes.Buffer
}

// startExplorer returns an explorer of a server with TLS.
func startExplorer(t *testing.T, answer http.HandlerFunc) testExplorer {
	t.Helper()
	requests := new(atomic.Int64)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	token, err := lichess.NewToken(explorerToken)
	if err != nil {
		t.Fatal(err)
	}
	client, err := lichess.NewExplorer(lichess.Options{Token: token, URL: s.URL, RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	c := config.Default()
	e, err := NewExplorer(&c, Options{})
	if e != nil || err != nil {
		t.Fatalf("by default there is an explorer: %v, %v", e, err)
	}
	log := new(bytes.Buffer)
	return testExplorer{newExplorer(client, zerolog.New(log)), requests, log}
}

// answerMoves answers with moves, each with the games that White won and lost.
func answerMoves(moves ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"moves":[%s]}`, strings.Join(moves, ","))
	}
}

func moveStats(uci string, won, lost int) string {
	return fmt.Sprintf(`{"uci":%q,"white":%d,"draws":0,"black":%d}`, uci, won, lost)
}

func TestExplorer_PlaysWhatDidWell(t *testing.T) {
	t.Parallel()
	e := startExplorer(t, answerMoves(moveStats("a2a4", 60, 40), moveStats("h2h4", 60, 40),
		moveStats("e2e4", 40, 60), moveStats("b2b4", 10, 0),
		moveStats("e2e5", 900, 0), moveStats("N@f3", 900, 0), moveStats("<script>", 900, 0)))
	g := rules.NewGame(rules.StartPosition())
	draw := rand.New(rand.NewPCG(1, 1)).IntN
	seen := map[string]bool{}
	for range 50 {
		m, ok := e.Pick(t.Context(), g, time.Second, nil, draw)
		if !ok {
			t.Fatal("no move")
		}
		seen[m.String()] = true
	}
	if e.requests.Load() != 1 {
		t.Errorf("asked %d times about one position, want once", e.requests.Load())
	}
	if len(seen) != 2 || !seen["a2a4"] || !seen["h2h4"] {
		t.Errorf("played %v, want a2a4 and h2h4: e4 did badly, b4 is rare, the rest is illegal", seen)
	}
	allowed := []rules.Move{rules.NewMove(8, 24)} // a2a4
	for range 20 {
		if m, ok := e.Pick(t.Context(), g, time.Second, allowed, draw); !ok || m != allowed[0] {
			t.Fatalf("picked %s, %t; all but a4 have lost before", m, ok)
		}
	}
}

// Black's wins are what counts for Black.
func TestExplorer_ForBlack(t *testing.T) {
	t.Parallel()
	e := startExplorer(t, answerMoves(moveStats("e7e5", 60, 40), moveStats("e7e6", 40, 60)))
	g := rulestest.Game(t, "e2e4")
	if m, ok := e.Pick(t.Context(), g, time.Second, nil, rand.IntN); !ok || m.String() != "e7e6" {
		t.Errorf("picked %s, %t, want e7e6", m, ok)
	}
}

func TestExplorer_NotAsked(t *testing.T) {
	t.Parallel()
	e := startExplorer(t, answerMoves(moveStats("a2a4", 60, 40)))
	start := rules.NewGame(rules.StartPosition())
	if _, ok := e.Pick(t.Context(), start, 0, nil, rand.IntN); ok || e.requests.Load() != 0 {
		t.Errorf("asked %d times without time for a request", e.requests.Load())
	}
	deep := rules.NewGame(rules.StartPosition())
	for _, uci := range strings.Fields("a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 " +
		"f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 a3a4 a6a5 b3b4 b6b5") {
		rulestest.Play(t, deep, uci)
	}
	if _, ok := e.Pick(t.Context(), deep, time.Second, nil, rand.IntN); ok || e.requests.Load() != 0 {
		t.Errorf("asked %d times at ply %d", e.requests.Load(), deep.Ply())
	}
}

// After a failure there is no question for a while, about any position; the token
// is nowhere in the log.
func TestExplorer_PausesAfterFailures(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"server error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"no JSON":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(explorerToken)) },
		"rate limit": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(http.StatusTooManyRequests)
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startExplorer(t, answer)
			now := time.Now()
			e.now = func() time.Time { return now }
			g := rules.NewGame(rules.StartPosition())
			for _, uci := range []string{"e2e4", "e7e5", "g1f3"} {
				if m, ok := e.Pick(t.Context(), g, time.Second, nil, rand.IntN); ok {
					t.Errorf("picked %s", m)
				}
				rulestest.Play(t, g, uci)
			}
			if n := e.requests.Load(); n != 1 {
				t.Errorf("asked %d times, want once", n)
			}
			if now = now.Add(2 * pauseTime); name == "rate limit" {
				now = now.Add(-pauseTime) // five minutes are not over
			}
			e.Pick(t.Context(), g, time.Second, nil, rand.IntN)
			want := int64(2)
			if name == "rate limit" {
				want = 1
			}
			if n := e.requests.Load(); n != want {
				t.Errorf("later asked %d times in all, want %d", n, want)
			}
			if text := e.log.String(); !strings.Contains(text, "opening explorer does not answer") ||
				strings.Contains(text, explorerToken) {
				t.Errorf("the log says %s", text)
			}
		})
	}
}

// A request cancelled because the game moved on is not a failure of the explorer.
func TestExplorer_Cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := startExplorer(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	g := rules.NewGame(rules.StartPosition())
	if m, ok := e.Pick(ctx, g, time.Second, nil, rand.IntN); ok {
		t.Errorf("picked %s", m)
	}
	if !e.pausedUntil.IsZero() || e.inFlight || e.log.Len() > 0 {
		t.Errorf("quiet until %s, busy %t, log %q", e.pausedUntil, e.inFlight, e.log)
	}
}

// Memory is bounded; the newest position is remembered.
func TestExplorer_CacheIsBounded(t *testing.T) {
	t.Parallel()
	e := newExplorer(nil, zerolog.Nop())
	for key := range uint64(cacheSize + 10) {
		if _, ask := e.lookUp(key, true); !ask {
			t.Fatalf("position %d is known", key)
		}
		e.inFlight = false
	}
	if _, ask := e.lookUp(cacheSize+9, true); ask || len(e.cache) > cacheSize {
		t.Errorf("%d positions, the newest forgotten: %t", len(e.cache), ask)
	}
}

// The bot's token goes to no other host.
func TestNew_Token(t *testing.T) {
	t.Setenv("ZHBOT_LICHESS_TOKEN", explorerToken)
	c := config.Default()
	c.Explorer.Enabled = true
	for token, good := range map[config.Secret]bool{"": false, explorerToken: false, "lip_another": true} {
		c.Explorer.Token = token
		e, err := NewExplorer(&c, Options{})
		if (err == nil) != good {
			t.Errorf("%q: error %v, want none: %t", token.Reveal(), err, good)
		}
		if err != nil && strings.Contains(err.Error(), explorerToken) {
			t.Errorf("the error shows the token: %v", err)
		}
		e.Close()
	}
}
