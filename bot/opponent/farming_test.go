package opponent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// twentyPlies are as many as Lichess compares.
const twentyPlies = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 d2d3 d7d6 " +
	"c2c3 a7a6 a2a4 c5a7 h2h3 h7h6 f1e1 e8h8 b1d2 f8e8"

// plies returns the first of these.
func plies(n int) string { return strings.Join(strings.Fields(twentyPlies)[:n], " ") }

// played returns a game of ours against the bot Rival.
func played(t *testing.T, moves string, us rules.Color, result rules.Result) *record.Game {
	t.Helper()
	g := &record.Game{
		Summary: record.Summary{
			Result: result, White: record.Player{Name: "zhbot"}, Black: record.Player{Name: "Rival", Title: "BOT"},
		},
		Board: rules.NewGame(rules.StartPosition()),
	}
	if us == rules.Black {
		g.White, g.Black = g.Black, g.White
	}
	fixture.Play(t, g.Board, moves)
	return g
}

// remembering returns a memory of games against Rival that we won as White.
func remembering(t *testing.T, games string) *Memory {
	t.Helper()
	m := newMemory()
	for i, moves := range slices.DeleteFunc(strings.Split(games, ";"), func(moves string) bool { return moves == "" }) {
		g := played(t, moves, rules.White, rules.WhiteWins)
		g.ID, g.Created = fmt.Sprint(i), start.Add(time.Duration(i)*time.Hour)
		m.Played(g, rules.White)
	}
	return m
}

func TestMemory_IsFarming(t *testing.T) {
	other := strings.Replace(twentyPlies, "a2a4", "b2b4", 1)
	for _, tt := range []struct {
		name   string
		games  string
		moves  string
		us     rules.Color
		result rules.Result
		want   bool
	}{
		{"first game", "", twentyPlies, rules.White, rules.WhiteWins, false},
		{"another winner", twentyPlies, twentyPlies, rules.White, rules.BlackWins, false},
		{"the same winner with the other colour", twentyPlies, twentyPlies, rules.Black, rules.BlackWins, true},
		{"different later", twentyPlies + " d2f1", twentyPlies + " d1b3", rules.White, rules.WhiteWins, true},
		{"another move", twentyPlies, other, rules.White, rules.WhiteWins, false},
		{"a shorter game", twentyPlies, "e2e4 e7e5", rules.White, rules.WhiteWins, false},
		{"the game before the last", twentyPlies + ";" + other, twentyPlies, rules.White, rules.WhiteWins, true},
		{"two games ago", twentyPlies + ";" + other + ";" + other, twentyPlies, rules.White, rules.WhiteWins, false},
	} {
		if got := remembering(t, tt.games).IsFarming(played(t, tt.moves, tt.us, tt.result), tt.us); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// The lines of the last games are left by the tenth move, at the latest where a move need
// not be the only good one; until then, books should leave them.
func TestMemory_AvoidsFarming(t *testing.T) {
	other, capture := plies(18)+" d1b3 h6h5", plies(18)+" c4f7 f8f7"
	for _, tt := range []struct {
		name       string
		games      string
		moves      string // of the new game so far
		must, book string // the moves that all, or books, leave out
	}{
		{"first game", "", "", "", ""},
		{"first move", twentyPlies, "", "", "e2e4"},
		{"two lines", twentyPlies + ";d2d4 d7d5", "", "", "d2d4 e2e4"},
		{"three games", twentyPlies + ";d2d4 d7d5;c2c4 e7e5", "", "", "c2c4 d2d4"},
		{"ninth move", twentyPlies, plies(16), "", "f1e1"},
		{"tenth move", twentyPlies, plies(18), "b1d2", "b1d2"},
		{"tenth move as Black", twentyPlies, plies(19), "f8e8", "f8e8"},
		{"tenth move of both", twentyPlies + ";" + other, plies(18), "b1d2 d1b3", "b1d2 d1b3"},
		{"before a check", plies(8) + " a2a3 d7d6 b2b3 c6a5 c4b5", plies(8) + " a2a3 d7d6", "b2b3", "b2b3"},
		{"eleventh move", twentyPlies + " d2f1 d8e7", twentyPlies, "", ""},
		{"before a capture", capture, plies(16), "f1e1", "f1e1"},
		{"a capture", capture, plies(18), "", "c4f7"},
		{"a very short game", plies(7), plies(6), "", "e1h1"},
		{"a short game", plies(15), plies(14), "h2h3", "h2h3"},
		{"another line", twentyPlies, "e2e4 c7c5", "", ""},
	} {
		m, g := remembering(t, tt.games), fixture.Game(t, tt.moves)
		allowed, fresh := m.Avoid("rival", g)
		if must, book := leftOut(g, allowed), leftOut(g, fresh); must != tt.must || book != tt.book {
			t.Errorf("%s: left out %q, by books %q, want %q, %q", tt.name, must, book, tt.must, tt.book)
		}
		if allowed, fresh := m.Avoid("stranger", g); allowed != nil || fresh != nil {
			t.Errorf("%s: restricted against a stranger", tt.name)
		}
	}
}

// A line is left while the game is balanced, not when it is won.
func TestMemory_LeavesLinesInBalance(t *testing.T) {
	g := played(t, twentyPlies, rules.White, rules.WhiteWins)
	g.Notes = make([]record.Note, 20)
	for ply, score := range map[int]int{8: 40, 10: -30, 12: 60, 14: 250} {
		g.Notes[ply].Eval = pgn.Eval{Known: true, Score: pgn.Score{Centipawns: score}}
	}
	m := newMemory()
	m.Played(g, rules.White)
	for ply, want := range map[int]string{10: "", 12: "a2a4", 14: "", 18: ""} {
		now := fixture.Game(t, plies(ply))
		if allowed, _ := m.Avoid("rival", now); leftOut(now, allowed) != want {
			t.Errorf("ply %d: left out %q, want %q", ply, leftOut(now, allowed), want)
		}
	}
}

// leftOut lists the legal moves that are not allowed; none without a restriction.
func leftOut(g *rules.Game, allowed []rules.Move) string {
	var list []string
	for _, m := range g.Position().LegalMoves() {
		if allowed != nil && !slices.Contains(allowed, m) {
			list = append(list, m.String())
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
