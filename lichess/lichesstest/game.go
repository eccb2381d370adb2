package lichesstest

import (
	"context"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// game is a game on the server. Sides are 0 for White and 1 for Black.
type game struct {
	server  *Server
	id      string
	spec    ChallengeSpec
	players [2]*user
	created time.Time

	rules  *rules.Game
	moves  []string // as Lichess writes them
	clock  clock
	status string
	winner string // "white", "black" or ""
	diff   [2]int // rating changes

	drawOffer, takebackOffer [2]bool
	drawPending              bool   // a threefold repetition is being claimed
	drawOfferedAt            [2]int // ply of the last draw offer, -1 for none
	chat                     []object

	streams  [2]*subscriber
	agents   [2]string // User-Agent of each stream
	gone     [2]time.Time
	flag     *time.Timer
	away     [2]*time.Timer
	ctx      context.Context // done at the end of the game
	cancel   context.CancelFunc
	thinking context.CancelFunc // of the player to move by itself
	endedAt  time.Time
}

const (
	statusStarted = "started"
	// keepFinished is how many finished games still answer.
	keepFinished = 500
)

// statusIDs are Lichess's numbers.
var statusIDs = map[string]int{
	"created": 10, "started": 20, "aborted": 25, "mate": 30, "resign": 31, "stalemate": 32, "timeout": 33,
	"draw": 34, "outoftime": 35, "cheat": 36, "noStart": 37, "unknownFinish": 38, "variantEnd": 60,
}

var colors = [2]string{"white", "black"}

// startGame begins the game of an accepted challenge.
func (s *Server) startGame(c *challenge) *game {
	g := &game{
		server: s, id: c.id, spec: c.ChallengeSpec, players: [2]*user{c.from, c.to}, created: time.Now(),
		rules: rules.NewGame(rules.StartPosition()), clock: newClock(c.ChallengeSpec), status: statusStarted,
		drawOfferedAt: [2]int{-1, -1},
	}
	if c.final == "black" {
		g.players[0], g.players[1] = g.players[1], g.players[0]
	}
	g.ctx, g.cancel = context.WithCancel(s.ctx)
	s.games[g.id] = g
	if c.from.bot() && c.to.bot() {
		c.from.botGames++
		c.to.botGames++
	}
	for _, u := range g.players {
		s.audit.started(u.name, len(s.running(u)))
		u.events.send(object{"type": "gameStart", "game": g.info(u)})
	}
	g.wakePlayer()
	return g
}

func (g *game) over() bool { return g.status != statusStarted }

func (g *game) has(u *user) bool { return g.players[0] == u || g.players[1] == u }

func (g *game) side(u *user) int {
	if g.players[1] == u {
		return 1
	}
	return 0
}

// turn returns the side to move.
func (g *game) turn() int { return int(g.rules.Position().Turn()) }

// endGame ends a game and tells everybody. The caller holds the lock.
func (s *Server) endGame(g *game, status, winner string) {
	if g.over() {
		return
	}
	g.stopTimers()
	g.clock.remaining[g.clock.turn] = max(0, g.clock.left(g.clock.turn, time.Now()))
	g.clock.running = false
	g.status, g.winner, g.endedAt = status, winner, time.Now()
	g.cancel()
	if status != "aborted" {
		g.rate()
	}
	for side, sub := range g.streams {
		sub.send(g.state())
		sub.end()
		g.streams[side] = nil
	}
	for _, u := range g.players {
		u.events.send(object{"type": "gameFinish", "game": g.info(u)})
	}
	s.audit.finished(g)
	s.finished = append(s.finished, g.id)
	if len(s.finished) > keepFinished {
		delete(s.games, s.finished[0])
		s.finished = s.finished[1:]
	}
	if s.opts.OnFinish != nil {
		result := g.result()
		s.work.Go(func() { s.opts.OnFinish(result) })
	}
	for _, wait := range s.waiters[g.id] {
		wait <- g.result()
	}
	delete(s.waiters, g.id)
}

func (g *game) stopTimers() {
	for _, t := range []*time.Timer{g.flag, g.away[0], g.away[1]} {
		if t != nil {
			t.Stop()
		}
	}
}

// info is the game as the event stream and the list of games show it to one of
// its players.
func (g *game) info(u *user) object {
	side := g.side(u)
	other := g.players[1-side]
	opponent := object{"id": other.id, "username": other.name, "rating": other.rating - g.diff[1-side]}
	o := object{
		"fullId": g.id + "T0kn", "gameId": g.id, "id": g.id, "fen": g.rules.Position().FEN(), "color": colors[side],
		"lastMove": g.lastMove(), "source": "friend", "status": object{"id": statusIDs[g.status], "name": g.status},
		"variant": object{"key": "crazyhouse", "name": "Crazyhouse"}, "speed": g.spec.speed(), "perf": "crazyhouse",
		"rated": g.spec.Rated, "hasMoved": g.rules.Ply() > side, "opponent": opponent,
		"isMyTurn": !g.over() && g.turn() == side, "rating": u.rating - g.diff[side],
		"compat": object{"bot": g.spec.speed() != "ultraBullet" || g.server.opts.AnyClock, "board": true},
	}
	if g.clock.kind != unlimited {
		o["secondsLeft"] = max(0, g.clock.left(side, time.Now())) / time.Second
	}
	if g.over() {
		if g.winner != "" {
			o["winner"] = g.winner
		}
		if g.spec.Rated && g.status != "aborted" {
			o["ratingDiff"], opponent["ratingDiff"] = g.diff[side], g.diff[1-side]
		}
	}
	return o
}

// lastMove doubles the square of a drop, as Lichess does.
func (g *game) lastMove() string {
	if len(g.moves) == 0 {
		return ""
	}
	last := g.moves[len(g.moves)-1]
	if last[1] == '@' {
		return last[2:] + last[2:]
	}
	return last
}

// full is the first line of a game stream.
func (g *game) full() object {
	o := object{
		"type": "gameFull", "id": g.id, "variant": object{"key": "crazyhouse", "name": "Crazyhouse", "short": "Crazy"},
		"speed": g.spec.speed(), "perf": object{"name": "Crazyhouse"}, "rated": g.spec.Rated, "createdAt": g.created.UnixMilli(),
		"white": g.playerObject(0), "black": g.playerObject(1), "initialFen": "startpos", "state": g.state(),
	}
	switch g.clock.kind {
	case realTime:
		o["clock"] = object{"initial": g.clock.initial.Milliseconds(), "increment": g.clock.increment.Milliseconds()}
	case correspondence:
		o["daysPerTurn"] = g.clock.days
	}
	return o
}

func (g *game) playerObject(side int) object {
	u := g.players[side]
	o := object{"id": u.id, "name": u.name, "title": nil, "rating": u.rating - g.diff[side]}
	if u.title != "" {
		o["title"] = u.title
	}
	return o
}

// state is how the game stands.
func (g *game) state() object {
	now := time.Now()
	o := object{
		"type": "gameState", "moves": strings.Join(g.moves, " "), "status": g.status,
		"wtime": g.clock.shown(0, now), "btime": g.clock.shown(1, now),
		"winc": g.clock.increment.Milliseconds(), "binc": g.clock.increment.Milliseconds(),
	}
	if g.winner != "" {
		o["winner"] = g.winner
	}
	for side, prefix := range []string{"w", "b"} {
		if g.drawOffer[side] {
			o[prefix+"draw"] = true
		}
		if g.takebackOffer[side] {
			o[prefix+"takeback"] = true
		}
	}
	return o
}

// broadcast sends a line to both players.
func (g *game) broadcast(v any) {
	for _, sub := range g.streams {
		sub.send(v)
	}
}

// restarted does to the game what a restart of the server does.
func (g *game) restarted(now time.Time) {
	if g.over() {
		return
	}
	g.clock.give(20 * time.Second)
	g.setFlag(now)
}

// setFlag arms the timer of the side to move.
func (g *game) setFlag(now time.Time) {
	if g.flag != nil {
		g.flag.Stop()
	}
	if !g.clock.running || g.clock.kind == unlimited {
		return
	}
	g.flag = time.AfterFunc(g.clock.left(g.clock.turn, now), func() {
		g.server.mu.Lock()
		defer g.server.mu.Unlock()
		g.checkFlag(time.Now())
	})
}

// checkFlag ends the game if the side to move is out of time, and reports
// whether it is over.
func (g *game) checkFlag(now time.Time) bool {
	if !g.over() && g.clock.flagged(now) {
		g.server.endGame(g, "outoftime", colors[1-g.clock.turn])
	}
	return g.over()
}
