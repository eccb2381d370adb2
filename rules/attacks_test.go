package rules

import (
	"math/rand/v2"
	"testing"
)

var (
	bishopSteps = [][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	rookSteps   = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
)

// The attacks of sliders are those that walking along their lines finds.
func TestSliderAttacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 956))
	for s := range Square(64) {
		for range 200 {
			occupied := Bitboard(rng.Uint64() & rng.Uint64()) // a quarter of the squares
			if got, want := BishopAttacks(s, occupied), sliderAttacks(s, bishopSteps, occupied); got != want {
				t.Errorf("BishopAttacks(%s, %#x) = %#x, want %#x", s, occupied, got, want)
			}
			if got, want := RookAttacks(s, occupied), sliderAttacks(s, rookSteps, occupied); got != want {
				t.Errorf("RookAttacks(%s, %#x) = %#x, want %#x", s, occupied, got, want)
			}
		}
	}
}
