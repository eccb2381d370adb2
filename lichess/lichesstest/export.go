package lichesstest

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// exportGames streams the games of a user to anybody: latest first, unless asked
// otherwise.
func (s *Server) exportGames(r *http.Request, u *user) (any, error) {
	about, q := s.users[strings.ToLower(r.PathValue("user"))], r.URL.Query()
	if about == nil || about.closed && about != u {
		return nil, notFound("Not found")
	}
	e := &export{by: u, about: about}
	games := slices.SortedFunc(maps.Values(s.games), func(a, b *game) int { return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id)) })
	if q.Get("sort") == "dateAsc" {
		slices.Reverse(games)
	}
	for _, g := range games {
		if g.has(about) && g.isSelected(q) {
			e.games = append(e.games, g.export(r, truthy(q.Get("clocks"))))
		}
	}
	return e, s.beginExport(e)
}

// isSelected reports whether an export holds the game. With a category, Lichess asks its
// search index, which has no game in progress.
func (g *game) isSelected(q url.Values) bool {
	perfs := q.Get("perfType")
	switch {
	case g.created.Before(timeParam(q, "since", time.Time{})), g.created.After(timeParam(q, "until", time.Now())):
		return false
	case perfs != "":
		return g.over() && slices.Contains(strings.Split(perfs, ","), g.perf())
	}
	return g.over() || q.Get("ongoing") == "true"
}

// timeParam parses a parameter in Unix milliseconds.
func timeParam(q url.Values, name string, fallback time.Time) time.Time {
	ms, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil {
		return fallback
	}
	return time.UnixMilli(ms)
}

// exportGame sends one game to anybody. Lichess has no text for a game that it does not
// know.
func (s *Server) exportGame(r *http.Request, _ *user) (any, error) {
	id := r.PathValue("id")
	g := s.games[id[:min(len(id), 8)]] // a player's own id of the game is longer
	if g == nil {
		return nil, &refusal{status: http.StatusNotFound}
	}
	return g.export(r, r.URL.Query().Get("clocks") != "false"), nil
}

// acceptsJSON reports whether a request for games asks for JSON instead of PGN.
func acceptsJSON(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "json") }

// export is the game as a line of JSON or as PGN.
func (g *game) export(r *http.Request, clocks bool) document {
	if acceptsJSON(r) {
		return document{"application/json", encodeLine(g.exported(clocks))}
	}
	return document{"application/x-chess-pgn", []byte(g.pgn(clocks) + "\n")}
}

// exported is the game as Lichess exports it.
func (g *game) exported(clocks bool) object {
	o := object{
		"id": g.id, "rated": g.spec.Rated, "variant": g.spec.Variant, "speed": g.spec.speed(), "perf": g.perf(),
		"createdAt": g.created.UnixMilli(), "lastMoveAt": g.movedAt.UnixMilli(), "status": g.status, "source": "friend",
		"players": object{"white": g.exportedPlayer(0), "black": g.exportedPlayer(1)}, "moves": strings.Join(g.shownSANs(), " "),
	}
	add(o, "winner", g.winner)
	if clocks && len(g.clocks) > 0 && g.clock.kind == realTime {
		o["clocks"] = g.clocks[:min(len(g.clocks), g.shownMoves())]
	}
	switch g.clock.kind {
	case realTime:
		limit, increment := g.spec.Limit, g.spec.Increment
		o["clock"] = object{"initial": int(limit.Seconds()), "increment": int(increment.Seconds()), "totalTime": int(g.spec.estimate().Seconds())}
	case correspondence:
		o["daysPerTurn"] = g.spec.Days
	}
	if g.arena != nil {
		o["source"], o["arenaTour"] = "arena", object{"id": g.arena.id, "name": g.arena.Name}
	}
	return o
}

func (g *game) exportedPlayer(side int) object {
	u := g.players[side]
	account := object{"id": u.id, "name": u.name}
	add(account, "title", u.title)
	o := object{"user": account, "rating": g.rating[side]}
	add(o, "provisional", g.provisional[side])
	if g.counted {
		o["ratingDiff"] = g.diff[side]
	}
	return o
}

// perf is the rating category: the variant, or the speed of standard chess.
func (g *game) perf() string {
	if g.spec.Variant == "standard" {
		return g.spec.speed()
	}
	return g.spec.Variant
}

// The last moves of a game in progress are not exported, to prevent cheating; the first
// ones always are.
const (
	hiddenMoves = 3
	alwaysShown = 5
)

// shownMoves is the number of moves that an export shows.
func (g *game) shownMoves() int {
	n := len(g.moves)
	if g.over() {
		return n
	}
	return min(n, max(n-hiddenMoves, alwaysShown))
}

// shownSANs returns the moves that an export shows.
func (g *game) shownSANs() (sans []string) {
	p := *g.rules.Start()
	for _, m := range g.rules.Moves()[:g.shownMoves()] {
		sans = append(sans, p.SAN(m))
		p = p.After(m)
	}
	return sans
}
