package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomFloats(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func TestKernels_MatchPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{64, 128, 256, 512} {
		weights, bias := randomFloats(rng, 100*width), randomFloats(rng, width)
		for range 50 {
			rows := make([]uint16, rng.IntN(50))
			for i := range rows {
				rows[i] = uint16(rng.IntN(100))
			}
			got, want := make([]float32, width), make([]float32, width)
			gather(got, bias, weights, rows)
			gatherPortable(want, bias, weights, rows)
			if !slices.Equal(got, want) {
				t.Fatalf("width %d: gather differs from the portable version", width)
			}

			gradGot, gradWant := slices.Clone(weights), slices.Clone(weights)
			scatter(gradGot, got, rows)
			scatterPortable(gradWant, got, rows)
			if !slices.Equal(gradGot, gradWant) {
				t.Fatalf("width %d: scatter differs from the portable version", width)
			}

			w := randomFloats(rng, width)
			if got, want := forward(bias, w), forwardPortable(bias, w); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("width %d: forward %g, portable %g", width, got, want)
			}
			gradGot, gradWant = slices.Clone(w), slices.Clone(w)
			backward(bias, w, 0.3, gradGot, got)
			backwardPortable(bias, w, 0.3, gradWant, want)
			if !slices.Equal(gradGot, gradWant) || !slices.Equal(got, want) {
				t.Fatalf("width %d: backward differs from the portable version", width)
			}
		}
	}
}

// backward returns the numerical derivatives of forward.
func TestBackward_MatchesSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const width, step = 64, 1e-2
	x, w := make([]float32, width), randomFloats(rng, width)
	for i := range x {
		x[i] = 0.1 + 0.8*rng.Float32()
	}
	gradW, delta := make([]float32, width), make([]float32, width)
	backward(x, w, 1, gradW, delta)
	for i := range x {
		for _, v := range []struct {
			name  string
			at    *float32
			slope float32
		}{{"x", &x[i], delta[i]}, {"w", &w[i], gradW[i]}} {
			old := *v.at
			*v.at = old + step
			up := forward(x, w)
			*v.at = old - step
			down := forward(x, w)
			*v.at = old
			if slope := (up - down) / (2 * step); math.Abs(float64(slope-v.slope)) > 1e-2 {
				t.Errorf("slope by %s[%d] %g, backward says %g", v.name, i, slope, v.slope)
			}
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{256, 512} {
		weights, x := randomFloats(rng, 956*width), randomFloats(rng, width)
		rows := make([]uint16, 34)
		for i := range rows {
			rows[i] = uint16(rng.IntN(956))
		}
		dst := make([]float32, width)
		b.Run(fmt.Sprint("gather/", width), func(b *testing.B) {
			for b.Loop() {
				gather(dst, x, weights, rows)
			}
		})
		b.Run(fmt.Sprint("scatter/", width), func(b *testing.B) {
			for b.Loop() {
				scatter(weights, x, rows)
			}
		})
		b.Run(fmt.Sprint("forward/", width), func(b *testing.B) {
			for b.Loop() {
				forward(x, weights[:width])
			}
		})
		b.Run(fmt.Sprint("backward/", width), func(b *testing.B) {
			for b.Loop() {
				backward(x, weights[:width], 0.1, weights[width:2*width], dst)
			}
		})
	}
}
