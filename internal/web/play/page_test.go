package play

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(webtest.Tests{M: m}) }

// newTestPage returns the page of a session with the real engine at its lowest level.
func newTestPage(tb testing.TB, settings Settings) *Page {
	tb.Helper()
	if settings.Start == (rules.Position{}) {
		settings.Start = rules.StartPosition()
	}
	p, err := New(Options{
		Listen: "127.0.0.1:8081", Engine: engine.New(engine.Options{Threads: 1, HashMB: 1}), EngineName: "zhbot", About: "zhbot test",
		MoveTime: 20 * time.Millisecond, EvaluationTime: 200 * time.Millisecond, Log: zerolog.Nop(),
	}, settings)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.Close() })
	return p
}

// serve serves a page until the test ends and returns its URL.
func serve(t *testing.T, p *Page) string {
	t.Helper()
	url, stop := serveAt(t, p, "127.0.0.1:0")
	t.Cleanup(stop)
	return url
}

// serveAt serves a page at an address until it is stopped.
func serveAt(t *testing.T, p *Page, address string) (url string, stop func()) {
	t.Helper()
	l, err := Listen(t.Context(), address, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	return "http://" + l.Addr().String(), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// Everything that the page loads exists, and nothing is loaded from another host.
func TestPage_Files(t *testing.T) {
	p := newTestPage(t, Settings{})
	if followed := webtest.CheckFiles(t, p.Page); followed < 20 {
		t.Errorf("only %d files loaded", followed)
	}
}

func TestPage_Routes(t *testing.T) {
	h := newTestPage(t, Settings{}).Handler()
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/", http.StatusOK},
		{http.MethodGet, "/static/board.js", http.StatusOK},
		{http.MethodGet, "/static/nothing.js", http.StatusNotFound},
		{http.MethodGet, "/api/move", http.StatusMethodNotAllowed},
		{http.MethodPost, "/api/game.pgn", http.StatusMethodNotAllowed},
		{http.MethodGet, "/metrics", http.StatusNotFound},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, "http://localhost"+tt.path, nil))
		if csp := w.Header().Get("Content-Security-Policy"); w.Code != tt.status || !strings.HasPrefix(csp, "default-src 'none';") {
			t.Errorf("%s %s: status %d, want %d; policy %q", tt.method, tt.path, w.Code, tt.status, csp)
		}
	}
}

// window is a window with the page, as far as the server can tell.
type window struct {
	t      *testing.T
	url    string
	events *bufio.Scanner
	game   gamePart
	parts  map[string]json.RawMessage
}

func openWindow(t *testing.T, url string) *window {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", answer, err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	w := &window{t: t, url: url, events: bufio.NewScanner(answer.Body), parts: map[string]json.RawMessage{}}
	w.events.Buffer(nil, 1<<20)
	w.until("there is a game", func() bool { return w.game.Revision > 0 })
	return w
}

// until reads updates until a condition holds.
func (w *window) until(what string, holds func() bool) {
	w.t.Helper()
	for !holds() {
		if !w.events.Scan() {
			w.t.Fatalf("the stream ended before %s", what)
		}
		data, ok := strings.CutPrefix(w.events.Text(), "data: [")
		if !ok {
			continue
		}
		var list []struct {
			Name  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte("["+data), &list); err != nil {
			w.t.Fatal(err)
		}
		for _, m := range list {
			w.parts[m.Name] = m.Value
			if m.Name == "game" {
				w.game = gamePart{}
				if err := json.Unmarshal(m.Value, &w.game); err != nil {
					w.t.Fatal(err)
				}
			}
		}
	}
}

// send sends a command at the window's revision.
func (w *window) send(name, parameters string) {
	w.t.Helper()
	body := fmt.Sprintf(`{"revision":%d%s}`, w.game.Revision, parameters)
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/api/"+name, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusNoContent {
		w.t.Fatalf("%s %s: status %d, %s", name, body, answer.StatusCode, text)
	}
}

