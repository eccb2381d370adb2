package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// maxViewers limits the open streams of a page, each of which takes processor time.
	maxViewers = 32
	// maxSilence is the longest time between two updates of a stream: the page takes
	// a silent connection for dead.
	maxSilence = 2 * time.Second
	// reconnectDelay is how long the browser waits before it reconnects.
	reconnectDelay = 2 * time.Second
)

// message is what a viewer is sent. The page reloads itself when the version of its files
// changes.
type message struct {
	Version string          `json:"version"`
	Now     int64           `json:"now"`             // server time in Unix milliseconds
	State   json.RawMessage `json:"state,omitempty"` // none if the last one holds
}

// stream sends a viewer the state of the page, and again when it has changed, until the viewer
// disconnects or the page shuts down. In between, messages without it show that it is alive.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case p.viewers <- struct{}{}:
		defer func() { <-p.viewers }()
	default:
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	trusted, gone := p.Trusts(r), r.Context().Done()
	var sent []byte
	for last := time.Now(); ; {
		state, changed := p.opts.State(trusted)
		encoded, err := json.Marshal(state)
		if err != nil {
			p.opts.Log.Error().Err(err).Msg("page not updated")
			return
		}
		now := time.Now()
		m := message{Version: p.Files.Version, Now: now.UnixMilli()}
		if !bytes.Equal(encoded, sent) {
			m.State, sent = encoded, encoded
		}
		if m.State != nil || now.Sub(last) >= maxSilence {
			if last = now; send(w, m) != nil {
				return // the viewer is gone
			}
		}
		if !wait(gone, p.opts.Interval, nil) || changed != nil && !wait(gone, maxSilence-p.opts.Interval, changed) {
			return
		}
	}
}

// wait waits for a duration or until woken. It returns false once done is closed.
func wait(done <-chan struct{}, d time.Duration, wake <-chan struct{}) bool {
	select {
	case <-done:
		return false
	case <-wake:
	case <-time.After(d):
	}
	return true
}

// send sends a message as an event.
func send(w http.ResponseWriter, m message) error {
	encoded, err := json.Marshal(m) // on one line, as SSE requires
	if err == nil {
		err = setWriteDeadline(w)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "retry: %d\ndata: %s\n\n", reconnectDelay.Milliseconds(), encoded)
	}
	if err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}
