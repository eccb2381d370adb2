package lichesstest

import (
	"strings"
	"time"
)

// info is the JSON of a game in the event stream of one of its players.
func (g *game) info(u *user) object {
	o := g.preview(u)
	o["id"], o["compat"] = g.id, g.server.compat(u, &g.spec)
	return o
}

// preview is the JSON of a game in one of its players' list of games in progress.
func (g *game) preview(u *user) object {
	side := g.side(u)
	other := g.players[1-side]
	opponent := object{"id": other.id, "username": other.titled(), "rating": g.rating[1-side]}
	o := object{
		"fullId": g.id + g.secret[side], "gameId": g.id, "fen": g.rules.Position().FEN(), "color": colors[side],
		"lastMove": g.lastMove(), "source": "friend", "status": object{"id": statusIDs[g.status], "name": g.status},
		"variant": object{"key": crazyhouse, "name": variants[crazyhouse].name}, "speed": g.spec.speed(),
		"perf":  crazyhouse,
		"rated": g.spec.Rated, "hasMoved": g.rules.Ply() > side, "opponent": opponent,
		"isMyTurn": !g.over() && g.turn() == side, "rating": g.rating[side],
	}
	if g.arena != nil {
		o["source"], o["tournamentId"] = "arena", g.arena.id
	}
	switch left := max(0, g.clock.timeLeft(side, time.Now())); g.clock.kind {
	case realTime:
		o["secondsLeft"] = left.Round(time.Second) / time.Second
	case correspondence:
		if !g.over() {
			o["secondsLeft"] = left / time.Second
		}
	}
	if g.server.Faults.check("types") != nil {
		o["rating"] = 1500.5
	}
	add(o, "winner", g.winner)
	if g.counted {
		o["ratingDiff"], opponent["ratingDiff"] = g.diff[side], g.diff[1-side]
	}
	return o
}

// lastMove is the squares of the last move: the target twice for a drop, without the
// piece for a promotion.
func (g *game) lastMove() string {
	if len(g.moves) == 0 {
		return ""
	}
	last := g.moves[len(g.moves)-1]
	if last[1] == '@' {
		return last[2:] + last[2:]
	}
	return last[:4]
}

// full is the first line of a game stream.
func (g *game) full() object {
	o := object{
		"type": "gameFull", "id": g.id, "variant": variantObject(crazyhouse),
		"speed": g.spec.speed(), "perf": object{"name": "Crazyhouse"}, "rated": g.spec.Rated,
		"createdAt": g.created.UnixMilli(),
		"white":     g.playerObject(0), "black": g.playerObject(1), "initialFen": "startpos", "state": g.state(),
	}
	if g.arena != nil {
		o["tournamentId"] = g.arena.id
	}
	switch g.clock.kind {
	case realTime:
		o["clock"] = object{"initial": g.spec.Limit.Milliseconds(), "increment": g.spec.Increment.Milliseconds()}
	case correspondence:
		o["daysPerTurn"] = g.spec.Days
	}
	return o
}

func (g *game) playerObject(side int) object {
	u := g.players[side]
	o := object{"id": u.id, "name": u.name, "title": nil, "rating": g.rating[side]} // only here a missing title is null
	add(o, "title", u.title)
	add(o, "provisional", g.provisional[side])
	return o
}

// state is the gameState line.
func (g *game) state() object {
	now := time.Now()
	o := object{
		"type": "gameState", "moves": strings.Join(g.moves, " "), "status": g.status,
		"wtime": g.clock.shown(0, now), "btime": g.clock.shown(1, now),
		"winc": g.spec.Increment.Milliseconds(), "binc": g.spec.Increment.Milliseconds(),
	}
	add(o, "winner", g.winner)
	add(o, "rematch", g.next)
	if expiration := g.expiration(now); expiration != nil {
		o["expiration"] = expiration
	}
	for side, prefix := range []string{"w", "b"} {
		add(o, prefix+"draw", g.drawOffer[side])
		add(o, prefix+"takeback", g.takebacks[side].offered)
	}
	return o
}
