package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// A mate that was found is played, and the longest defence.
func TestStrength_Mates(t *testing.T) {
	for seed := range uint64(100) {
		w := &worker{search: &search{limits: Limits{Strength: human.AtLevel(0, seed)}}}
		for _, score := range []int{mateIn(3), matedIn(2) + 4} {
			list := []human.Candidate{{Score: score}, {Score: score - 2}, {Score: score - 4}}
			if i := w.choose(list); i != 0 {
				t.Errorf("seed %d: chose %d of %v", seed, i, list)
			}
		}
	}
}

func TestStrength_SeedDecides(t *testing.T) {
	g := newGame(t, start)
	moves := map[string]bool{}
	for seed := range uint64(20) {
		l := Limits{Depth: 3, Strength: human.AtLevel(2, seed)}
		first, again := mustSearch(t, newTestEngine(), g, l), mustSearch(t, newTestEngine(), g, l)
		if first.Move != again.Move || first.Info.Nodes != again.Info.Nodes {
			t.Fatalf("seed %d: %s and %s", seed, first.Move, again.Move)
		}
		if first.Info.PV[0] != first.Move {
			t.Errorf("seed %d: plays %s and reports %s", seed, first.Move, first.Info.PV[0])
		}
		moves[first.Move.String()] = true
	}
	if len(moves) < 3 {
		t.Errorf("twenty seeds play only %v", moves)
	}
}

// A level does not see what a search at full strength has left in the table.
func TestStrength_TableOfItsOwn(t *testing.T) {
	e, g := newTestEngine(), newGame(t, "rnb4r/p1pp1kpp/8/1B1q4/K2bP1p1/1N2PPPp/PPq3p1/RNB5/PRpn b - - 0 23")
	if r := mustSearch(t, e, g, Limits{Nodes: mateNodes}); r.Info.Score < mateBound {
		t.Fatalf("no mate: %v", r.Info.Score)
	}
	for seed := range uint64(10) {
		r := mustSearch(t, e, g, Limits{Strength: human.AtLevel(1, seed)})
		if r.Info.Score >= mateBound {
			t.Errorf("seed %d: sees %v", seed, r.Info.Score)
		}
	}
}

// A level ends its search by itself, with any or no limit, and a lower limit still
// applies.
func TestStrength_BoundsNodes(t *testing.T) {
	for name, l := range map[string]Limits{
		"clock": {White: time.Hour, Black: time.Hour},
		"time":  {MoveTime: time.Hour},
		"none":  {},
	} {
		l.Strength = human.AtLevel(10, 1)
		r := mustSearch(t, New(Options{Threads: 4, HashMB: 4}), newGame(t, start), l)
		if n := l.Strength.NodeLimit(); r.Info.Nodes > n+1 {
			t.Errorf("%s: %d nodes, want at most %d", name, r.Info.Nodes, n)
		}
	}
	r := mustSearch(t, newTestEngine(), newGame(t, richPockets), Limits{Nodes: 10, Strength: human.AtLevel(0, 1)})
	if r.Info.Nodes > 11 {
		t.Errorf("%d nodes, want 10", r.Info.Nodes)
	}
}

// Eight levels up must clearly win. Games are repeatable: seeds are fixed and nothing is
// timed.
func TestStrength_HigherLevelsWin(t *testing.T) {
	for _, step := range [][2]int{{8, 0}, {16, 8}} {
		t.Run(fmt.Sprint(step[0], " against ", step[1]), func(t *testing.T) {
			const games = 4
			limits := func(i int) Limits {
				return Limits{Nodes: 4000, Strength: human.AtLevel(float64(step[i]), uint64(i))}
			}
			score := playMatch(t, games, limits(0), limits(1))
			t.Logf("level %d scores %.1f of %d against level %d", step[0], score, games, step[1])
			if score/games < 0.65 {
				t.Errorf("level %d scores %.1f of %d against level %d, want at least 65 %%",
					step[0], score, games, step[1])
			}
		})
	}
}

// Low levels often overlook what is hard to see; careful ones do not.
func TestStrength_Oversight(t *testing.T) {
	const distant, near = "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1", "6rk/6pp/8/8/8/8/8/K7/NQ w - - 0 1"
	for _, tt := range []struct {
		name, fen, move string
		level           float64
		lowest, highest int // how often it plays the move, in percent
	}{
		{"mate by a distant drop", distant, "R@a8", 1, 20, 60},
		{"mate by a distant drop", distant, "R@a8", 9, 70, 95},
		{"mate by a distant drop", distant, "R@a8", 13, 100, 100},
		{"mate by a drop beside the king", near, "N@f7", 0, 100, 100},
	} {
		g, e, n := newGame(t, tt.fen), newTestEngine(), 0
		noOtherMate := slices.DeleteFunc(g.Position().LegalMoves(), func(m rules.Move) bool {
			after := g.Position().After(m)
			return after.IsCheckmate() && m.String() != tt.move
		})
		for seed := range uint64(100) {
			l := Limits{Nodes: 200, SearchMoves: noOtherMate, Strength: human.AtLevel(tt.level, seed)}
			if mustSearch(t, e, g, l).Move.String() == tt.move {
				n++
			}
		}
		if n < tt.lowest || n > tt.highest {
			t.Errorf("%s: level %g plays it in %d %% of searches, want %d to %d %%",
				tt.name, tt.level, n, tt.lowest, tt.highest)
		}
	}
}

// A piece that a cheaper one attacks is moved away by the lowest levels, too, or at least
// takes something.
func TestStrength_SavesPieces(t *testing.T) {
	g := newGame(t, "rnbqkbnr/ppp2ppp/4p3/3p4/6Q1/4P3/PPPP1PPP/RNB1KBNR/ w KQkq - 0 1", "g4f4", "f8d6")
	e := newTestEngine()
	for seed := range uint64(400) {
		r := mustSearch(t, e, g, Limits{Strength: human.AtLevel(0, seed)})
		if after := g.Position().After(r.Move); hanging(&after)-captureGain(g.Position(), r.Move) > 600 {
			t.Fatalf("seed %d plays %s, which leaves the queen to the bishop", seed, r.Move)
		}
	}
}

func TestHanging(t *testing.T) {
	for fen, want := range map[string]int{
		start:                                      0,
		"4k3/8/8/3q4/4P3/8/8/4K3/ w - - 0 1":       captureValue(rules.Queen, false),
		"4k3/8/2p5/3n4/4P3/8/8/4K3/ w - - 0 1":     captureValue(rules.Knight, false) - captureValue(rules.Pawn, false),
		"4k3/8/2p5/3p4/8/8/8/3RK3/ w - - 0 1":      0,
		"4k3/8/8/3p4/8/8/8/3RK3/ w - - 0 1":        captureValue(rules.Pawn, false),
		"4k3/8/8/8/q6r/8/8/R3K2R/ w - - 0 1":       captureValue(rules.Queen, false) - captureValue(rules.Rook, false),
		"4k3/8/8/8/8/8/8/R3K2R/QRBNqrbn b - - 0 1": 0,
	} {
		if got := hanging(newGame(t, fen).Position()); got != want {
			t.Errorf("%s: %d hangs, want %d", fen, got, want)
		}
	}
}
