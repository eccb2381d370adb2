package lichesstest

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Audit counts what a user did, above all what a bot must not do.
type Audit struct {
	Moves         int // legal ones
	Illegal       int // moves
	Duplicates    int // moves that were already played
	OutOfTurn     int // other moves out of turn
	LostOnTime    int // games
	MaxConcurrent int // games in progress at the same time
}

// Audit returns the counts of a user so far.
func (s *Server) Audit(name string) Audit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustUser(name).audit
}

// repeats reports whether a move of a side is the one that it played last.
func (g *game) repeats(side int, uci string) bool {
	last := len(g.moves) - 1
	if g.turn() == side {
		last--
	}
	return last >= 0 && g.moves[last] == uci
}

// Result is the result of a game, or its state so far.
type Result struct {
	ID           string
	White, Black string // names
	Status       lichess.Status
	Winner       lichess.Color // "" for none
	Moves        []string
	Plies        int
	WhiteLeft    time.Duration // clocks at the end
	BlackLeft    time.Duration
	Duration     time.Duration
	Turns        []time.Duration // duration of each turn, by ply
	WhiteAbsent  time.Duration   // how long a program was without a stream of the game
	BlackAbsent  time.Duration
}

func (g *game) result() Result {
	end := g.endedAt
	if !g.over() {
		end = time.Now()
	}
	return Result{
		ID: g.id, White: g.players[0].name, Black: g.players[1].name, Status: lichess.Status(g.status),
		Winner: lichess.Color(g.winner),
		Moves:  g.moves, Plies: len(g.moves), WhiteLeft: g.clock.remaining[0], BlackLeft: g.clock.remaining[1],
		Duration: end.Sub(g.created), Turns: slices.Clone(g.turns),
		WhiteAbsent: g.presence[0].absence(end), BlackAbsent: g.presence[1].absence(end),
	}
}

// Requests returns the times of all requests so far, rejected ones included.
func (s *Server) Requests() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}
