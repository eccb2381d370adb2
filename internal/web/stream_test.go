package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// A viewer gets all parts first, and then those that changed.
func TestSent_Changes(t *testing.T) {
	s := Sent{}
	now := time.UnixMilli(7)
	names := func(list []Message) string {
		var all []string
		for _, m := range list {
			if m.Now != 7 {
				t.Errorf("message of %d", m.Now)
			}
			all = append(all, m.Name+"="+string(m.Value))
		}
		return strings.Join(all, " ")
	}
	for _, step := range []struct {
		parts []Part
		want  string
	}{
		{[]Part{{"bot", 1}, {"game/a", 2}}, "bot=1 game/a=2"},
		{[]Part{{"bot", 1}, {"game/a", 2}}, ""},
		{[]Part{{"bot", 1}, {"game/a", 3}}, "game/a=3"},
		{[]Part{{"bot", 1}}, "game/a=null"},
		{[]Part{{"bot", 1}}, ""},
	} {
		list, err := s.Changes(now, step.parts)
		if got := names(list); got != step.want || err != nil {
			t.Errorf("changes %q, want %q, error %v", got, step.want, err)
		}
	}
}

// An update without changes is an event, too: a browser does not show comments to the
// page, which would take the connection for dead.
func TestPage_StreamTellsThatNothingChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPage(t, func(bool) ([]Part, <-chan struct{}) { return []Part{{"bot", 1}}, nil })
		ctx, leave := context.WithTimeout(t.Context(), maxSilence+time.Second)
		defer leave()
		events := strings.Split(view(p, ctx).Body.String(), "\n\n")
		if len(events) != 4 || !strings.HasPrefix(events[0],
			"retry: 2000\nevent: hello\ndata: {\"version\":\""+p.Files.Version+"\",") ||
			!strings.HasSuffix(events[1], ",\"name\":\"bot\",\"value\":1}]") || events[2] != "event: parts\ndata: []" {
			t.Errorf("sent %q", events)
		}
	})
}

// A page has so many viewers and no more; who leaves makes room.
func TestPage_ViewerLimit(t *testing.T) {
	p := testPage(t, func(bool) ([]Part, <-chan struct{}) { return []Part{{"bot", 7}}, nil })
	left, leave := context.WithCancel(t.Context())
	leave()
	for range maxViewers {
		p.viewers <- struct{}{}
	}
	if w := view(p, left); w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "too many viewers") {
		t.Errorf("one viewer too many: status %d, %s", w.Code, w.Body)
	}
	<-p.viewers
	for range 2 {
		if w := view(p, left); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"value":7`) {
			t.Errorf("a viewer: status %d, %s", w.Code, w.Body)
		}
	}
}

func testPage(t *testing.T, parts func(bool) ([]Part, <-chan struct{})) *Page {
	t.Helper()
	p, err := NewPage(PageOptions{
		Access: GuardOptions{Listen: "127.0.0.1:8080"}, Files: fstest.MapFS{"static/index.html": {}},
		Interval: time.Millisecond, Parts: parts, Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// view views a page until the context ends.
func view(p *Page, ctx context.Context) *httptest.ResponseRecorder {
	w := deadlineRecorder{httptest.NewRecorder()}
	p.Handler().ServeHTTP(w, streamRequest(ctx))
	return w.ResponseRecorder
}

func streamRequest(ctx context.Context) *http.Request {
	return httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:8080/api/stream", nil)
}

// deadlineRecorder is a recorder that accepts deadlines.
type deadlineRecorder struct{ *httptest.ResponseRecorder }

func (deadlineRecorder) SetWriteDeadline(time.Time) error { return nil }

// blockedWriter is a response whose client does not read.
type blockedWriter struct {
	*httptest.ResponseRecorder
	net.Conn
}

func (w blockedWriter) Write(b []byte) (int, error) { return w.Conn.Write(b) }

// A viewer that does not read is disconnected after WriteTimeout.
func TestPage_DropsBlockedViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPage(t, func(bool) ([]Part, <-chan struct{}) { return nil, nil })
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		began := time.Now()
		p.Handler().ServeHTTP(blockedWriter{httptest.NewRecorder(), ours}, streamRequest(t.Context()))
		if took := time.Since(began); took != WriteTimeout {
			t.Errorf("dropped after %s, want %s", took, WriteTimeout)
		}
	})
}
