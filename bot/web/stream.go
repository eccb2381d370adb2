package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// mostViewers bounds the open streams, each of which costs the games some
	// processor time.
	mostViewers = 32
	// least time between two looks at what has changed.
	updateEvery = 250 * time.Millisecond
	// longest time between two: the speed of the search is that of a moment, and
	// a line now and then keeps the connection from being taken for dead.
	updateAtLeast = 2 * time.Second
	// writeTimeout is how long a viewer may not take what is sent.
	writeTimeout = 10 * time.Second
	// reconnectAfter is how long the browser waits after the stream has ended.
	reconnectAfter = 2 * time.Second
)

// stream sends a viewer what there is to show, and then what changes, until one
// of both goes away.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case p.viewers <- struct{}{}:
		defer func() { <-p.viewers }()
	default:
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := sse{w: w, control: http.NewResponseController(w)}
	if err := out.hello(hello{p.edition, time.Now().UnixMilli()}); err != nil {
		return // the viewer is gone
	}
	p.follow(r, &out)
}

// follow sends changes until the viewer or the page goes away.
func (p *Page) follow(r *http.Request, out *sse) {
	known, all := seen{}, p.guard.trusts(r)
	for {
		changed := p.hub.next()
		parts, err := p.parts(all)
		if err != nil {
			p.opts.Log.Error().Err(err).Msg("page not updated")
			return
		}
		if err := out.send(known.changes(time.Now(), parts)); err != nil {
			return // the viewer is gone
		}
		if !sleep(r.Context().Done(), updateEvery, nil) || !sleep(r.Context().Done(), updateAtLeast-updateEvery, changed) {
			return
		}
	}
}

// sleep waits for a time or until it is woken. It returns false when it is all
// over.
func sleep(over <-chan struct{}, d time.Duration, woken <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-over:
		return false
	case <-woken:
	case <-timer.C:
	}
	return true
}

// hello is the first thing on a stream.
type hello struct {
	Edition string `json:"edition"` // of the page's files; another one must be loaded anew
	Now     int64  `json:"now"`
}

// sse writes server-sent events.
type sse struct {
	w       io.Writer
	control *http.ResponseController
}

func (s *sse) hello(h hello) error {
	encoded, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("retry: %d\nevent: hello\ndata: %s\n\n", reconnectAfter.Milliseconds(), encoded))
}

// send writes messages, or a comment if there are none.
func (s *sse) send(list []message) error {
	if len(list) == 0 {
		return s.write(":\n\n")
	}
	encoded, err := json.Marshal(list) // on one line, as it must be
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: parts\ndata: %s\n\n", encoded))
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
