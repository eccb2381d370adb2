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
	LastTurn     LastTurn        // interrupted by the end of the game
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
		Duration: end.Sub(g.created), Turns: slices.Clone(g.turns), LastTurn: g.last,
		WhiteAbsent: g.presence[0].noStream.total(end), BlackAbsent: g.presence[1].noStream.total(end),
	}
}

// Traffic counts the requests to the server.
type Traffic struct {
	Start     time.Time
	PerSecond []int // requests in each second since then
}

// Between returns the number of requests in a time span, to the second.
func (t *Traffic) Between(from, to time.Time) (sum int) {
	first, end := max(0, int(from.Sub(t.Start)/time.Second)), int(to.Sub(t.Start)/time.Second)
	for i := first; i < min(len(t.PerSecond), end); i++ {
		sum += t.PerSecond[i]
	}
	return sum
}

// Total returns the number of requests.
func (t *Traffic) Total() (sum int) {
	for _, n := range t.PerSecond {
		sum += n
	}
	return sum
}

// count counts a request.
func (t *Traffic) count(now time.Time) {
	at := int(now.Sub(t.Start) / time.Second)
	for len(t.PerSecond) <= at {
		t.PerSecond = append(t.PerSecond, 0)
	}
	t.PerSecond[at]++
}

// Traffic returns the number of requests so far, rejected ones included.
func (s *Server) Traffic() Traffic {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Traffic{s.traffic.Start, slices.Clone(s.traffic.PerSecond)}
}
