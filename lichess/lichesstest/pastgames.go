package lichesstest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// PastGame is a game that was over before it was added to the server.
type PastGame struct {
	ID           string // default a new one
	White, Black string // names of users
	Created      time.Time
	Spec         ChallengeSpec   // without colour and rules
	Moves        string          // in UCI, with spaces between them
	Clocks       []time.Duration // of the mover after each move; nil if unknown
	// Status is how the game ended; by default as the last position implies, else by the
	// resignation of the player to move. Winner goes with a status: "white", "black" or
	// "".
	Status, Winner string
	RatingDiff     [2]int // of a rated game
}

// AddGame adds a past game and returns its id.
func (s *Server) AddGame(p PastGame) (id string) {
	board := rules.NewGame(rules.StartPosition())
	if err := board.PlayUCI(strings.Fields(p.Moves)...); err != nil {
		panic(fmt.Sprintf("lichesstest: past game: %v", err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Spec.Variant = cmp.Or(p.Spec.Variant, crazyhouse)
	g := &game{
		server: s, id: p.ID, spec: p.Spec, players: [2]*user{s.mustUser(p.White), s.mustUser(p.Black)}, created: p.Created,
		rules: board, moves: strings.Fields(p.Moves), clock: newClock(p.Spec, p.Created), status: p.Status, winner: p.Winner,
		diff: p.RatingDiff, chat: []object{}, drawOfferedAt: [2]int{-1, -1}, thinking: func() {},
	}
	if g.id == "" {
		g.id = s.randomID(8)
	}
	if g.status == "" {
		g.setEnd()
	}
	g.counted = p.Spec.Rated && g.status != "aborted"
	g.ctx, g.cancel = context.WithCancel(s.ctx)
	g.cancel()
	g.clock.stop(p.Created)
	g.movedAt = p.Created.Add(time.Duration(len(g.moves)) * time.Second)
	g.endedAt = g.movedAt
	for _, left := range p.Clocks {
		g.clocks = append(g.clocks, int(left/centisecond))
	}
	for side, u := range g.players {
		g.rating[side], g.provisional[side], g.secret[side] = u.perf.points(), u.perf.provisional(), s.randomID(4)
		u.games++
		if g.counted {
			u.rated++
		}
	}
	s.games[g.id] = g
	s.finished = evict(s.finished, g.id, s.games)
	return g.id
}

// setEnd sets status and winner of a past game by its last position; the player to move
// has resigned, if nothing else is the matter.
func (g *game) setEnd() {
	other := colors[1-g.turn()]
	switch o := g.rules.Outcome(rules.Fivefold); {
	case o.Termination == rules.Checkmate:
		g.status, g.winner = "mate", other
	case o.Termination == rules.Stalemate:
		g.status = "stalemate"
	case o.Over():
		g.status = "draw"
	default:
		g.status, g.winner = "resign", other
	}
}
