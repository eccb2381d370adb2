package web

import (
	"io"
	"net/http"
)

// SetHealthCheck sets the function behind /healthz, which returns an error while the
// bot is stuck. It may be called while the page is served.
func (p *Page) SetHealthCheck(look func() error) { p.health.Store(&look) }

// healthy says whether the process goes on, which does not depend on Lichess.
func (p *Page) healthy(w http.ResponseWriter, _ *http.Request) {
	if look := p.health.Load(); look != nil {
		if err := (*look)(); err != nil {
			answer(w, http.StatusServiceUnavailable, err.Error()+"\n")
			return
		}
	}
	answer(w, http.StatusOK, "ok\n")
}

// ready says whether the bot can be challenged: its event stream is open.
func (p *Page) ready(w http.ResponseWriter, _ *http.Request) {
	if !p.hub.alive() {
		answer(w, http.StatusServiceUnavailable, "the event stream is not open\n")
		return
	}
	answer(w, http.StatusOK, "ok\n")
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // a client that is gone needs no answer
}
