package opponent

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

func TestAnalyzeLoss(t *testing.T) {
	const line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 a2a3 d8f6"
	game := func(status lichess.Status, scores ...int) func(*testing.T) *record.Game {
		return func(t *testing.T) *record.Game {
			g := lostGame(t, "a", line, scores...)
			g.Status = status
			return g
		}
	}
	book := func(t *testing.T) *record.Game {
		g := game("resign", 0, 0, -120, -900)(t)
		g.Notes[0], g.Notes[2] = record.Note{}, record.Note{}
		return g
	}
	clock := func(t *testing.T) *record.Game {
		g := game("resign", 20, 10, -30, -400)(t)
		g.Notes[4].Clock, g.Notes[4].HasClock = 2340*time.Millisecond, true
		return g
	}
	black := func(t *testing.T) *record.Game {
		g := game("resign")(t)
		g.Result = rules.WhiteWins
		for ply, score := range map[int]int{1: 0, 3: 20, 5: 400, 7: 700} {
			g.Notes[ply] = record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: score}}}
		}
		return g
	}
	for _, tt := range []struct {
		name   string
		game   func(*testing.T) *record.Game
		us     rules.Color
		linked bool
		want   string
	}{
		{"one bad move", game("resign", 20, 10, -30, -400), rules.White, true, "blunder: 3.Bc4 (ply 5), from -0.30 to -4.00"},
		{"with its clock", clock, rules.White, true, "blunder: 3.Bc4 (ply 5), from -0.30 to -4.00, 2.3s on the clock"},
		{"as Black", black, rules.Black, true, "blunder: 2...Nc6 (ply 4), from -0.20 to -4.00"},
		{"the worst of two", game("resign", 300, 20, -170, -230), rules.White, true, "blunder: 1.e4 (ply 1), from +3.00 to +0.20"},
		{"mated from a good position", game("mate", 20, 10, 30, 40), rules.White, true, "blunder: 4.a3 (ply 7), from +0.40 to -15.00"},
		{"little by little", game("resign", -100, -200, -300, -400), rules.White, true, "outplayed"},
		{"mated, long lost", game("mate", -1300, -1400, -1450, -1500), rules.White, true, "outplayed"},
		{"bad out of the book", book, rules.White, true, "book: 2.Nf3 (ply 3), then -1.20"},
		{"on time", game("outoftime", 0, 0, 0, 0), rules.White, true, "clock"},
		{"on time while cut off", game("outoftime", 0, 0, 0, 0), rules.White, false, "connection"},
		{"we had left", game("timeout", 0, 0, 0, 0), rules.White, true, "connection"},
		{"nothing known", game("resign"), rules.White, true, "outplayed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := tt.game(t)
			if got := AnalyzeLoss(g, tt.us, tt.linked).Describe(g); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
