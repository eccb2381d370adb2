package lichesstest

import (
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Audit counts what users did, above all what a bot must not do.
type Audit struct {
	Moves         map[string]int // legal moves, by user name
	Illegal       map[string]int // illegal moves
	Duplicates    map[string]int // moves that were already played
	OutOfTurn     map[string]int // other moves out of turn
	LostOnTime    map[string]int // games lost on time
	MaxConcurrent map[string]int // games in progress at the same time
	Declined      map[string]int // challenges, by reason in lower case
}

func newAudit() Audit {
	return Audit{
		map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{},
	}
}

// Audit returns the counts so far.
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

// illegal counts a move as a duplicate if the user played it on its last turn,
// otherwise as illegal.
func (a *Audit) illegal(g *game, side int, uci string) {
	if last := len(g.moves) - 2; last >= 0 && g.moves[last] == uci {
		a.Duplicates[g.players[side].name]++
		return
	}
	a.Illegal[g.players[side].name]++
}

// rejected counts a move as a duplicate or as out of turn. One that arrives after
// the game's end is not counted: the two may have crossed.
func (a *Audit) rejected(g *game, side int, uci string) {
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
		ID: g.id, White: g.players[0].name, Black: g.players[1].name, Status: lichess.Status(g.status), Winner: lichess.Color(g.winner),
		Moves: g.moves, Plies: len(g.moves), WhiteLeft: g.clock.remaining[0], BlackLeft: g.clock.remaining[1],
		Duration: end.Sub(g.created), Turns: slices.Clone(g.turns), LastTurn: g.last,
		WhiteAbsent: g.presence[0].noStream.total(end), BlackAbsent: g.presence[1].noStream.total(end),
	}
}
