package nnue

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// compareStacks fails the test unless the version of the stacks for this processor equals
// the portable one on the first layer of both perspectives.
func compareStacks(t *testing.T, head *stackHead, acc []int16, bucket int) {
	t.Helper()
	width := head.width
	size := denseSize(width)
	dense, tail := head.dense[bucket*size:][:size], &head.tails[bucket]
	var got denseInputs
	for i := range AttackInputs {
		got[width+i] = uint8(37*i) & 127
	}
	want := got
	output := runStack(acc[:width], acc[width:], dense, tail, &got)
	expected := runStackPortable(acc[:width], acc[width:], dense, tail, &want)
	if got != want {
		t.Fatalf("width %d: products %v, portable %v", width, got[:width], want[:width])
	}
	if math.Float32bits(output) != math.Float32bits(expected) {
		t.Fatalf("width %d: output %v, portable %v", width, output, expected)
	}
}

// randomStacks returns random stacks for a width.
func randomStacks(width int) *stackHead {
	w := makeWeights(width, 8)
	randomize(&w, w.parts()[2:])
	return newStackHead(&w)
}

// Subnormal products, of weights that decayed, would be slow to compute.
func TestNewStackHead_TiniestWeights(t *testing.T) {
	w := makeWeights(64, 1)
	w.Stacks.HiddenBias[0], w.Stacks.Output[0] = 2e-17, -8e-18
	w.Stacks.HiddenBias[1], w.Stacks.Output[1] = 2e-5, -8e-6
	tail := newStackHead(&w).tails[0]
	if tail.hiddenBias[0] != 0 || tail.output[0] != 0 {
		t.Errorf("tiniest weights: bias %v, output %v; want zeros", tail.hiddenBias[0], tail.output[0])
	}
	if tail.hiddenBias[1] != 2e-5 || tail.output[1] != -8e-6 {
		t.Errorf("small weights: bias %v, output %v; want them as they are", tail.hiddenBias[1], tail.output[1])
	}
}

// At every width: no products, all, each alone, and any share of them.
func TestRunStack_Products(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for width := WidthStep; width <= maxWidth; width += WidthStep {
		head := randomStacks(width)
		compareStacks(t, head, slices.Repeat([]int16{-32768}, 2*width), 0)
		compareStacks(t, head, slices.Repeat([]int16{32767}, 2*width), 7)
		for input := range width { // the only one other than zero
			acc := slices.Repeat([]int16{int16(rng.IntN(2)) - 1}, 2*width)
			half := width / 2
			first := input/half*width + input%half
			acc[first], acc[first+half] = 255, int16(16+rng.IntN(240))
			compareStacks(t, head, acc, input&7)
		}
		for share := range 10 {
			acc := make([]int16, 2*width)
			for i := range acc {
				if acc[i] = int16(rng.IntN(400)); rng.IntN(10) >= share {
					acc[i] = -acc[i]
				}
			}
			compareStacks(t, head, acc, share&7)
		}
	}
}

func TestRunStack_LargestSums(t *testing.T) {
	for _, weight := range []int8{127, -128} {
		w := makeWeights(maxWidth, 1)
		randomize(&w, w.parts()[2:])
		for i := range w.Stacks.Dense {
			w.Stacks.Dense[i] = weight
		}
		for i := range w.Stacks.DenseScale {
			w.Stacks.DenseScale[i], w.Stacks.DenseBias[i] = 1.0/(127*128*maxWidth), 0
		}
		compareStacks(t, newStackHead(&w), slices.Repeat([]int16{255}, 2*maxWidth), 0)
		var sums [DenseNeurons]int32
		if denseSums(&sums, slices.Repeat([]uint8{127}, maxWidth),
			slices.Repeat([]int8{weight}, maxWidth*DenseNeurons)); sums[0] != 127*int32(weight)*maxWidth {
			t.Errorf("largest sums: %v", sums)
		}
	}
}

func FuzzRunStack_MatchesPortable(f *testing.F) {
	var heads [maxWidth / WidthStep]*stackHead
	for i := range heads {
		heads[i] = randomStacks((i + 1) * WidthStep)
	}
	f.Add(uint64(1), uint8(3), 200, int16(0), 3)
	f.Fuzz(func(t *testing.T, seed uint64, width uint8, spread int, mean int16, bucket int) {
		head := heads[width%uint8(len(heads))]
		rng := rand.New(rand.NewPCG(seed, 0))
		acc := make([]int16, 2*head.width)
		for i := range acc {
			acc[i] = mean + int16(rng.NormFloat64()*float64(spread%10_000))
		}
		compareStacks(t, head, acc, bucket&7)
	})
}

func TestEvaluator_AllocatesNothing(t *testing.T) {
	p := *fixture.Game(t, "e2e4 e7e5").Position()
	m := fixture.Move(t, &p, "e1e2")
	next := p.After(m)
	e := NewEvaluator(randomNetwork(t, 128, 8), 2)
	if n := testing.AllocsPerRun(10, func() {
		e.Enter(0)
		evaluateAt(e, 0, &p)
		e.Enter(1)
		evaluateAt(e, 1, &next)
	}); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
