package lichesstest

import (
	"net/http"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// export is a stream of games at a limited rate.
type export struct {
	by, about *user // by is nil for anybody
	games     []document
}

// rate is how many games a second are sent: most of one's own, fewest to anybody.
func (e *export) rate() int {
	switch e.by {
	case e.about:
		return 60
	case nil:
		return 25
	}
	return 30
}

// How many exports may run at once: of a user's token, and from one address, where those
// of one's own games hardly count. All clients of this server have one address.
const (
	maxUserExports    = 2
	maxAddressExports = 1
)

// beginExport counts an export until it has been served, or refuses it. The caller holds the
// lock.
func (s *Server) beginExport(e *export) error {
	byUser, byAddress := 0, 0
	for _, running := range append(s.exports, e) {
		if running.by != nil && running.by == e.by {
			byUser++
		}
		if running.by != running.about {
			byAddress++
		}
	}
	if byUser > maxUserExports || byAddress > maxAddressExports {
		return refuse(http.StatusTooManyRequests, "Please only run 1 request(s) at a time")
	}
	s.exports = append(s.exports, e)
	return nil
}

// exportBurst is how much of an export is sent at once.
const exportBurst = 100 * time.Millisecond

// serveExport sends an export, within its rate.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request, e *export) {
	defer s.locked(func() {
		s.exports = slices.DeleteFunc(s.exports, func(running *export) bool { return running == e })
	})()
	contentType := "application/x-chess-pgn"
	if acceptsJSON(r) {
		contentType = "application/x-ndjson"
	}
	out := s.startStream(w, "export", contentType, newSubscriber())
	if out == nil {
		return
	}
	start, rate := time.Now(), time.Duration(e.rate())
	ahead := max(1, int(exportBurst*rate/time.Second))
	for i, game := range e.games {
		_ = lichess.Sleep(r.Context(), time.Until(start.Add(time.Duration(max(0, i-ahead+1))*time.Second/rate)))
		if r.Context().Err() != nil || !out.writeLine(game.body) {
			return
		}
	}
	if out.silent != nil {
		<-r.Context().Done()
	}
}
