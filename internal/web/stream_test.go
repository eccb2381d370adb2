package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// A viewer is sent the state, and again when it has changed. An update without changes is an
// event, too: a browser does not show comments to the page, which would take the connection
// for dead.
func TestPage_Stream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		states := []int{1, 1, 2}
		p := testPage(t, func(trusted bool) (any, <-chan struct{}) {
			if trusted {
				t.Error("a viewer without the link is trusted")
			}
			now := states[0]
			states = states[min(1, len(states)-1):]
			return now, nil
		})
		ctx, leave := context.WithTimeout(t.Context(), maxSilence+time.Second)
		defer leave()
		events := strings.Split(view(p, ctx).Body.String(), "\n\n")
		message := regexp.MustCompile(`^retry: 2000\ndata: \{"version":"` + p.Files.Version + `","now":\d+(,"state":\d)?\}$`)
		var sent []string
		for _, event := range events[:len(events)-1] {
			sent = append(sent, message.ReplaceAllString(event, "$1"))
		}
		if !slices.Equal(sent, []string{`,"state":1`, `,"state":2`, ""}) {
			t.Errorf("sent %q", events)
		}
	})
}

// A page has so many viewers and no more; who leaves makes room.
func TestPage_ViewerLimit(t *testing.T) {
	p := testPage(t, func(bool) (any, <-chan struct{}) { return 7, nil })
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
		if w := view(p, left); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"state":7`) {
			t.Errorf("a viewer: status %d, %s", w.Code, w.Body)
		}
	}
}

func testPage(t *testing.T, state func(bool) (any, <-chan struct{})) *Page {
	t.Helper()
	p, err := NewPage(PageOptions{
		Access: GuardOptions{Listen: "127.0.0.1:8080"}, Files: fstest.MapFS{"static/index.html": {}},
		Interval: time.Millisecond, State: state, Log: zerolog.Nop(),
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
		p := testPage(t, func(bool) (any, <-chan struct{}) { return nil, nil })
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
