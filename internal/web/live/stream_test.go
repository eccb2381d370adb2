package live

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(webtest.Tests{M: m}) }

// viewer reads a stream of server-sent events.
type viewer struct {
	t     *testing.T
	lines *bufio.Scanner
}

func openStream(t *testing.T, url string) *viewer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("status %d, type %q", answer.StatusCode, kind)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return &viewer{t, lines}
}

// next returns the next event and its data.
func (v *viewer) next() (event, data string) {
	v.t.Helper()
	for v.lines.Scan() {
		name, value, _ := strings.Cut(v.lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "data":
			data = value
		case "":
			if event != "" {
				return event, data
			}
		}
	}
	v.t.Fatal("the stream ended")
	return "", ""
}

// until reads until a part fulfils a condition.
func (v *viewer) until(name string, wanted func(json.RawMessage) bool) {
	v.t.Helper()
	for {
		kind, data := v.next()
		if kind != "parts" {
			v.t.Fatalf("event %q", kind)
		}
		var list []web.Message
		if err := json.Unmarshal([]byte(data), &list); err != nil {
			v.t.Fatal(err)
		}
		for _, m := range list {
			if m.Name == name && wanted(m.Value) {
				return
			}
		}
	}
}

func TestPage_Stream(t *testing.T) {
	p := newTestPage(t, Options{})
	s := httptest.NewServer(p.Handler())
	defer s.Close()
	defer s.CloseClientConnections()
	v := openStream(t, s.URL)
	if kind, data := v.next(); kind != "hello" || !strings.Contains(data, p.Files.Version) {
		t.Fatalf("the first event is %s %s", kind, data)
	}
	v.until("bot", func(json.RawMessage) bool { return true })
	game := viewOf(t, "abc", "e2e4")
	game.Black.Name = "<img src=x>\n\ndata: evil"
	p.Observe(event.GameChanged{GameView: game})
	v.until("game/abc", func(value json.RawMessage) bool {
		var g gamePart
		return json.Unmarshal(value, &g) == nil && g.Black.Name == game.Black.Name
	})
	p.Observe(event.GameAbandoned{Game: "abc"})
	v.until("game/abc", func(value json.RawMessage) bool { return string(value) == "null" })
}

// Observe does not block, not even with a viewer that never reads.
func TestPage_ObserveNeverBlocks(t *testing.T) {
	p := newTestPage(t, Options{})
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	w := &blockedWriter{ResponseRecorder: httptest.NewRecorder(), conn: ours}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		p.Handler().ServeHTTP(w, streamRequest(ctx))
	}()
	for range 1000 {
		p.Observe(event.GameChanged{GameView: viewOf(t, "abc", "e2e4", "e7e5")})
	}
	cancel()
	ours.Close() // as after the write deadline
	<-left
}

// streamRequest is a request for the stream.
func streamRequest(ctx context.Context) *http.Request {
	return httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:8080/api/stream", nil)
}

// blockedWriter is a response whose client does not read.
type blockedWriter struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (d *blockedWriter) Write(b []byte) (int, error)        { return d.conn.Write(b) }
func (d *blockedWriter) WriteString(s string) (int, error)  { return d.conn.Write([]byte(s)) }
func (d *blockedWriter) SetWriteDeadline(t time.Time) error { return d.conn.SetWriteDeadline(t) }

// A viewer that does not read is disconnected after web.WriteTimeout.
func TestPage_DropsBlockedViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPage(t, Options{})
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		began := time.Now()
		p.Handler().ServeHTTP(&blockedWriter{ResponseRecorder: httptest.NewRecorder(), conn: ours}, streamRequest(t.Context()))
		if took := time.Since(began); took != web.WriteTimeout {
			t.Errorf("dropped after %s, want %s", took, web.WriteTimeout)
		}
	})
}
