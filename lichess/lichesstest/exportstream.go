package lichesstest

import (
	"fmt"
	"net/http"
	"time"
)

// export is a stream of games at a limited rate.
type export struct {
	json      bool
	games     [][]byte
	perSecond int
	release   func() // ends it
}

// Games per second, by who exports: the user, someone else with a token, anybody.
const (
	ownExportRate       = 60
	tokenExportRate     = 30
	anonymousExportRate = 25
)

func exportRate(u, about *user) int {
	switch u {
	case about:
		return ownExportRate
	case nil:
		return anonymousExportRate
	}
	return tokenExportRate
}

// How many exports may run at once: of a user's token, and from one address, where those
// of one's own games hardly count.
const (
	maxUserExports    = 2
	maxAddressExports = 1
)

// exportCounts count the exports that are running. All clients of this server have one
// address.
type exportCounts struct {
	address int // of others' games
	users   map[*user]int
}

// beginExport counts an export until it is released, or refuses it. The caller holds the
// lock; the release takes it.
func (s *Server) beginExport(u, about *user) (release func(), err error) {
	c, others := &s.exports, 0
	if u != about {
		others = 1
	}
	if c.address+others > maxAddressExports || u != nil && c.users[u] == maxUserExports {
		return nil, refuse(http.StatusTooManyRequests, fmt.Sprintf("Please only run %d request(s) at a time", 1))
	}
	count := func(n int) {
		c.address += n * others
		if u != nil {
			c.users[u] += n
		}
	}
	count(1)
	return s.locked(func() { count(-1) }), nil
}

// exportBurst is how much of an export is sent at once.
const exportBurst = 100 * time.Millisecond

// serveExport sends an export, within its rate.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request, e *export) {
	defer e.release()
	contentType := pgnType
	if e.json {
		contentType = "application/x-ndjson"
	}
	out := s.startStream(w, "export", contentType, newSubscriber())
	if out == nil {
		return
	}
	start, ahead := time.Now(), max(1, int(exportBurst.Seconds()*float64(e.perSecond)))
	for i, game := range e.games {
		due := start.Add(time.Duration(max(0, i-ahead+1)) * time.Second / time.Duration(e.perSecond))
		wait(r.Context(), time.Until(due))
		if r.Context().Err() != nil || !out.writeLine(game) {
			return
		}
	}
	if out.silent != nil {
		<-r.Context().Done()
	}
}

// document is an answer that is not JSON of this server's own.
type document struct {
	contentType string
	body        []byte
}

func (d document) serve(w http.ResponseWriter) {
	w.Header().Set("Content-Type", d.contentType)
	_, _ = w.Write(d.body) // the client may be gone
}
