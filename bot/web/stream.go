package web

import (
	"net/http"
	"time"

	"github.com/zhbot/zhbot/internal/webpage"
)

const (
	// maxViewers limits the open streams, each of which takes processor time from
	// the games.
	maxViewers = 32
	// minUpdateInterval is the minimum time between two updates.
	minUpdateInterval = 250 * time.Millisecond
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
	out, err := webpage.OpenStream(w, p.files.Version())
	if err != nil {
		return // the viewer is gone
	}
	all := p.guard.Trusts(r)
	err = out.Follow(r.Context(), minUpdateInterval, func() ([]webpage.Part, <-chan struct{}) {
		changed := p.hub.changes()
		return p.parts(all), changed
	})
	if err != nil {
		p.opts.Log.Error().Err(err).Msg("page not updated")
	}
}
