package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// Every length, with few and many equal scores, must give the first of the
// highest.
func TestMaxIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= rules.MaxMoves; n++ {
		scores := make([]int32, n)
		for _, spread := range []int32{1, 3, 1000, math.MaxInt32} {
			for i := range scores {
				scores[i] = rng.Int32N(spread) - spread/2
			}
			if got, want := maxIndex(scores), maxIndexPortable(scores); got != want {
				t.Fatalf("%d scores: index %d, want %d: %v", n, got, want, scores)
			}
		}
	}
}
