package opponent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/state"
	"github.com/zhbot/zhbot/rules"
)

// twentyPlies are as many as Lichess compares.
const twentyPlies = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 d2d3 d7d6 c2c3 a7a6 a2a4 c5a7 h2h3 h7h6 f1e1 e8h8 b1d2 f8e8"

// played returns a game against rival in which our colour won.
func played(t *testing.T, moves string, us rules.Color, result rules.Result) *record.Game {
	t.Helper()
	g := &record.Game{Summary: record.Summary{Result: result, White: record.Player{Name: "zhbot"}, Black: record.Player{Name: "Rival"}}, Game: rules.NewGame(rules.StartPosition())}
	if us == rules.Black {
		g.White, g.Black = g.Black, g.White
	}
	if err := g.Game.PlayUCI(strings.Fields(moves)...); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestMemory_IsFarming(t *testing.T) {
	other := strings.Replace(twentyPlies, "a2a4", "b2b4", 1)
	for _, tt := range []struct {
		name   string
		games  []string // that we won as White before
		moves  string
		us     rules.Color
		result rules.Result
		want   bool
	}{
		{"first game", nil, twentyPlies, rules.White, rules.WhiteWins, false},
		{"the same again", []string{twentyPlies}, twentyPlies, rules.White, rules.WhiteWins, true},
		{"different after 20 plies", []string{twentyPlies + " d2f1"}, twentyPlies + " d1b3", rules.White, rules.WhiteWins, true},
		{"another winner", []string{twentyPlies}, twentyPlies, rules.White, rules.BlackWins, false},
		{"the same winner with the other colour", []string{twentyPlies}, twentyPlies, rules.Black, rules.BlackWins, true},
		{"another move", []string{twentyPlies}, other, rules.White, rules.WhiteWins, false},
		{"a shorter game", []string{twentyPlies}, twentyPlies[:len("e2e4 e7e5")], rules.White, rules.WhiteWins, false},
		{"the game before the last", []string{twentyPlies, other}, twentyPlies, rules.White, rules.WhiteWins, true},
		{"two games ago", []string{twentyPlies, other, other}, twentyPlies, rules.White, rules.WhiteWins, false},
	} {
		m := NewMemory(state.InMemory(), zerolog.Nop())
		for i, moves := range tt.games {
			before := played(t, moves, rules.White, rules.WhiteWins)
			before.ID, before.Created = fmt.Sprint(i), start.Add(time.Duration(i)*time.Hour)
			m.Played(before, rules.White)
		}
		if got := m.IsFarming(played(t, tt.moves, tt.us, tt.result), tt.us); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
