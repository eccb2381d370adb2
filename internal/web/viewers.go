package web

import (
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

// maxViewers limits the open streams of a page, each of which takes processor time.
const maxViewers = 32

// Viewers are the browsers that have a page open. They are safe for concurrent use.
type Viewers struct {
	slots    chan struct{} // semaphore for open streams
	version  string        // of the page's files
	interval time.Duration // minimum time between two updates of a viewer
	log      zerolog.Logger
}

// NewViewers returns the viewers of a page with these files, to whom updates are sent at
// most once per interval.
func NewViewers(files *Files, interval time.Duration, log zerolog.Logger) *Viewers {
	return &Viewers{slots: make(chan struct{}, maxViewers), version: files.Version(), interval: interval, log: log}
}

// Serve sends a viewer all parts of the page, and then those that change, until the
// viewer disconnects or the page shuts down. next returns the current parts, and a
// channel that is closed once they change.
func (v *Viewers) Serve(w http.ResponseWriter, r *http.Request, next func() ([]Part, <-chan struct{})) {
	select {
	case v.slots <- struct{}{}:
		defer func() { <-v.slots }()
	default:
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	s, err := openStream(w, v.version)
	if err != nil {
		return // the viewer is gone
	}
	if err := s.follow(r.Context(), v.interval, next); err != nil {
		v.log.Error().Err(err).Msg("page not updated")
	}
}