// Two windows show the same game, which a reload finds as it was; each may move, take back
// and begin another.
func TestPage_Game(t *testing.T) {
	url := serve(t, newTestPage(t, Settings{Level: 2}))
	a, b := openWindow(t, url), openWindow(t, url)
	if g := a.game; g.Us != "white" || g.Level != 2 || g.Control != "none" || g.Clock != nil || len(g.Legal) != 20 || g.Start != rules.StartFEN {
		t.Fatalf("the game begins as %+v", g)
	}
	a.send("move", `,"move":"Nf3"`)
	for _, w := range []*window{a, b} {
		w.until("the engine has moved", func() bool { return len(w.game.Steps) == 2 && len(w.game.Legal) > 0 })
	}
	if a.game.Steps[0].UCI != "g1f3" || a.game.Steps[0].SAN != "Nf3" || a.game.Steps[1].FEN != b.game.Steps[1].FEN || !b.game.CanTakeBack {
		t.Errorf("one window shows %+v, the other %+v", a.game, b.game)
	}
	b.send("evaluate", `,"ply":1`)
	a.until("the evaluation is shown", func() bool { return bytes.Contains(a.parts["evaluation"], []byte(`"searching":false`)) })
	var e Evaluation
	if err := json.Unmarshal(a.parts["evaluation"], &e); err != nil || e.Ply != 1 || e.Depth == 0 || !strings.HasPrefix(e.Line, "1… ") {
		t.Errorf("evaluation %s, %v", a.parts["evaluation"], err)
	}
	reloaded := openWindow(t, url)
	if fmt.Sprint(reloaded.game.Steps) == "[]" || reloaded.game.Revision != a.game.Revision {
		t.Errorf("a reload shows %+v", reloaded.game)
	}
	b.send("takeback", "")
	a.until("the moves are taken back", func() bool { return len(a.game.Steps) == 0 })
	if string(a.parts["evaluation"]) != "null" {
		t.Errorf("after the takeback there is the evaluation %s", a.parts["evaluation"])
	}
	a.send("new", `,"side":"black","level":0,"clock":"5+3","fen":"4k3/8/8/8/8/8/3R4/4K3/q w - - 0 1"`)
	b.until("the new game is shown", func() bool { return b.game.Us == "black" && len(b.game.Steps) == 1 })
	if c := b.game.Clock; c == nil || c.White != 300_000 || c.Running || b.game.Control != "5+3" {
		t.Errorf("the new game is %+v, clock %+v", b.game, c)
	}
	b.send("resign", "")
	a.until("the game is over", func() bool { return a.game.Over })
	if a.game.Result != "White won by resignation" || a.game.Score != "loss" || len(a.game.Legal) != 0 {
		t.Errorf("the end is shown as %+v", a.game)
	}
}

// The clock part changes only when the clocks do: a window that shows a selection is not
// disturbed by updates.
func TestPage_ClockIsStable(t *testing.T) {
	p := newTestPage(t, Settings{Clock: lichess.Clock{Initial: time.Hour}})
	url := serve(t, p)
	w := openWindow(t, url)
	w.send("move", `,"move":"e4"`)
	w.until("the clock runs", func() bool { return w.game.Clock.Running })
	first, err := json.Marshal(partsOf(p))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Millisecond)
	if later, err := json.Marshal(partsOf(p)); err != nil || !bytes.Equal(first, later) {
		t.Errorf("sent %s, then %s; %v", first, later, err)
	}
	w.send("pause", `,"paused":true`)
	w.until("the game is paused", func() bool { return w.game.Paused && !w.game.Clock.Running && len(w.game.Legal) == 0 })
	w.send("pause", `,"paused":false`)
	w.until("the game goes on", func() bool { return !w.game.Paused && w.game.Clock.Running })
}

// Castling may be given as the king's step or as the capture of the rook.
func TestLegalMoves_Castling(t *testing.T) {
	position := rulestest.Position(t, "4k3/8/8/8/8/8/8/4K2R/ w K - 0 1")
	legal := " " + strings.Join(newTestPage(t, Settings{Start: position}).legalMoves(), " ") + " "
	for _, m := range []string{"e1g1", "e1h1", "h1h8"} {
		if !strings.Contains(legal, " "+m+" ") {
			t.Errorf("%s is not among%s", m, legal)
		}
	}
}

func TestPage_PGN(t *testing.T) {
	p := newTestPage(t, Settings{})
	url := serve(t, p)
	w := openWindow(t, url)
	w.send("move", `,"move":"e2e4"`)
	w.until("the engine has moved", func() bool { return len(w.game.Steps) == 2 })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/game.pgn", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if name := answer.Header.Get("Content-Disposition"); !strings.HasPrefix(name, `attachment; filename="zhbot-20`) {
		t.Errorf("saved as %q", name)
	}
	g, err := pgn.NewReader(answer.Body).Next()
	if err != nil || len(g.Moves) != 2 || g.Moves[0].Move.String() != "e2e4" || g.Tag("White") != "Player" {
		t.Errorf("%+v, %v", g, err)
	}
}
