//go:build !amd64

package nnue

func accumulate(dst, src, weights []int16, adds, subs []uint16) {
	accumulatePortable(dst, src, weights, adds, subs)
}

func update(dst, src, weights []int16, rows *[2]deltaRows, adds, subs int) {
	updatePortable(dst, src, weights, rows, adds, subs)
}

func dot(acc, weights []int16) int64 { return dotPortable(acc, weights) }

func multiplyPairs(dst []uint8, acc []int16) { multiplyPairsPortable(dst, acc) }

func denseSums(sums *[DenseNeurons]int32, inputs []uint8, weights []int8) {
	denseSumsPortable(sums, inputs, weights)
}

func runTail(sums *[DenseNeurons]int32, t *tail) float32 { return runTailPortable(sums, t) }

func runStack(own, other []int16, dense []int8, t *tail, s *scratch) float32 {
	return runKernels(own, other, dense, t, s)
}
