package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// MaxIndex returns the first maximum at every length, with few and with many equal scores.
func TestMaxIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 640; n++ {
		scores := make([]int32, n)
		for _, spread := range []int32{1, 3, 1000, math.MaxInt32} {
			for i := range scores {
				scores[i] = rng.Int32N(spread) - spread/2
			}
			if got, want := MaxIndex(scores), maxIndexPortable(scores); got != want {
				t.Fatalf("%d scores: index %d, want %d: %v", n, got, want, scores)
			}
		}
	}
}
