package live

import (
	"net/http"
	"time"

	"github.com/zhbot/zhbot/internal/web"
)

// minUpdateInterval is the minimum time between two updates of a viewer.
const minUpdateInterval = 250 * time.Millisecond

// stream sends a viewer the parts of the page.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	all := p.guard.Trusts(r)
	p.viewers.Serve(w, r, func() ([]web.Part, <-chan struct{}) {
		changed := p.hub.changes()
		return p.parts(all), changed
	})
}
