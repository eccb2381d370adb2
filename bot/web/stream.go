package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// maxViewers limits the open streams, each of which takes processor time from
	// the games.
	maxViewers = 32
	// minUpdateInterval is the minimum time between two updates.
	minUpdateInterval = 250 * time.Millisecond
	// maxUpdateInterval is the maximum time between two: the search speed changes
	// without an event, and the page takes a silent connection for dead.
	maxUpdateInterval = 2 * time.Second
	// writeTimeout is how long a write to a client may block.
	writeTimeout = 10 * time.Second
	// reconnectDelay is how long the browser waits before it reconnects.
	reconnectDelay = 2 * time.Second
)

// stream sends a viewer all parts of the page, and then those that change, until the
// viewer disconnects or the page shuts down.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case p.viewerSlots <- struct{}{}:
		defer func() { <-p.viewerSlots }()
	default:
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := sse{w: w, control: http.NewResponseController(w)}
	fields := fmt.Sprintf("retry: %d\nevent: hello", reconnectDelay.Milliseconds())
	if err := out.send(fields, hello{p.assetsVersion, time.Now().UnixMilli()}); err != nil {
		return // the viewer is gone
	}
	p.sendUpdates(r, &out)
}

// sendUpdates sends changed parts until the viewer disconnects or the page shuts down.
func (p *Page) sendUpdates(r *http.Request, out *sse) {
	known, all := sentParts{}, p.guard.Trusts(r)
	for {
		changed := p.hub.changes()
		changes, err := known.changes(time.Now(), p.parts(all))
		if err != nil {
			p.opts.Log.Error().Err(err).Msg("page not updated")
			return
		}
		if err := out.sendParts(changes); err != nil {
			return // the viewer is gone
		}
		if !wait(r.Context().Done(), minUpdateInterval, nil) || !wait(r.Context().Done(), maxUpdateInterval-minUpdateInterval, changed) {
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

// hello is the first message on a stream.
type hello struct {
	Version string `json:"version"` // of the page's files; the page reloads when it changes
	Now     int64  `json:"now"`
}

// sse writes server-sent events.
type sse struct {
	w       io.Writer
	control *http.ResponseController
}

// send sends a value as an event, whose fields come first.
func (s *sse) send(fields string, value any) error {
	encoded, err := json.Marshal(value) // on one line, as SSE requires
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("%s\ndata: %s\n\n", fields, encoded))
}

// sendParts sends messages, or a comment if there are none.
func (s *sse) sendParts(list []message) error {
	if len(list) == 0 {
		return s.write(":\n\n")
	}
	return s.send("event: parts", list)
}

func (s *sse) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}
