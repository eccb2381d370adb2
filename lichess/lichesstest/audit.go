package lichesstest

import (
	"maps"
	"slices"
	"time"
)

// Audit is what the server noticed about its users: what a bot must not do.
type Audit struct {
	Moves         map[string]int // moves played, by user name
	Illegal       map[string]int // posts of moves that are illegal
	Duplicates    map[string]int // posts of a move that was played already
	OutOfTurn     map[string]int // other posts while it was not the user's turn
	LostOnTime    map[string]int // games
	MaxConcurrent map[string]int // games on at the same time
	Declined      map[string]int // challenges, by reason in lower case
}

func newAudit() Audit {
	return Audit{
		map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{},
	}
}

// Audit returns what the server has noticed so far.
func (s *Server) Audit() Audit {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.audit
	return Audit{
		maps.Clone(a.Moves), maps.Clone(a.Illegal), maps.Clone(a.Duplicates), maps.Clone(a.OutOfTurn),
		maps.Clone(a.LostOnTime), maps.Clone(a.MaxConcurrent), maps.Clone(a.Declined),
	}
}

func (a *Audit) started(name string, atOnce int) {
	a.MaxConcurrent[name] = max(a.MaxConcurrent[name], atOnce)
}

func (a *Audit) played(g *game, side int) { a.Moves[g.players[side].name]++ }

// illegal tells a move that was played a turn ago from one that never could be.
func (a *Audit) illegal(g *game, side int, uci string) {
	if last := len(g.moves) - 2; last >= 0 && g.moves[last] == uci {
		a.Duplicates[g.players[side].name]++
		return
	}
	a.Illegal[g.players[side].name]++
}

// refused tells a move that was played already from one that came out of turn.
// One that comes after the game's end crossed it on the way: no fault.
func (a *Audit) refused(g *game, side int, uci string) {
	last := len(g.moves) - 1
	if last >= 0 && g.turn() == side {
		last--
	}
	switch {
	case last >= 0 && g.moves[last] == uci:
		a.Duplicates[g.players[side].name]++
	case !g.over() && !g.drawPending:
		a.OutOfTurn[g.players[side].name]++
	}
}

func (a *Audit) finished(g *game) {
	if g.status == "outoftime" && g.winner != "" {
		a.LostOnTime[g.players[1-sideOf(g.winner)].name]++
	}
}

func sideOf(color string) int {
	if color == "black" {
		return 1
	}
	return 0
}

// Result is how a game ended, or how one stands.
type Result struct {
	ID           string
	White, Black string // names
	Status       string // Lichess's name of how it ended
	Winner       string // "white", "black" or ""
	Moves        []string
	Plies        int
	WhiteLeft    time.Duration // clocks at the end
	BlackLeft    time.Duration
	Duration     time.Duration
	Turns        []time.Duration // how long each move took, by ply
	LastTurn     LastTurn        // the one that the end broke off
	WhiteAbsent  time.Duration   // without a stream of the game, of a player who needs one
	BlackAbsent  time.Duration
}

func (g *game) result() Result {
	end := g.endedAt
	if !g.over() {
		end = time.Now()
	}
	return Result{
		ID: g.id, White: g.players[0].name, Black: g.players[1].name, Status: g.status, Winner: g.winner,
		Moves: g.moves, Plies: len(g.moves), WhiteLeft: g.clock.remaining[0], BlackLeft: g.clock.remaining[1],
		Duration: end.Sub(g.created), Turns: slices.Clone(g.turns), LastTurn: g.last,
		WhiteAbsent: g.presence[0].without.total(end), BlackAbsent: g.presence[1].without.total(end),
	}
}
