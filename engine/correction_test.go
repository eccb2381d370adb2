package engine

import (
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// A search score above the static evaluation raises the evaluation of positions with the
// same pawns and pockets, within the limits.
func TestCorrection(t *testing.T) {
	const static, deep = 10, 60
	tests := []struct {
		name   string
		score  int
		bound  bound
		raised int // sign of the correction
	}{
		{"exact above", deep, exactBound, 1},
		{"exact below", -deep, exactBound, -1},
		{"lower bound above", deep, lowerBound, 1},
		{"lower bound below is ignored", -deep, lowerBound, 0},
		{"upper bound below", -deep, upperBound, -1},
		{"upper bound above is ignored", deep, upperBound, 0},
		{"mate scores are ignored", mateIn(5), exactBound, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := new(worker)
			w.stack[0].pos, w.stack[0].eval = rules.StartPosition(), static
			w.updateCorrectionHistory(0, 6, tt.score, tt.bound)
			if got := w.correction(0); got*tt.raised < 0 || (got == 0) != (tt.raised == 0) {
				t.Errorf("corrected by %d, want sign %d", got, tt.raised)
			}
			for range 1000 {
				w.updateCorrectionHistory(0, 6, tt.score, tt.bound)
			}
			// No move was made, so the last two corrections are missing.
			if got := abs(w.correction(0)); got > 3*maxCorrection/correctionUnit {
				t.Errorf("corrected by %d after 1,000 searches, want at most %d", got, 3*maxCorrection/correctionUnit)
			}
		})
	}
}

// What a reduced move gained by the evaluations corrects the depth, once.
func TestWorker_DepthInHindsight(t *testing.T) {
	w := new(worker)
	for _, tt := range []struct{ reduction, before, now, depth, want int }{
		{3, 20, -20, 4, 5},
		{3, 20, -19, 4, 4},
		{2, 20, -20, 4, 4},
		{3, 20, 111, 4, 3},
		{2, 20, 111, 2, 1},
		{2, 20, 111, 1, 1},
		{2, 20, 110, 4, 4},
		{1, 20, 500, 4, 4},
		{3, noScore, -500, 4, 4},
		{3, 500, noScore, 4, 4},
	} {
		w.stack[0].reduction, w.stack[0].eval, w.stack[1].eval = tt.reduction, tt.before, tt.now
		if got := w.depthInHindsight(1, tt.depth); got != tt.want || w.stack[0].reduction != 0 {
			t.Errorf("%+v: depth %d, and reduction %d left", tt, got, w.stack[0].reduction)
		}
	}
}

// A side that was in check at its last move compares with the move before.
func TestWorker_Improving(t *testing.T) {
	w := new(worker)
	for _, tt := range []struct {
		now, last, before int
		want              bool
	}{
		{50, 40, 90, true},
		{30, 40, 20, false},
		{50, noScore, 40, true},
		{30, noScore, 40, false},
		{50, noScore, noScore, false},
		{noScore, 40, 30, false},
	} {
		w.stack[4].eval, w.stack[2].eval, w.stack[0].eval = tt.now, tt.last, tt.before
		if got := w.improving(4); got != tt.want {
			t.Errorf("evaluations %d, %d two plies ago, %d four: improving is %v", tt.now, tt.last, tt.before, got)
		}
	}
}

// The score of some root moves says nothing about the position.
func TestCorrection_RestrictedRoot(t *testing.T) {
	g := newGame(t, start)
	for _, l := range []Limits{{}, {SearchMoves: []rules.Move{fixture.Move(t, g.Position(), "g2g4")}}} {
		e := newTestEngine()
		l.Depth = 1
		mustSearch(t, e, g, l)
		if learned := e.idle[0].history.corrections != (correctionHistory{}); learned != (l.SearchMoves == nil) {
			t.Errorf("of %v: learned %t", l.SearchMoves, learned)
		}
	}
}
