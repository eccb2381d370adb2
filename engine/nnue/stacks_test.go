package nnue

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// compareStackKernels fails the test unless each kernel equals its portable version on an
// accumulator of both perspectives.
func compareStackKernels(t *testing.T, n *Network, acc []int16, bucket int) {
	t.Helper()
	head, width := n.stacks, n.weights.Width
	half := width / 2
	products, wantProducts := make([]uint8, width), make([]uint8, width)
	for side := range 2 {
		multiplyPairs(products[side*half:][:half], acc[side*width:][:width])
		multiplyPairsPortable(wantProducts[side*half:][:half], acc[side*width:][:width])
	}
	if !slices.Equal(products, wantProducts) {
		t.Fatalf("width %d: multiplyPairs differs from the portable version", width)
	}
	var sums, want [DenseNeurons]int32
	dense, tail := head.dense[bucket*width*DenseNeurons:][:width*DenseNeurons], &head.tails[bucket]
	denseSums(&sums, products, dense)
	if denseSumsPortable(&want, products, dense); sums != want {
		t.Fatalf("width %d: sums %v, portable %v", width, sums, want)
	}
	output := runTailPortable(&sums, tail)
	if got := runTail(&sums, tail); math.Float32bits(got) != math.Float32bits(output) {
		t.Fatalf("width %d: output %v, portable %v", width, got, output)
	}
	if got := runStack(acc[:width], acc[width:], dense, tail, new(scratch)); math.Float32bits(got) != math.Float32bits(output) {
		t.Fatalf("width %d: output of the whole stack %v, portable %v", width, got, output)
	}
}

func TestStackKernels_MatchPortable(t *testing.T) {
	for _, width := range []int{64, 192, 320, 512, 1024} {
		n := randomNetwork(t, width, 8)
		playRandomGames(t, 5, 200, func(p *rules.Position, _ rules.Move) {
			e := NewEvaluator(n, 0)
			e.Reset(p)
			compareStackKernels(t, n, e.accumulators[0].all, BucketOf(p.Pocket(rules.White).Total()+p.Pocket(rules.Black).Total(), n.weights.Buckets))
		})
		compareStackKernels(t, n, slices.Repeat([]int16{32767}, 2*width), 0)
		compareStackKernels(t, n, slices.Repeat([]int16{-32768}, 2*width), 7)
	}
	// the largest sums
	products := slices.Repeat([]uint8{127}, maxWidth)
	for _, weight := range []int8{127, -128} {
		weights := slices.Repeat([]int8{weight}, maxWidth*DenseNeurons)
		var sums [DenseNeurons]int32
		if denseSums(&sums, products, weights); sums[0] != 127*int32(weight)*maxWidth {
			t.Errorf("largest sums: %v", sums)
		}
	}
}

func FuzzStackKernels_MatchPortable(f *testing.F) {
	n := randomNetwork(f, 256, 8)
	f.Add(uint64(1), 200, 3)
	f.Fuzz(func(t *testing.T, seed uint64, spread, bucket int) {
		rng := rand.New(rand.NewPCG(seed, 0))
		acc := make([]int16, 2*n.weights.Width)
		for i := range acc {
			acc[i] = int16(rng.NormFloat64() * float64(spread%10_000))
		}
		compareStackKernels(t, n, acc, bucket&7)
	})
}

func TestNetwork_File(t *testing.T) {
	n := randomNetwork(t, 256, 8)
	var file bytes.Buffer
	if err := n.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	p := rules.StartPosition()
	if again.Hash() != n.Hash() || again.Evaluate(&p) != n.Evaluate(&p) {
		t.Errorf("read back: %s", again)
	}
	w := *n.Weights()
	w.Stacks.Hidden = slices.Clone(w.Stacks.Hidden)
	w.Stacks.Hidden[7] = float32(math.NaN())
	if _, err := New(w); err == nil || !strings.Contains(err.Error(), "weight 7 of the hidden layer") {
		t.Errorf("a weight that is not a number: %v", err)
	}
}

func TestEvaluator_AllocatesNothing(t *testing.T) {
	p := rules.StartPosition()
	for _, uci := range []string{"e2e4", "e7e5"} {
		m, err := p.ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		p = p.After(m)
	}
	m, err := p.ParseUCI("e1e2")
	if err != nil {
		t.Fatal(err)
	}
	next := p.After(m)
	m2, err := next.ParseUCI("e8e7")
	if err != nil {
		t.Fatal(err)
	}
	e := NewEvaluator(randomNetwork(t, 128, 8), 2)
	if n := testing.AllocsPerRun(10, func() {
		e.Reset(&p)
		e.Play(0, &p, m)
		e.Play(1, &next, m2)
		e.Evaluate(1, &next)
	}); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
