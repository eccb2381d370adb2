package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// WriteTimeout is how long a write to a client may block.
	WriteTimeout = 10 * time.Second
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

// stream sends messages to a viewer, as server-sent events.
type stream struct {
	w       io.Writer
	control *http.ResponseController
}

// openStream begins a stream in response to a request. The version is that of the page's
// files: the page reloads itself when it changes. An error means that the viewer is gone.
func openStream(w http.ResponseWriter, version string) (*stream, error) {
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{w: w, control: http.NewResponseController(w)}
	fields := fmt.Sprintf("retry: %d\nevent: hello", reconnectDelay.Milliseconds())
	if err := s.send(fields, hello{version, time.Now().UnixMilli()}); err != nil {
		return nil, err
	}
	return s, nil
}

// hello is the first message on a stream.
type hello struct {
	Version string `json:"version"`
	Now     int64  `json:"now"`
}

// follow sends a viewer all parts and then those that change, until the context ends or
// the viewer is gone, but not more often than once in an interval. next returns the
// current parts, and a channel that is closed once they change. An error means that a
// part cannot be encoded.
func (s *stream) follow(ctx context.Context, interval time.Duration, next func() ([]Part, <-chan struct{})) error {
	for sent := (Sent{}); ; {
		parts, changed := next()
		changes, err := sent.Changes(time.Now(), parts)
		if err != nil {
			return err
		}
		if err := s.sendParts(changes); err != nil {
			return nil //nolint:nilerr // the viewer is gone
		}
		if !wait(ctx.Done(), interval, nil) || !wait(ctx.Done(), maxSilence-interval, changed) {
			return nil
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

// sendParts sends messages. Without any it tells the viewer that nothing changed.
func (s *stream) sendParts(list []Message) error { return s.send("event: parts", list) }

// send sends a value as an event, whose fields come first.
func (s *stream) send(fields string, value any) error {
	encoded, err := json.Marshal(value) // on one line, as SSE requires
	if err != nil {
		return err
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(WriteTimeout)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.w, "%s\ndata: %s\n\n", fields, encoded); err != nil {
		return err
	}
	return s.control.Flush()
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
