package lichesstest

import (
	"cmp"
	"fmt"
	"strings"
	"time"
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
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Spec.Variant = cmp.Or(p.Spec.Variant, crazyhouse)
	g := s.newGame(cmp.Or(p.ID, s.randomID(8)), p.Spec, p.Created, s.mustUser(p.White), s.mustUser(p.Black))
	g.moves = strings.Fields(p.Moves)
	if err := g.rules.PlayUCI(g.moves...); err != nil {
		panic(fmt.Sprintf("lichesstest: past game: %v", err))
	}
	if g.status, g.winner = p.Status, p.Winner; p.Status == "" {
		g.status, g.winner = g.ending()
	}
	if g.status == "" {
		g.status, g.winner = "resign", colors[1-g.turn()]
	}
	g.counted, g.diff = p.Spec.Rated && g.status != "aborted", p.RatingDiff
	g.cancel()
	g.clock.stop(p.Created)
	g.movedAt = p.Created.Add(time.Duration(len(g.moves)) * time.Second)
	g.endedAt = g.movedAt
	for _, left := range p.Clocks {
		g.clocks = append(g.clocks, int(left/centisecond))
	}
	for _, u := range g.players {
		u.games++
		if g.counted {
			u.rated++
		}
	}
	s.finished = evict(s.finished, g.id, s.games)
	return g.id
}
