package train

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
)

func BenchmarkLayers(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{256, 512} {
		first, weights := newFirstLayer(width), newModel(newParameters(shape{width, 8}))
		features := &sparse{starts: []uint32{0}}
		for range 2 * chunkSize {
			for range 34 {
				features.columns = append(features.columns, uint16(rng.ExpFloat64()*100)%nnue.Inputs)
			}
			features.starts = append(features.starts, uint32(len(features.columns)))
		}
		c := chunk{features: *features}
		b.Run(fmt.Sprint("forward/", width), func(b *testing.B) {
			for b.Loop() {
				first.forward(weights.first, features)
			}
			b.ReportMetric(float64(b.N)*chunkSize/b.Elapsed().Seconds(), "positions/s")
		})
		b.Run(fmt.Sprint("backward/", width), func(b *testing.B) {
			for b.Loop() {
				c.transpose()
				first.backward(weights.parameters, &c.rows)
			}
			b.ReportMetric(float64(b.N)*chunkSize/b.Elapsed().Seconds(), "positions/s")
		})
		head := newStackHead(weights, newParameters(weights.shape))
		for i := range first.acc {
			first.acc[i] = int16(rng.NormFloat64() * 150)
		}
		b.Run(fmt.Sprint("stacks/", width), func(b *testing.B) {
			for b.Loop() {
				head.forward(first.accOf(0), first.accOf(1), &c.counts[0], 0)
				head.backward(1, first.deltaOf(0), first.deltaOf(1))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
