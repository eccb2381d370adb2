package web

import (
	"io"
	"net/http"
)

// SetHealthCheck sets the function behind /healthz, which returns an error while the
// bot is stuck. It may be called while the page is served.
func (p *Page) SetHealthCheck(check func() error) { p.health.Store(&check) }

// serveHealth reports whether the process is alive, independently of Lichess.
func (p *Page) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if check := p.health.Load(); check != nil {
		if err := (*check)(); err != nil {
			writeText(w, http.StatusServiceUnavailable, err.Error()+"\n")
			return
		}
	}
	writeText(w, http.StatusOK, "ok\n")
}

// serveReady reports whether the bot can be challenged: its event stream is open.
func (p *Page) serveReady(w http.ResponseWriter, _ *http.Request) {
	if !p.hub.connected() {
		writeText(w, http.StatusServiceUnavailable, "the event stream is not open\n")
		return
	}
	writeText(w, http.StatusOK, "ok\n")
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client may be gone
}
