package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// sanMove returns a move of the start position.
func sanMove(t *testing.T, san string) rules.Move {
	t.Helper()
	p := rules.StartPosition()
	m, err := p.ParseSAN(san)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestClassify(t *testing.T) {
	p := rules.StartPosition()
	e4, d4 := sanMove(t, "e4"), sanMove(t, "d4")
	for _, tt := range []struct {
		name          string
		before, after engine.Score // each for the side to move
		best          rules.Move
		glyph         pgn.NAG
		comment       string
	}{
		{"nothing lost", 20, -20, d4, 0, ""},
		{"more than expected", 20, -300, d4, 0, ""},
		{"best, however it turned out", 20, 900, e4, 0, ""},
		{"a little", 20, 10, d4, 0, ""},
		{"inaccuracy", 20, 50, d4, pgn.Inaccuracy, "Inaccuracy. d4 was best."},
		{"mistake", 20, 100, d4, pgn.Mistake, "Mistake. d4 was best."},
		{"blunder", 20, 200, d4, pgn.Blunder, "Blunder. d4 was best."},
		{"all is won anyway", 2000, -1200, d4, 0, ""},
		{"all is lost anyway", -1500, 3000, d4, 0, ""},
		{"walks into mate", 20, engine.MateScore(3), d4, pgn.Blunder, "Blunder. d4 was best."},
		{"misses mate, still winning", engine.MateScore(2), -1000, d4, 0, ""},
		{"misses mate for nothing", engine.MateScore(2), 0, d4, pgn.Blunder, "Blunder. d4 was best."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, glyph, comment := classify(&p, e4, evaluation{score: tt.before, best: tt.best},
				evaluation{score: tt.after})
			if glyph != tt.glyph || comment != tt.comment {
				t.Errorf("glyph %d, comment %q; want %d, %q", glyph, comment, tt.glyph, tt.comment)
			}
		})
	}
}

// The evaluation of a move is that after it, from White's point of view.
// The expected values were computed by hand from the formulas.
func TestAccuracies(t *testing.T) {
	for _, tt := range []struct {
		name         string
		chances      []float64
		first        rules.Color
		white, black float64
	}{
		{"no move", []float64{50}, rules.White, math.NaN(), math.NaN()},
		{"nothing lost", []float64{50, 50, 50}, rules.White, 100, 100},
		{"White loses ten points", []float64{50, 40, 40}, rules.White, 64.58, 100},
		{"Black does, and moves first", []float64{50, 60}, rules.Black, math.NaN(), 64.58},
		{"one of two moves, while the game is volatile", []float64{50, 50, 50, 40}, rules.White,
			(((0.5*100 + 5*64.58) / 5.5) + 2/(0.01+1/64.58)) / 2, 100},
		{"everything", []float64{97, 3}, rules.White, (0 + 1) / 2.0, math.NaN()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := accuracies(tt.chances, tt.first)
			for c, want := range [2]float64{tt.white, tt.black} {
				if math.IsNaN(want) != math.IsNaN(got[c]) || math.Abs(got[c]-want) > 0.01 {
					t.Errorf("%v: %.2f, want %.2f", rules.Color(c), got[c], want)
				}
			}
		})
	}
}

func TestEvaluation_Eval(t *testing.T) {
	for _, tt := range []struct {
		score engine.Score
		side  rules.Color
		want  string
	}{
		{-35, rules.White, "[%eval 0.35,7] true"},
		{-35, rules.Black, "[%eval -0.35,7] true"},
		{engine.MateScore(-2), rules.White, "[%eval #2,7] true"},
		{engine.MateScore(3), rules.White, "[%eval #-3,7] true"},
		{engine.MateScore(3), rules.Black, "[%eval #3,7] true"},
		{engine.MateScore(0), rules.Black, "[%eval 0.00,7] false"}, // mate on the board
	} {
		e := evaluation{score: tt.score, depth: 7}.eval(tt.side)
		if got := fmt.Sprint(e, e.Known); got != tt.want {
			t.Errorf("%s after %s's move: %s, want %s", tt.score, tt.side, got, tt.want)
		}
	}
}

