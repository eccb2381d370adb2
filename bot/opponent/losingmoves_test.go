package opponent

import (
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// avoidedMoves returns the moves that are left out in a position.
func avoidedMoves(t *testing.T, l LosingMoves, moves string) (left []string) {
	t.Helper()
	g := rulestest.Game(t, moves)
	allowed := l.Avoid(g.Position())
	if allowed == nil {
		return nil
	}
	for _, m := range g.Position().LegalMoves() {
		if !slices.Contains(allowed, m) {
			left = append(left, m.String())
		}
	}
	return left
}

func TestLosingMoves(t *testing.T) {
	const line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 a2a3 d8f6"
	for _, tt := range []struct {
		name   string
		game   func() *record.Game
		before string // the moves to the position that is asked for
		want   []string
	}{
		{"last good move is to blame", func() *record.Game { return lostGame(t, "a", line, 20, 10, -30, -400) }, "e2e4 e7e5 g1f3 b8c6", []string{"f1c4"}},
		{"the others are not", func() *record.Game { return lostGame(t, "a", line, 20, 10, -30, -400) }, "", nil},
		{"bad from the start", func() *record.Game { return lostGame(t, "a", line, -100, -110, -200, -400) }, "", []string{"e2e4"}},
		{"bad out of the book", func() *record.Game {
			g := lostGame(t, "a", line, 0, 0, -120, -400)
			g.Notes[0], g.Notes[2] = record.Note{}, record.Note{}
			return g
		}, "e2e4 e7e5", []string{"g1f3"}},
		{"no evaluation", func() *record.Game { return lostGame(t, "a", line) }, "e2e4 e7e5 g1f3 b8c6", []string{"f1c4"}},
		{"won", func() *record.Game { g := lostGame(t, "a", line); g.Result = rules.WhiteWins; return g }, "e2e4 e7e5 g1f3 b8c6", nil},
		{"lost on time while good", func() *record.Game {
			g := lostGame(t, "a", line, 20, 10, 30, 40)
			g.Status = "outoftime"
			return g
		}, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", nil},
		{"lost on time while bad", func() *record.Game {
			g := lostGame(t, "a", line, 20, 10, 30, -900)
			g.Status = "outoftime"
			return g
		}, "e2e4 e7e5 g1f3 b8c6", []string{"f1c4"}},
		{"no move of ours", func() *record.Game { return lostGame(t, "a", "") }, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := LosingMoves{}
			l.Add(tt.game(), rules.White)
			if got := avoidedMoves(t, l, tt.before); !slices.Equal(got, tt.want) {
				t.Errorf("left out %v, want %v", got, tt.want)
			}
		})
	}
}

// As Black, and by another order of moves.
func TestLosingMoves_PositionNotOrder(t *testing.T) {
	g := lostGame(t, "a", "g1f3 g8f6 b1c3 b8c6 e2e4 e7e5")
	g.Result = rules.WhiteWins
	g.Notes[3] = record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 30}}}
	g.Notes[5] = record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Mate: 5}}}
	l := LosingMoves{}
	l.Add(g, rules.Black)
	if got := avoidedMoves(t, l, "b1c3 g8f6 g1f3"); !slices.Equal(got, []string{"b8c6"}) {
		t.Errorf("left out %v", got)
	}
}

// Where two moves have lost, the mistake lies before.
func TestLosingMoves_GoBack(t *testing.T) {
	l := LosingMoves{}
	for i, third := range []string{"f1c4", "f1b5", "d2d4", "d2d4"} {
		l.Add(lostGame(t, string(rune('a'+i)), "e2e4 e7e5 g1f3 b8c6 "+third, 20, 10, 0), rules.White)
	}
	if got := avoidedMoves(t, l, "e2e4 e7e5 g1f3 b8c6"); len(got) != 2 {
		t.Errorf("in the first position left out %v, want two", got)
	}
	if got := avoidedMoves(t, l, "e2e4 e7e5"); !slices.Equal(got, []string{"g1f3"}) {
		t.Errorf("two plies before left out %v", got)
	}
}

// Where few moves are left, and in check, none is left out.
func TestLosingMoves_FewLeft(t *testing.T) {
	for _, tt := range []struct {
		name, fen   string
		legal, lost int // moves
		want        int // that are allowed; 0 for no restriction
	}{
		{"enough", "7k/8/8/8/8/8/5PP1/7K/ w - - 0 1", 6, 2, 4},
		{"too few", "7k/8/8/8/8/8/5PP1/7K/ w - - 0 1", 6, 3, 0},
		{"none", "7k/8/8/8/8/8/5PP1/7K/ w - - 0 1", 6, 6, 0},
		{"one of two evasions", "7k/8/8/8/8/8/PP6/K1r5/QN w - - 0 1", 2, 1, 0},
		{"one of many evasions", "7k/8/8/8/8/8/PP6/K6r/QN w - - 0 1", 12, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := rulestest.Position(t, tt.fen)
			l, legal := LosingMoves{}, p.LegalMoves()
			for _, m := range legal[:tt.lost] {
				l[p.Key()] = append(l[p.Key()], LosingMove{Move: m})
			}
			if got := l.Avoid(&p); len(legal) != tt.legal || len(got) != tt.want {
				t.Errorf("of %d moves %d are allowed, want %d of %d", len(legal), len(got), tt.want, tt.legal)
			}
		})
	}
}

// Moves that have lost no game for long are forgotten.
func TestLosingMoves_Prune(t *testing.T) {
	old, young := lostGame(t, "a", "e2e4 e7e5 g1f3 b8c6 f1c4"), lostGame(t, "b", "e2e4 e7e5 g1f3 b8c6 f1b5")
	young.Created = old.Created.Add(time.Hour)
	l := LosingMoves{}
	l.Add(old, rules.White)
	l.Add(young, rules.White)
	l.Prune(young.Created)
	if got := avoidedMoves(t, l, "e2e4 e7e5"); !slices.Equal(got, []string{"g1f3"}) {
		t.Errorf("left out %v, want the move of the younger game", got)
	}
	if l.Prune(young.Created.Add(1)); len(l) != 0 {
		t.Errorf("%d positions remembered", len(l))
	}
}
