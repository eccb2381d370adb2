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

// Part is a part of a page, sent as JSON. A part whose name no longer occurs is removed
// from the page.
type Part struct {
	Name  string
	Value any
}

// Message is a part as sent. Value is null for a part to be removed.
type Message struct {
	Now   int64           `json:"now"` // server time in Unix milliseconds
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// hello is the first message on a stream. The page reloads itself when the version of its
// files changes.
type hello struct {
	Version string `json:"version"`
	Now     int64  `json:"now"`
}

// stream sends a viewer all parts of the page, and then those that change, until the
// viewer disconnects or the page shuts down. In between, empty updates show that it is alive.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case p.viewers <- struct{}{}:
		defer func() { <-p.viewers }()
	default:
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fields := fmt.Sprintf("retry: %d\nevent: hello", reconnectDelay.Milliseconds())
	if sendEvent(w, fields, hello{p.Files.Version, time.Now().UnixMilli()}) != nil {
		return // the viewer is gone
	}
	trusted, gone := p.Trusts(r), r.Context().Done()
	last := time.Now()
	for sent := (Sent{}); ; {
		parts, changed := p.opts.Parts(trusted)
		changes, err := sent.Changes(time.Now(), parts)
		if err != nil {
			p.opts.Log.Error().Err(err).Msg("page not updated")
			return
		}
		if now := time.Now(); len(changes) > 0 || now.Sub(last) >= maxSilence {
			if last = now; sendEvent(w, "event: parts", changes) != nil {
				return
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

// sendEvent sends a value as an event, whose fields come first. An error means that the
// viewer is gone.
func sendEvent(w http.ResponseWriter, fields string, value any) error {
	encoded, err := json.Marshal(value) // on one line, as SSE requires
	if err != nil {
		return err
	}
	if err := setWriteDeadline(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s\ndata: %s\n\n", fields, encoded); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// Sent are the parts that a viewer has, by name.
type Sent map[string][]byte

// Changes returns the messages that update a viewer, and marks them as sent. An error
// means that a part cannot be encoded.
func (s Sent) Changes(now time.Time, parts []Part) ([]Message, error) {
	list, present := []Message{}, map[string]bool{}
	for _, p := range parts {
		encoded, err := json.Marshal(p.Value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", p.Name, err)
		}
		present[p.Name] = true
		if !bytes.Equal(s[p.Name], encoded) {
			s[p.Name] = encoded
			list = append(list, Message{now.UnixMilli(), p.Name, encoded})
		}
	}
	for name := range s {
		if !present[name] {
			delete(s, name)
			list = append(list, Message{now.UnixMilli(), name, json.RawMessage("null")})
		}
	}
	return list, nil
}
