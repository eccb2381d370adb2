package train

import (
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

// randomAcc returns numbers of the first layer, of which few are clipped.
func randomAcc(rng *rand.Rand, n int) []int16 {
	x := make([]int16, n)
	for i := range x {
		x[i] = int16(rng.NormFloat64() * 200)
	}
	return x
}

func randomSparse(rng *rand.Rand, rows, columns int) *sparse {
	s := &sparse{starts: []uint32{0}}
	for range rows {
		for range rng.IntN(40) {
			s.columns = append(s.columns, uint16(rng.IntN(columns)))
		}
		s.starts = append(s.starts, uint32(len(s.columns)))
	}
	return s
}

// same fails the test unless two vectors have the same bits, but for the sign of 0.
func same[T int16 | float32](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s differs from the portable version", what)
	}
}

func TestFirstLayerKernels_MatchPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const width, padding, rows, columns = 448, 16, 20, 100
	for i := range 20 {
		used := []int{128, 192, 256, 320}[i%4] // from column 128 on
		s := randomSparse(rng, rows, columns)
		floats := randomFloats(rng, columns*(width+padding))
		ints, want16 := make([]int16, len(floats)), make([]int16, len(floats))
		quantize(ints, floats[:len(floats)&^63])
		quantizePortable(want16, floats[:len(floats)&^63])
		same(t, "quantize", ints, want16)

		bias := randomAcc(rng, used)
		got, want := make([]int16, rows*width), make([]int16, rows*width)
		sumRows16(got[128:], width, ints[128:], width+padding, s, bias)
		sumRows16Portable(want[128:], width, ints[128:], width+padding, s, bias)
		same(t, "sumRows16", got, want)

		got32 := randomFloats(rng, rows*width)
		want32 := slices.Clone(got32)
		sumRows32(got32[128:], width, floats[128:], width+padding, s, used)
		sumRows32Portable(want32[128:], width, floats[128:], width+padding, s, used)
		same(t, "sumRows32", got32, want32)
	}
}

func TestHeadKernels_MatchPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{64, 128, 160, 256, 512} {
		for range 20 {
			acc := randomAcc(rng, 2*width)
			w, delta, wantDelta := randomFloats(rng, width), make([]float32, 2*width), make([]float32, 2*width)
			products, wantProducts := make([]float32, width), make([]float32, width)
			multiplyPairs(products, acc)
			multiplyPairsPortable(wantProducts, acc)
			same(t, "multiplyPairs", products, wantProducts)
			pairGradient(delta, acc, w)
			pairGradientPortable(wantDelta, acc, w)
			same(t, "pairGradient", delta, wantDelta)
		}
	}
}

func TestLayerKernels_MatchPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, layer := range []struct{ inputs, outputs int }{{512, 16}, {32, 32}, {64, 48}} {
		for range 20 {
			inputs, weights := randomFloats(rng, layer.inputs), randomFloats(rng, layer.inputs*layer.outputs)
			got := randomFloats(rng, layer.outputs)
			want := slices.Clone(got)
			addLayer(got, inputs, weights)
			for i := 0; i < layer.outputs; i += layerColumns {
				addColumnsPortable(want[i:], inputs, weights[i:], layer.outputs)
			}
			same(t, "addLayer", got, want)

			gradient, deltaInputs := slices.Clone(weights), slices.Clone(inputs)
			wantGradient, wantDelta := slices.Clone(weights), make([]float32, layer.inputs)
			layerGradient(gradient, deltaInputs, weights, inputs, want)
			for i := 0; i < layer.outputs; i += layerColumns {
				columnsGradientPortable(wantGradient[i:], wantDelta, weights[i:], inputs, want[i:], layer.outputs)
			}
			same(t, "layerGradient's gradient", gradient, wantGradient)
			same(t, "layerGradient's delta", deltaInputs, wantDelta)
		}
	}
}

func TestApplyAdam_MatchesPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 107
	weights, m, v := randomFloats(rng, n), randomFloats(rng, n), make([]float32, n)
	limits := slices.Repeat([]float32{0.5}, n)
	want, wantM, wantV := slices.Clone(weights), slices.Clone(m), slices.Clone(v)
	s := adamStep{0.1, 0.01, 2, 0.99, 0.1, 0.001, 1e-8}
	for range 10 {
		gradient := randomFloats(rng, n)
		s.apply(weights, gradient, m, v, limits)
		applyAdamPortable(want, gradient, wantM, wantV, limits, &s)
	}
	same(t, "weights", weights, want)
	same(t, "m", m, wantM)
	same(t, "v", v, wantV)
}
