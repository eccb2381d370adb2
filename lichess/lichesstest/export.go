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

// exportGames streams the games of a user to anybody: latest first, unless asked
// otherwise.
func (s *Server) exportGames(r *http.Request, u *user) (any, error) {
	about := s.users[strings.ToLower(r.PathValue("user"))]
	if about == nil || about.closed && about != u {
		return nil, notFound("Not found")
	}
	q := r.URL.Query()
	selected, err := s.exportFilter(about, q)
	if err != nil {
		return nil, err
	}
	var games []*game
	for _, g := range s.games {
		if selected(g) {
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
	release, err := s.beginExport(u, about)
	if err != nil {
		return nil, err
	}
	flags := readExportFlags(r, false)
	e := &export{json: flags.json, perSecond: exportRate(u, about), release: release}
	for _, g := range games {
		e.games = append(e.games, g.export(flags))
	}
	return e, nil
}

// exportFilter returns which games an export holds. Some parameters make Lichess ask its
// search index, which has no game in progress.
func (s *Server) exportFilter(about *user, q url.Values) (func(*game) bool, error) {
	vs := s.users[strings.ToLower(q.Get("vs"))]
	if name := q.Get("vs"); name != "" && vs == nil {
		return nil, notFound("No such opponent: " + name)
	}
	since, until := timeParam(q, "since", time.Time{}), timeParam(q, "until", time.Now())
	finished := q.Get("finished") != "false"
	ongoing := q.Get("ongoing") == "true" || !finished
	perfs := strings.FieldsFunc(q.Get("perfType"), func(r rune) bool { return r == ',' })
	if len(perfs) > 0 || q.Has("rated") || q.Has("color") || q.Has("analysed") {
		ongoing = false
	}
	return func(g *game) bool {
		switch {
		case !g.has(about), vs != nil && !g.has(vs):
		case g.created.Before(since), g.created.After(until):
		case g.over() && !finished, !g.over() && !ongoing:
		case len(perfs) > 0 && !slices.Contains(perfs, g.perf()):
		case q.Has("rated") && (q.Get("rated") == "true") != g.spec.Rated:
		case q.Has("color") && q.Get("color") != colors[g.side(about)]:
		case q.Get("analysed") == "true": // this server analyses none
		default:
			return true
		}
		return false
	}, nil
}

// timeParam parses a parameter in Unix milliseconds.
func timeParam(q url.Values, name string, fallback time.Time) time.Time {
	ms, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil {
		return fallback
	}
	return time.UnixMilli(ms)
}

// perf is the rating category: the variant, or the speed of standard chess.
func (g *game) perf() string {
	if g.spec.Variant == "standard" {
		return g.spec.speed()
	}
	return g.spec.Variant
}

// exportGame sends one game to anybody. Lichess has no text for a game that it does not
// know.
func (s *Server) exportGame(r *http.Request, _ *user) (any, error) {
	id := r.PathValue("id")
	g := s.games[id[:min(len(id), 8)]] // a player's own id of the game is longer
	if g == nil {
		return nil, &refusal{status: http.StatusNotFound}
	}
	flags := readExportFlags(r, true)
	d := document{contentType: pgnType, body: g.export(flags)}
	if flags.json {
		d.contentType = "application/json"
	}
	return d, nil
}

// showUser is a user's public profile.
func (s *Server) showUser(r *http.Request, _ *user) (any, error) {
	u := s.users[strings.ToLower(r.PathValue("name"))]
	switch {
	case u == nil:
		return nil, notFound("Not found")
	case u.closed:
		return object{"id": u.id, "username": u.name, "disabled": true}, nil
	}
	return u.fullProfile(s.gamesInProgress(u)), nil
}

// exportFlags are what an export holds of each game.
type exportFlags struct{ json, clocks, moves, tags, pgnInJSON, lastFEN bool }

// readExportFlags reads the parameters of an export. Clocks are in that of a single game
// unless declined.
func readExportFlags(r *http.Request, clocks bool) exportFlags {
	q, accept := r.URL.Query(), r.Header.Get("Accept")
	flag := func(name string, fallback bool) bool {
		if !q.Has(name) {
			return fallback
		}
		return truthy(q.Get(name))
	}
	return exportFlags{
		json:   strings.Contains(accept, "application/x-ndjson") || strings.Contains(accept, "application/json"),
		clocks: flag("clocks", clocks), moves: flag("moves", true), tags: flag("tags", true),
		pgnInJSON: flag("pgnInJson", false), lastFEN: flag("lastFen", false),
	}
}

// export is the game as a line of JSON or as PGN.
func (g *game) export(f exportFlags) []byte {
	if !f.json {
		return []byte(g.pgn(f) + "\n")
	}
	return encodeLine(g.exported(f))
}

// exported is the game as Lichess exports it.
func (g *game) exported(f exportFlags) object {
	o := object{
		"id": g.id, "rated": g.spec.Rated, "variant": g.spec.Variant, "speed": g.spec.speed(), "perf": g.perf(),
		"createdAt": g.created.UnixMilli(), "lastMoveAt": g.movedAt.UnixMilli(), "status": g.status, "source": "friend",
		"players": object{"white": g.exportedPlayer(0), "black": g.exportedPlayer(1)},
	}
	add(o, "winner", g.winner)
	if f.moves {
		o["moves"] = strings.Join(g.shownSANs(), " ")
	}
	if f.clocks && len(g.clocks) > 0 && g.clock.kind == realTime {
		o["clocks"] = g.clocks[:min(len(g.clocks), g.shownMoves())]
	}
	switch g.clock.kind {
	case realTime:
		limit, increment := g.spec.Limit, g.spec.Increment
		o["clock"] = object{"initial": int(limit.Seconds()), "increment": int(increment.Seconds()), "totalTime": int(g.spec.estimate().Seconds())}
	case correspondence:
		o["daysPerTurn"] = g.spec.Days
	}
	if f.pgnInJSON {
		o["pgn"] = g.pgn(f)
	}
	if f.lastFEN {
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
