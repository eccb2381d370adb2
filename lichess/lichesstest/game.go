package lichesstest

import (
	"context"
	"slices"
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

	rules       *rules.Game
	moves       []string // UCI
	movedAt     time.Time
	clock       clock
	status      string
	winner      string    // "white", "black" or ""
	secret      [2]string // appended to the id in fullId
	rating      [2]int    // at the start
	provisional [2]bool   // the rating was, at the start
	counted     bool      // the game changed the ratings
	diff        [2]int    // by which it changed them
	next        string    // id of the rematch
	arena       *arena    // nil if none

	firstMoveTimer *time.Timer // of a first move, in an arena
	idleSince      time.Time   // of the player to make a first move

	drawOffer     [2]bool
	takebacks     [2]takeback
	refused       bool     // the takeback of the player to move was declined, or is not possible
	drawPending   bool     // a threefold repetition is being claimed
	drawOfferedAt [2]int   // ply of the last draw offer, -1 for none
	chat          []object // of the player room; not nil

	turns []time.Duration // how long each took

	presence [2]presence
	flag     *time.Timer
	ctx      context.Context // done at the end of the game
	cancel   context.CancelFunc
	thinking context.CancelFunc // cancels the scripted player to move; not nil
	endedAt  time.Time
}

const (
	statusStarted = "started"
	// maxFinished is how many finished games and closed challenges are kept.
	maxFinished = 500
)

// statusIDs are Lichess's numbers.
var statusIDs = map[string]int{
	"created": 10, "started": 20, "aborted": 25, "mate": 30, "resign": 31, "stalemate": 32, "timeout": 33,
	"draw": 34, "outoftime": 35, "cheat": 36, "noStart": 37, "unknownFinish": 38, "insufficientMaterialClaim": 39,
	"variantEnd": 60,
}

var colors = [2]string{"white", "black"}

// startGame starts the game of an accepted challenge.
func (s *Server) startGame(c *challenge) *game {
	now := time.Now()
	g := &game{
		server: s, id: c.id, spec: c.ChallengeSpec, players: [2]*user{c.from, c.to}, created: now, movedAt: now,
		arena: c.arena,
		rules: rules.NewGame(rules.StartPosition()), clock: newClock(c.ChallengeSpec, now), status: statusStarted,
		chat: []object{}, drawOfferedAt: [2]int{-1, -1}, thinking: func() {},
	}
	if c.final == "black" {
		slices.Reverse(g.players[:])
	}
	g.ctx, g.cancel = context.WithCancel(s.ctx)
	for side, u := range g.players {
		g.rating[side], g.provisional[side], g.secret[side] = int(u.rating), u.provisional(), s.randomID(4)
	}
	s.games[g.id] = g
	g.setFlag(now)
	if c.from.bot() && c.to.bot() {
		for _, u := range g.players {
			u.botGames.record(1, g.created)
		}
	}
	g.initPresence()
	if before := s.games[c.RematchOf]; before != nil {
		before.next = g.id
	}
	for _, u := range g.players {
		u.audit.MaxConcurrent = max(u.audit.MaxConcurrent, len(s.gamesInProgress(u)))
		u.notify(object{"type": "gameStart", "game": g.info(u)})
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

// abortable reports whether the game can still be aborted.
func (g *game) abortable() bool {
	return !g.over() && g.rules.Ply() < 2 && !g.spec.has("noAbort") && g.arena == nil
}

// turn returns the side to move.
func (g *game) turn() int { return int(g.rules.Position().Turn()) }

// end ends a game and notifies its players. The caller holds the lock.
func (g *game) end(status, winner string) {
	if g.over() {
		return
	}
	g.stopTimers()
	g.status, g.winner, g.endedAt = status, winner, time.Now()
	g.clock.stop(g.endedAt)
	g.cancel()
	if status != "aborted" {
		g.count()
	}
	g.broadcast(g.state())
	g.eachStream((*subscriber).end)
	for _, u := range g.players {
		u.notify(object{"type": "gameFinish", "game": g.info(u)})
	}
	if g.arena != nil {
		g.arena.gameFinished(g)
	}
	g.server.finished = evict(g.server.finished, g.id, g.server.games)
}

// evict adds an id to those of what is over, and drops the oldest of too many.
func evict[T any](over []string, id string, all map[string]T) []string {
	over = append(over, id)
	if len(over) > maxFinished {
		delete(all, over[0])
		over = over[1:]
	}
	return over
}

func (g *game) stopTimers() {
	stopTimer(g.flag)
	stopTimer(g.firstMoveTimer)
}

// addTime adds time to both clocks.
func (g *game) addTime(d time.Duration) {
	g.clock.addTime(d)
	g.setFlag(time.Now())
}

// reserve is what a fault leaves of each clock, if the server is to refund.
const reserve = 3 * time.Second

// refund gives both players as much as a fault takes of the reserve, if the server is to.
func (g *game) refund(cost time.Duration) {
	now := time.Now()
	missing := cost + reserve - min(g.clock.timeLeft(0, now), g.clock.timeLeft(1, now))
	if g.server.opts.Refund && !g.over() && missing > 0 {
		g.addTime(missing)
	}
}

// setFlag arms the timer of the side to move: its flag is checked on a move, and as often as
// streams are kept alive.
func (g *game) setFlag(now time.Time) {
	stopTimer(g.flag)
	if !g.clock.running || g.clock.kind == unlimited {
		return
	}
	falls, interval := now.Add(g.clock.timeLeft(g.clock.turn, now)), g.server.opts.KeepAlive
	late := interval - falls.Sub(g.created)%interval
	g.flag = time.AfterFunc(falls.Sub(now)+late, g.server.locked(func() { g.checkFlag(time.Now()) }))
}

// checkFlag ends the game if the side to move is out of time, and reports
// whether it is over.
func (g *game) checkFlag(now time.Time) bool {
	if !g.over() && g.clock.flagged(now) {
		g.players[g.clock.turn].audit.LostOnTime++
		g.end("outoftime", colors[1-g.clock.turn])
	}
	return g.over()
}
