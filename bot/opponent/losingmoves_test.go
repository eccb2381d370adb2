package opponent

import (
	"cmp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// lost returns a game that we have lost. The scores are those of our moves, for White, and
// "-" for a move of the book.
func lost(t *testing.T, us rules.Color, moves, scores string) *record.Game {
	t.Helper()
	g := played(t, moves, us, rules.WinOf(us.Other()))
	g.Created, g.Notes = start, make([]record.Note, g.Board.Ply())
	for i, score := range strings.Fields(scores) {
		if centipawns, err := strconv.Atoi(score); err == nil {
			g.Notes[2*i+int(us)].Eval = pgn.Eval{Known: true, Score: pgn.Score{Centipawns: centipawns}}
		}
	}
	return g
}

// checkAvoided checks which moves are left out in a position.
func checkAvoided(t *testing.T, l losingMoves, moves, want string) {
	t.Helper()
	g := fixture.Game(t, moves)
	if got := leftOut(g, l.avoid(g.Position())); got != want {
		t.Errorf("after %s, left out %q, want %q", moves, got, want)
	}
}

func TestLosingMoves(t *testing.T) {
	const line, third = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 a2a3 d8f6", "e2e4 e7e5 g1f3 b8c6"
	for _, tt := range []struct {
		scores       string
		status       lichess.Status
		result       rules.Result
		before, want string
	}{
		{"20 10 -30 -400", "", 0, third, "f1c4"},
		{"20 10 -30 -400", "", 0, "", ""},
		{"20 10 -60 -61", "", 0, third, "f1c4"},
		{"-100 -110 -200 -400", "", 0, "", "e2e4"},
		{"- - -120 -400", "", 0, "e2e4 e7e5", "g1f3"}, // the book's
		{"", "", 0, third, "f1c4"},
		{"20 10 -30 -400", "", rules.WhiteWins, third, ""},
		{"20 10 -30 -400", "cheat", 0, third, ""},
		{"20 10 30 40", "outoftime", 0, third + " f1c4 f8c5", ""},
		{"20 10 30 -900", "outoftime", 0, third, "f1c4"},
	} {
		l, g := losingMoves{}, lost(t, rules.White, line, tt.scores)
		g.Status, g.Result = tt.status, cmp.Or(tt.result, g.Result)
		l.add(g, rules.White)
		checkAvoided(t, l, tt.before, tt.want)
	}
	l := losingMoves{}
	l.add(lost(t, rules.White, "", ""), rules.White)
	checkAvoided(t, l, "", "")
	// As Black, and by another order of moves.
	g := lost(t, rules.Black, "g1f3 g8f6 b1c3 b8c6 e2e4 e7e5", "- 30 0")
	g.Notes[5].Eval.Score = pgn.Score{Mate: 5}
	l.add(g, rules.Black)
	checkAvoided(t, l, "b1c3 g8f6 g1f3", "b8c6")
}

// Where two moves have lost, the mistake lies before.
func TestLosingMoves_GoBack(t *testing.T) {
	l := losingMoves{}
	for _, third := range []string{"f1c4", "f1b5", "d2d4", "d2d4"} {
		l.add(lost(t, rules.White, "e2e4 e7e5 g1f3 b8c6 "+third, "20 10 0"), rules.White)
	}
	checkAvoided(t, l, "e2e4 e7e5 g1f3 b8c6", "f1b5 f1c4")
	checkAvoided(t, l, "e2e4 e7e5", "g1f3")
}

// Where few moves are left, and in check, none is left out.
func TestLosingMoves_FewLeft(t *testing.T) {
	for _, tt := range []struct {
		fen         string
		legal, lost int // moves
		want        int // that are allowed; 0 for no restriction
	}{
		{"7k/8/8/8/8/8/5PP1/7K/ w - - 0 1", 6, 2, 4},
		{"7k/8/8/8/8/8/5PP1/7K/ w - - 0 1", 6, 3, 0},
		{"7k/8/8/8/8/8/5PP1/7K/ w - - 0 1", 6, 6, 0},
		{"7k/8/8/8/8/8/PP6/K1r5/QN w - - 0 1", 2, 1, 0},
		{"7k/8/8/8/8/8/PP6/K6r/QN w - - 0 1", 12, 1, 0},
	} {
		p := fixture.Position(t, tt.fen)
		l, legal := losingMoves{}, p.LegalMoves()
		for _, m := range legal[:tt.lost] {
			l[p.Key()] = append(l[p.Key()], losingMove{Move: m})
		}
		if got := l.avoid(&p); len(legal) != tt.legal || len(got) != tt.want {
			t.Errorf("%+v: %d of %d moves are allowed", tt, len(got), len(legal))
		}
	}
}

// Moves that have lost no game for long are forgotten.
func TestLosingMoves_Prune(t *testing.T) {
	l := losingMoves{}
	for i, moves := range []string{"e2e4 e7e5 g1f3 b8c6 f1c4", "e2e4 e7e5 g1f3 b8c6 f1b5"} {
		g := lost(t, rules.White, moves, "")
		g.Created = g.Created.Add(time.Duration(i) * time.Hour)
		l.add(g, rules.White)
	}
	l.prune(start.Add(time.Hour))
	checkAvoided(t, l, "e2e4 e7e5", "g1f3") // that of the younger game
	if l.prune(start.Add(time.Hour + 1)); len(l) != 0 {
		t.Errorf("%d positions remembered", len(l))
	}
}
