package opponent

import (
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
)

// Lichess takes a bot's game for farming, and changes no rating by it, if one of the pair's
// last games had the same winner and began with the same plies.
const (
	farmingGames = 2
	farmingPlies = 20
)

// openingOf returns the plies of a game that Lichess compares; none if it begins in
// another position.
func openingOf(g *rules.Game) []rules.Move {
	if *g.Start() != rules.StartPosition() {
		return nil
	}
	return g.Moves()[:min(g.Ply(), farmingPlies)]
}

// last returns the games with an opponent with which Lichess compares a new one.
func (m *Memory) last(opponent string) []*game {
	games := m.past(opponent, time.Time{})
	return games[:min(farmingGames, len(games))]
}

// IsFarming reports whether Lichess takes a finished game that is not recorded yet for
// farming.
func (m *Memory) IsFarming(g *record.Game, us rules.Color) bool {
	return slices.ContainsFunc(m.last(strings.ToLower(g.Opponent(us).Name)), func(past *game) bool {
		return past.result.For(past.us) == g.Result.For(us) && slices.Equal(past.opening, openingOf(g.Board))
	})
}

// A line is left where that costs little: from a ply on by which books have had their
// chance, and while the game is balanced, in centipawns.
const (
	firstExit = 8
	balanced  = 100
)

// balancedPlies returns how many plies of a game's opening were played in balance.
func balancedPlies(g *record.Game, us rules.Color) int {
	plies := len(openingOf(g.Board))
	for ply, note := range g.Notes[:min(plies, len(g.Notes))] {
		if score := note.Score(us); note.Eval.Known && max(score, -score) >= balanced {
			return ply
		}
	}
	return plies
}

// Avoid returns the moves to choose from in a game; nil means all. allowed leaves out moves that
// lost here, and moves that stay on the line of one of the last games with the opponent at its last
// exit. fresh, for books, also leaves out all moves of those lines, so that no line is played twice
// in a row and, whoever wins, no game counts as farming; it is nil if no line has to be left, or
// none can be.
func (m *Memory) Avoid(opponent string, g *rules.Game) (allowed, fresh []rules.Move) {
	p, ply, moves := g.Position(), g.Ply(), openingOf(g)
	var repeated, leave []rules.Move
	for _, past := range m.last(opponent) {
		if len(moves) < ply || len(past.opening) <= ply || !slices.Equal(past.opening[:ply], moves) {
			continue
		}
		repeated = append(repeated, past.opening[ply])
		if isLastExit(*p, ply, past.opening[:past.balanced]) {
			leave = append(leave, past.opening[ply])
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if allowed = m.losing.avoid(p, leave...); allowed == nil {
		allowed = m.losing.avoid(p)
	}
	if len(repeated) > 0 {
		fresh = m.losing.avoid(p, repeated...)
	}
	return allowed, fresh
}

// isLastExit reports whether a line can be left in its position at a ply, and at no later
// one with the same side to move.
func isLastExit(p rules.Position, ply int, line []rules.Move) bool {
	if ply < firstExit || ply >= len(line) || !isExit(&p, line[ply]) {
		return false
	}
	for ; ply+2 < len(line); ply += 2 {
		p = p.After(line[ply])
		p = p.After(line[ply+1])
		if isExit(&p, line[ply+2]) {
			return false
		}
	}
	return true
}

// isExit reports whether there are likely good moves besides one: it neither captures nor
// gives check, and there are as many others as it takes to leave out one that lost.
func isExit(p *rules.Position, move rules.Move) bool {
	next := p.After(move)
	return !p.IsCapture(move) && !next.InCheck() && losingMoves{}.avoid(p, move) != nil
}
