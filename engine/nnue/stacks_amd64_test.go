package nnue

// denseKernels returns the versions of denseSums that the processor can run.
func denseKernels() map[string]func(*[DenseNeurons]int32, []uint8, []int8) {
	kernels := map[string]func(*[DenseNeurons]int32, []uint8, []int8){"denseSums": denseSums}
	if hasAVX2 {
		kernels["denseSumsAVX2"] = denseSumsAVX2
	}
	if hasVNNI {
		kernels["denseSumsVNNI"] = denseSumsVNNI
	}
	return kernels
}
