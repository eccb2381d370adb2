package bot

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
)

const (
	// lossThreshold is the score, in centipawns, from which a game is not lost yet.
	lossThreshold = -60
	// maxLosingMoves is the number of losing moves in one position after which the
	// mistake lies before it.
	maxLosingMoves = 2
)

// losingMoves are the moves with which games were lost, by position key. They are
// avoided, so that nobody can win the same game twice.
type losingMoves map[uint64][]losingMove

// losingMove is a move that lost a game.
type losingMove struct {
	move rules.Move
	at   time.Time // when the latest such game began
}

// add records a game that was lost over the board. The move to blame is our last one
// that did not look bad yet; without evaluations, the last but one. Where that
// leaves too few alternatives, an earlier move is blamed.
func (l losingMoves) add(g *record.Game, us rules.Color) {
	if g.Winner != us.Other().String() || !lostOverBoard(g, us) {
		return
	}
	first := 0
	if (g.Game.Start().Turn() == rules.White) != (us == rules.White) {
		first = 1
	}
	if len(g.Game.Moves()) <= first {
		return
	}
	ply := blamedPly(g, us, first)
	for ; ply >= first; ply -= 2 {
		key, move := positionKey(g.Game, ply), g.Game.Moves()[ply]
		if i := slices.IndexFunc(l[key], func(m losingMove) bool { return m.move == move }); i >= 0 {
			l[key][i].at = latest(l[key][i].at, g.Created)
			return
		}
		if len(l[key]) < maxLosingMoves {
			l[key] = append(l[key], losingMove{move, g.Created})
			return
		}
	}
}

// prune drops the moves that have lost no game since a time.
func (l losingMoves) prune(before time.Time) {
	for key, moves := range l {
		if moves = slices.DeleteFunc(moves, func(m losingMove) bool { return m.at.Before(before) }); len(moves) == 0 {
			delete(l, key)
		} else {
			l[key] = moves
		}
	}
}

// positionKey returns the key of the position before a ply.
func positionKey(g *rules.Game, ply int) uint64 { return positionAt(g, ply).Key() }

// positionAt returns the position before a ply.
func positionAt(g *rules.Game, ply int) *rules.Position {
	p := *g.Start()
	for _, m := range g.Moves()[:ply] {
		var next rules.Position
		p.PlayInto(m, &next)
		p = next
	}
	return &p
}

// lostOverBoard reports whether the moves lost the game, not the clock, the
// connection or a moderator.
func lostOverBoard(g *record.Game, us rules.Color) bool {
	switch g.Status {
	case "outoftime", "timeout":
		score, known := lastScore(g, us)
		return known && score < lossThreshold
	case "cheat", "aborted", "noStart":
		return false
	}
	return true
}

// lastScore returns our last evaluation, from our view.
func lastScore(g *record.Game, us rules.Color) (score int, known bool) {
	for _, n := range slices.Backward(g.Notes) {
		if n.Evaluated {
			return scoreOf(n, us), true
		}
	}
	return 0, false
}

const mateScore = 30000

// scoreOf returns a note's evaluation from our view.
func scoreOf(n record.Note, us rules.Color) int {
	score := n.Centipawns
	switch {
	case n.Mate > 0:
		score = mateScore
	case n.Mate < 0:
		score = -mateScore
	}
	if us == rules.Black {
		return -score
	}
	return score
}

// mateFor returns the moves to mate from our view.
func mateFor(mate int, us rules.Color) int {
	if us == rules.Black {
		return -mate
	}
	return mate
}

// blamedPly returns the ply of the move to blame, less than first if there is none.
func blamedPly(g *record.Game, us rules.Color, first int) int {
	last := len(g.Game.Moves()) - 1
	if (last-first)%2 != 0 {
		last--
	}
	evaluated := false
	for ply := last; ply >= first; ply -= 2 {
		if ply < len(g.Notes) && g.Notes[ply].Evaluated {
			if evaluated = true; scoreOf(g.Notes[ply], us) >= lossThreshold {
				return ply
			}
		}
	}
	if evaluated {
		return first
	}
	return max(first, last-2)
}

// avoid returns the legal moves that have not lost in a position, nil if there is no
// restriction.
func (l losingMoves) avoid(p *rules.Position) []rules.Move {
	lost := l[p.Key()]
	if len(lost) == 0 {
		return nil
	}
	var list rules.MoveList
	p.Generate(&list, rules.All)
	others := slices.DeleteFunc(slices.Clone(list.Moves()), func(m rules.Move) bool {
		return slices.ContainsFunc(lost, func(other losingMove) bool { return other.move == m })
	})
	if len(others) == 0 {
		return nil
	}
	return others
}

// avoid returns the legal moves that have not lost in a position, nil if there is no
// restriction.
func (m *memory) avoid(p *rules.Position) []rules.Move {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.losing.avoid(p)
}
