//go:build !amd64

package nnue

// denseKernels returns the versions of denseSums that the processor can run.
func denseKernels() map[string]func(*[DenseNeurons]int32, []uint8, []int8) {
	return map[string]func(*[DenseNeurons]int32, []uint8, []int8){"denseSums": denseSums}
}
