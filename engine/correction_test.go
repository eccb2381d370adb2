package engine

import (
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// A search that came out above the static evaluation raises it for positions
// with the same pawns and pockets, and no further than the bounds say.
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
		{"at least more", deep, lowerBound, 1},
		{"at least less says nothing", -deep, lowerBound, 0},
		{"at most less", -deep, upperBound, -1},
		{"at most more says nothing", deep, upperBound, 0},
		{"mates are not learned", mateIn(5), exactBound, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorker(nil)
			w.stack[0].pos, w.stack[0].eval = rules.StartPosition(), static
			w.learnCorrection(0, 6, tt.score, tt.bound)
			if got := w.correct(0, static) - static; got*tt.raised < 0 || (got == 0) != (tt.raised == 0) {
				t.Errorf("corrected by %d, want sign %d", got, tt.raised)
			}
			for range 1000 {
				w.learnCorrection(0, 6, tt.score, tt.bound)
			}
			if got := abs(w.correct(0, static) - static); got > 2*correctionMax/correctionUnit {
				t.Errorf("corrected by %d after 1,000 searches, want at most %d", got, 2*correctionMax/correctionUnit)
			}
			if w.correct(0, noScore) != noScore {
				t.Error("a position in check got an evaluation")
			}
		})
	}
}

// A side that was in check at its last move compares with the one before.
func TestWorker_Improving(t *testing.T) {
	w := newWorker(nil)
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
