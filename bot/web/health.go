package web

import (
	"io"
	"net/http"
)

// healthy says that the process answers.
func (p *Page) healthy(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok\n") }

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
