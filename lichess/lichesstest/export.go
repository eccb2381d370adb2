package lichesstest

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// exportQuery holds the parameters of an export.
type exportQuery struct {
	url.Values
	json bool // instead of PGN
}

// readExportQuery reads the parameters of an export. These flags are set unless declined.
func readExportQuery(r *http.Request, flags ...string) exportQuery {
	q, accept := exportQuery{Values: r.URL.Query()}, r.Header.Get("Accept")
	q.json = strings.Contains(accept, "application/x-ndjson") || strings.Contains(accept, "application/json")
	for _, flag := range flags {
		if !q.Has(flag) {
			q.Set(flag, "true")
		}
	}
	return q
}

func (q exportQuery) flag(name string) bool { return truthy(q.Get(name)) }

// time parses a parameter in Unix milliseconds.
func (q exportQuery) time(name string, fallback time.Time) time.Time {
	ms, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil {
		return fallback
	}
	return time.UnixMilli(ms)
}

// exportGames streams the games of a user to anybody: latest first, unless asked
// otherwise.
func (s *Server) exportGames(r *http.Request, u *user) (any, error) {
	about := s.users[strings.ToLower(r.PathValue("user"))]
	if about == nil || about.closed && about != u {
		return nil, notFound("Not found")
	}
	q := readExportQuery(r, "moves", "tags")
	vs := s.users[strings.ToLower(q.Get("vs"))]
	if name := q.Get("vs"); name != "" && vs == nil {
		return nil, notFound("No such opponent: " + name)
	}
	var games []*game
	for _, g := range s.games {
		if q.selects(g, about, vs) {
			games = append(games, g)
		}
	}
	slices.SortFunc(games, func(a, b *game) int { return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id)) })
	if q.Get("sort") == "dateAsc" {
		slices.Reverse(games)
	}
	if limit, err := strconv.Atoi(q.Get("max")); err == nil {
		games = firstN(games, max(1, limit))
	}
	e := &export{by: u, about: about}
	for _, g := range games {
		e.games = append(e.games, g.export(q))
	}
	return e, s.beginExport(e)
}

// selects reports whether an export of the games of a user, and against another if that is
// not nil, holds a game. Some parameters make Lichess ask its search index, which has no game
// in progress.
func (q exportQuery) selects(g *game, about, vs *user) bool {
	perfs, finished := q.Get("perfType"), q.Get("finished") != "false"
	indexed := perfs != "" || q.Has("rated") || q.Has("color") || q.Has("analysed")
	ongoing := !indexed && (q.Get("ongoing") == "true" || !finished)
	switch {
	case !g.has(about), vs != nil && !g.has(vs):
	case g.created.Before(q.time("since", time.Time{})), g.created.After(q.time("until", time.Now())):
	case g.over() && !finished, !g.over() && !ongoing:
	case perfs != "" && !slices.Contains(strings.Split(perfs, ","), g.perf()):
	case q.Has("rated") && (q.Get("rated") == "true") != g.spec.Rated:
	case q.Has("color") && q.Get("color") != colors[g.side(about)]:
	case q.Get("analysed") == "true": // this server analyses none
	default:
		return true
	}
	return false
}

// exportGame sends one game to anybody. Lichess has no text for a game that it does not
// know.
func (s *Server) exportGame(r *http.Request, _ *user) (any, error) {
	id := r.PathValue("id")
	g := s.games[id[:min(len(id), 8)]] // a player's own id of the game is longer
	if g == nil {
		return nil, &refusal{status: http.StatusNotFound}
	}
	return g.export(readExportQuery(r, "moves", "tags", "clocks")), nil
}

// export is the game as a line of JSON or as PGN.
func (g *game) export(q exportQuery) document {
	if q.json {
		return document{"application/json", encodeLine(g.exported(q))}
	}
	return document{"application/x-chess-pgn", []byte(g.pgn(q) + "\n")}
}

// exported is the game as Lichess exports it.
func (g *game) exported(q exportQuery) object {
	o := object{
		"id": g.id, "rated": g.spec.Rated, "variant": g.spec.Variant, "speed": g.spec.speed(), "perf": g.perf(),
		"createdAt": g.created.UnixMilli(), "lastMoveAt": g.movedAt.UnixMilli(), "status": g.status, "source": "friend",
		"players": object{"white": g.exportedPlayer(0), "black": g.exportedPlayer(1)},
	}
	add(o, "winner", g.winner)
	if q.flag("moves") {
		o["moves"] = strings.Join(g.shownSANs(), " ")
	}
	if q.flag("clocks") && len(g.clocks) > 0 && g.clock.kind == realTime {
		o["clocks"] = g.clocks[:min(len(g.clocks), g.shownMoves())]
	}
	switch g.clock.kind {
	case realTime:
		limit, increment := g.spec.Limit, g.spec.Increment
		o["clock"] = object{"initial": int(limit.Seconds()), "increment": int(increment.Seconds()), "totalTime": int(g.spec.estimate().Seconds())}
	case correspondence:
		o["daysPerTurn"] = g.spec.Days
	}
	if q.flag("pgnInJson") {
		o["pgn"] = g.pgn(q)
	}
	if q.flag("lastFen") {
		o["lastFen"], o["lastMove"] = g.rules.Position().FEN(), g.lastMove()
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
