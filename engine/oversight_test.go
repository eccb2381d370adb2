package engine

import (
	"slices"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

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
		{"mate by a distant drop", distant, "R@a8", carefulLevels, 100, 100},
		{"mate by a drop beside the king", near, "N@f7", 0, 100, 100},
	} {
		g, e, n := newGame(t, tt.fen), newTestEngine(), 0
		noOtherMate := slices.DeleteFunc(g.Position().LegalMoves(), func(m rules.Move) bool {
			after := g.Position().After(m)
			return after.IsCheckmate() && m.String() != tt.move
		})
		for seed := range uint64(100) {
			if mustSearch(t, e, g, Limits{Nodes: 200, SearchMoves: noOtherMate, Strength: StrengthFromLevel(tt.level, seed)}).Move.String() == tt.move {
				n++
			}
		}
		if n < tt.lowest || n > tt.highest {
			t.Errorf("%s: level %g plays it in %d %% of searches, want %d to %d %%", tt.name, tt.level, n, tt.lowest, tt.highest)
		}
	}
}

// A piece that a cheaper one attacks is moved away by the lowest levels, too, or at least
// takes something.
func TestStrength_SavesPieces(t *testing.T) {
	g, e := newGame(t, "rnbqkbnr/ppp2ppp/4p3/3p4/6Q1/4P3/PPPP1PPP/RNB1KBNR/ w KQkq - 0 1", "g4f4", "f8d6"), newTestEngine()
	for seed := range uint64(1000) {
		r := mustSearch(t, e, g, Limits{Strength: StrengthFromLevel(0, seed)})
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

// The careful levels see all moves, and any level does in check.
func TestStrength_SeenMoves(t *testing.T) {
	p := newGame(t, richPockets).Position()
	moves, before := p.LegalMoves(), 0
	for level := range MaxSkill + 1 {
		n := len(StrengthFromLevel(float64(level), 3).seenMoves(p, moves))
		if n < before || level >= carefulLevels && n != len(moves) {
			t.Errorf("level %d sees %d of %d moves, the level below %d", level, n, len(moves), before)
		}
		before = n
	}
	check := newGame(t, "4k3/8/8/8/8/8/4r3/4K3/QRBN w - - 0 1").Position()
	if n := len(StrengthFromLevel(0, 3).seenMoves(check, check.LegalMoves())); n != len(check.LegalMoves()) {
		t.Errorf("in check the lowest level sees %d moves of %d", n, len(check.LegalMoves()))
	}
}