func TestSummary_NoMoves(t *testing.T) {
	const want = "0 moves, 0 inaccuracies, 0 mistakes, 0 blunders, 0.0 % of the points lost per move"
	a := annotate(&pgn.Game{Start: rules.StartPosition()}, []evaluation{{score: 10}})
	if got := a.Players[rules.Black].String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func readGame(t *testing.T, text string) *pgn.Game {
	t.Helper()
	g, err := pgn.NewReader(strings.NewReader(text)).Next()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// mustAnnotate annotates a game with an engine.
func mustAnnotate(t *testing.T, g *pgn.Game, l engine.Limits) *Analysis {
	t.Helper()
	a, err := Annotate(t.Context(), engine.New(engine.Options{Threads: 1, HashMB: 1}), l, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnnotate(t *testing.T) {
	g := readGame(t, "1. f3 { mine } e5 { Mistake. d5 was best. } 2. g4 "+
		"{ (-0.60 → -1.00) Inaccuracy. e4 was best. } Qh4# 0-1")
	d4 := sanMove(t, "d4")
	a := annotate(g, []evaluation{
		{score: 10, depth: 3, best: d4, line: []rules.Move{d4}},
		{score: 60, best: g.Moves[1].Move}, {score: -60, best: d4},
		{score: engine.MateScore(1), best: g.Moves[3].Move}, {score: engine.MateScore(0)},
	})
	const want = "\n1. f3 $6 { [%eval -0.60] Inaccuracy. d4 was best. mine } 1... e5 { [%eval -0.60] }" +
		" 2. g4 $4 { [%eval #-1] Blunder. d4 was best. } 2... Qh4# 0-1\n\n"
	if text := g.String(); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for c, want := range [2]string{
		"2 moves, 1 inaccuracies, 0 mistakes, 1 blunders, 25.5 % of the points lost per move, accuracy 26 %",
		"2 moves, 0 inaccuracies, 0 mistakes, 0 blunders, 0.0 % of the points lost per move, accuracy 100 %",
	} {
		if got := a.Players[c].String(); got != want {
			t.Errorf("%s: %s; want %s", rules.Color(c), got, want)
		}
	}
	var white []string
	for _, p := range a.Positions {
		white = append(white, fmt.Sprintf("%.3f %s", p.White, p.Eval))
	}
	wantWhite := []string{
		"0.509 [%eval 0.10,3]", "0.445 [%eval -0.60]", "0.445 [%eval -0.60]", "0.000 [%eval #-1]", "0.000 [%eval 0.00]",
	}
	if diff := cmp.Diff(wantWhite, white); diff != "" || a.Positions[4].Eval.Known {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
	if line := a.Positions[0].Line; len(line) != 1 || line[0] != d4 {
		t.Errorf("first line %v", line)
	}
}

// The judgments of Lichess make room for ours; what a person wrote stays.
func TestAnnotate_ReplacesJudgments(t *testing.T) {
	e4 := sanMove(t, "e4")
	for _, judgment := range []string{
		"Inaccuracy. d4 was best.", "(0.35 → -2.10) Mistake. d4 was best.", "Blunder. d4 was best.",
		"(0.35 → Mate in 3) Checkmate is now unavoidable. d4 was best.",
		"(Mate in 3 → 0.35) Lost forced checkmate sequence. d4 was best.",
		"(Mate in 3 → Mate in 7) Not the best checkmate sequence. Qh5+ was best.",
	} {
		g := &pgn.Game{Start: rules.StartPosition(), Moves: []pgn.Move{{Move: e4, Comment: judgment + " mine"}}}
		annotate(g, []evaluation{{best: e4}, {}})
		if got := g.Moves[0].Comment; got != "mine" {
			t.Errorf("%q became %q, want %q", judgment, got, "mine")
		}
	}
}

// Each of two mating checks is as good as the other, although the reply is forced.
func TestAnnotate_ForcedReply(t *testing.T) {
	for _, check := range []string{"Ra8+", "Rb8+"} {
		g := readGame(t, "[FEN \"7k/6pp/8/7r/7r/5r2/2K5/RR6[] w - - 0 1\"]\n\n1. "+check+" *")
		mustAnnotate(t, g, engine.Limits{MoveTime: time.Minute, Depth: 6})
		if m := g.Moves[0]; m.NAG != 0 || m.Eval.Mate != 1 {
			t.Errorf("%s has the glyph %d and the evaluation %s, want mate in 1 and no glyph", check, m.NAG, m.Eval)
		}
	}
}

// A line that says what was better has several moves, all legal, unless it ends the game.
func TestAnnotate_Lines(t *testing.T) {
	g := readGame(t, "1. f3 e5 2. g4 Nc6 3. h3 d6 4. a3 Qh4# 0-1")
	a := mustAnnotate(t, g, engine.Limits{Nodes: 300})
	judged, p := 0, g.Start
	for i, m := range g.Moves {
		if m.NAG != 0 {
			judged++
			board := rules.NewGame(p)
			for _, better := range a.Positions[i].Line {
				if err := board.Play(better); err != nil {
					t.Fatalf("ply %d: %v", i, err)
				}
			}
			if board.Ply() < minLine && !board.Outcome(rules.Fivefold).Over() {
				t.Errorf("ply %d: only %d moves were better", i, board.Ply())
			}
		}
		p = p.After(m.Move)
	}
	if judged < 3 {
		t.Errorf("only %d judged", judged)
	}
}
