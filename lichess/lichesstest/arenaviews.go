package lichesstest

import (
	"net/http"
	"slices"
	"time"
)

// arenaRoute returns a handler of requests for an arena.
func (s *Server) arenaRoute(handle func(a *arena, r *http.Request, u *user) (any, error)) handler {
	return func(r *http.Request, u *user) (any, error) {
		if a := s.arenas[r.PathValue("id")]; a != nil {
			return handle(a, r, u)
		}
		return nil, notFound("Not found")
	}
}

func (a *arena) show(*http.Request, *user) (any, error) {
	o, now := a.object(), time.Now()
	o["variant"], o["startsAt"] = a.Variant, a.startsAt.UTC().Format(time.RFC3339)
	switch {
	case a.over(now):
		o["isFinished"] = true
	case a.started(now):
		o["isStarted"], o["secondsToFinish"] = true, a.finishesAt.Sub(now)/time.Second
	default:
		o["secondsToStart"] = a.startsAt.Sub(now) / time.Second
	}
	return o, nil
}

func (s *Server) teamArenas(r *http.Request, _ *user) (any, error) {
	var list []*arena
	for _, a := range s.arenas {
		if a.Team == r.PathValue("id") {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *arena) int { return b.startsAt.Compare(a.startsAt) })
	now, shown := time.Now(), lines(nil)
	for _, a := range firstN(list, intParam(r, "max", 100, 100)) {
		o := a.object()
		o["variant"], o["startsAt"], o["finishesAt"] = variantObject(a.Variant), a.startsAt.UnixMilli(), a.finishesAt.UnixMilli()
		o["status"] = a.status(now)
		add(o, "secondsToStart", max(0, a.startsAt.Sub(now)/time.Second))
		shown = append(shown, o)
	}
	return shown, nil
}

// object is the common part of both JSON forms of an arena.
func (a *arena) object() object {
	o := object{
		"id": a.id, "createdBy": "lichess", "system": "arena", "fullName": a.Name, "minutes": max(1, int64(a.Duration/time.Minute)),
		"clock": object{"limit": a.Limit / time.Second, "increment": a.Increment / time.Second}, "rated": a.Rated, "nbPlayers": len(a.members),
		"perf": object{"key": a.Variant, "name": variants[a.Variant].name},
	}
	add(o, "botsAllowed", !a.NoBots)
	add(o, "private", a.Password != "")
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
