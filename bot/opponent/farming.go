package opponent

import (
	"iter"
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

// last yields the games with an opponent with which Lichess compares a new one. The caller
// holds the lock.
func (m *Memory) last(opponent string) iter.Seq[*game] {
	return func(yield func(*game) bool) {
		n := 0
		for g := range m.since(opponent, time.Time{}) {
			if n++; n > farmingGames || !yield(g) {
				return
			}
		}
	}
}

// IsFarming reports whether Lichess takes a finished game that is not recorded yet for
// farming.
func (m *Memory) IsFarming(g *record.Game, us rules.Color) bool {
	them := g.Black
	if us == rules.Black {
		them = g.White
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for past := range m.last(strings.ToLower(them.Name)) {
		if past.result.For(past.us) == g.Result.For(us) && slices.Equal(past.opening, openingOf(g.Game)) {
			return true
		}
	}
	return false
}
