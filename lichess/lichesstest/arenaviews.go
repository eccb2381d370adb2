package lichesstest

import (
	"net/http"
	"slices"
	"time"
)

// findArena returns the arena of a request, or nil after writing an error. The
// caller holds the lock.
func (s *Server) findArena(w http.ResponseWriter, r *http.Request) *arena {
	a := s.arenas[r.PathValue("id")]
	if a == nil {
		writeError(w, http.StatusNotFound, "Not found")
	}
	return a
}

func (s *Server) showArena(w http.ResponseWriter, r *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.findArena(w, r)
	if a == nil {
		return
	}
	now := time.Now()
	o := a.object()
	o["variant"], o["startsAt"] = a.Variant, a.startsAt.UTC().Format(time.RFC3339)
	switch {
	case a.over(now):
		o["isFinished"] = true
	case a.started(now):
		o["isStarted"], o["secondsToFinish"] = true, a.finishesAt.Sub(now)/time.Second
	default:
		o["secondsToStart"] = a.startsAt.Sub(now) / time.Second
	}
	writeJSON(w, http.StatusOK, o)
}

func (s *Server) teamArenas(w http.ResponseWriter, r *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*arena
	for _, a := range s.arenas {
		if a.Team == r.PathValue("id") {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *arena) int { return b.startsAt.Compare(a.startsAt) })
	w.Header().Set("Content-Type", "application/x-ndjson")
	now := time.Now()
	for _, a := range firstN(list, intParam(r, "max", 100, 100)) {
		o := a.object()
		o["variant"], o["startsAt"], o["finishesAt"] = variantObject(a.Variant), a.startsAt.UnixMilli(), a.finishesAt.UnixMilli()
		o["status"] = a.status(now)
		if left := a.startsAt.Sub(now) / time.Second; left > 0 {
			o["secondsToStart"] = left
		}
		_, _ = w.Write(encodeLine(o))
	}
}

// object is the common part of both JSON forms of an arena.
func (a *arena) object() object {
	o := object{
		"id": a.id, "createdBy": "lichess", "system": "arena", "fullName": a.Name, "minutes": max(1, int64(a.Duration/time.Minute)),
		"clock": object{"limit": a.Limit / time.Second, "increment": a.Increment / time.Second}, "rated": a.Rated, "nbPlayers": len(a.members),
		"perf": object{"key": a.Variant, "name": variants[a.Variant].name},
	}
	if !a.NoBots {
		o["botsAllowed"] = true
	}
	if a.Password != "" {
		o["private"] = true
	}
	return o
}

// status is Lichess's number of created, started or finished.
func (a *arena) status(now time.Time) int {
	switch {
	case a.over(now):
		return 30
	case a.started(now):
		return 20
	}
	return 10
}

func (s *Server) joinArena(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.findArena(w, r)
	if a == nil {
		return
	}
	if text := a.join(u, r.FormValue("password"), r.FormValue("pairMeAsap") == "true"); text != "" {
		writeError(w, http.StatusBadRequest, text)
		return
	}
	writeOK(w)
}

func (s *Server) withdrawArena(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.findArena(w, r); a != nil {
		a.withdraw(u)
		writeOK(w)
	}
}
