package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// A page has so many viewers and no more; who leaves makes room.
func TestViewers_Limit(t *testing.T) {
	v := &Viewers{slots: make(chan struct{}, 1), version: "v1", interval: time.Millisecond, log: zerolog.Nop()}
	left, leave := context.WithCancel(t.Context())
	leave()
	view := func() *httptest.ResponseRecorder {
		w := deadlineRecorder{httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(left, http.MethodGet, "/api/stream", nil)
		v.Serve(w, r, func() ([]Part, <-chan struct{}) { return []Part{{"bot", 7}}, nil })
		return w.ResponseRecorder
	}
	v.slots <- struct{}{}
	if w := view(); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "too many viewers") {
		t.Errorf("one viewer too many: status %d, %s", w.Code, w.Body)
	}
	<-v.slots
	for range 2 {
		if w := view(); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"value":7`) {
			t.Errorf("a viewer: status %d, %s", w.Code, w.Body)
		}
	}
}
