package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/event"
)

// Liveness is independent of Lichess; readiness means that the bot can be challenged.
func TestHealth(t *testing.T) {
	p := newTestPage(t, Options{})
	var hangs error
	p.SetHealthCheck(func() error { return hangs })
	for _, tt := range []struct {
		name        string
		event       event.Event
		hangs       error
		alive, able int
	}{
		{"before Lichess answers", event.StreamLost{}, nil, http.StatusOK, http.StatusServiceUnavailable},
		{"connected", event.StreamOpened{}, nil, http.StatusOK, http.StatusOK},
		{"hanging", event.StreamOpened{}, errors.New("game abc hangs"), http.StatusServiceUnavailable, http.StatusOK},
	} {
		p.Observe(tt.event)
		hangs = tt.hangs
		alive, able := request(p.Handler(), "GET", "localhost", "/healthz"), request(p.Handler(), "GET", "localhost", "/readyz")
		if alive.Code != tt.alive || able.Code != tt.able {
			t.Errorf("%s: /healthz %d, /readyz %d", tt.name, alive.Code, able.Code)
		}
		if tt.hangs != nil && !strings.Contains(alive.Body.String(), tt.hangs.Error()) {
			t.Errorf("%s: %s", tt.name, alive.Body)
		}
	}
}
