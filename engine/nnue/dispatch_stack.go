package nnue

// runStack, multiplyPairs, denseSums and runTail select the fastest version for the
// processor.

func runStack(own, other []int16, dense []int8, t *tail, s *scratch) float32 {
	if !hasVNNI {
		return runKernels(own, other, dense, t, s)
	}
	// The assembly relies on these bounds.
	width := len(own)
	_, _, _ = other[:width], s.products[:width], dense[:DenseNeurons*width]
	return runStackVNNI(&own[0], &other[0], width, &dense[0], t, &s.products[0])
}

func multiplyPairs(dst []uint8, acc []int16) {
	if !hasAVX2 {
		multiplyPairsPortable(dst, acc)
		return
	}
	_ = acc[:2*len(dst)] // the assembly relies on it
	multiplyPairsAVX2(dst, acc)
}

func denseSums(sums *[DenseNeurons]int32, inputs []uint8, weights []int8) {
	_ = weights[:DenseNeurons*len(inputs)] // the assembly relies on it
	if !hasAVX2 {
		denseSumsPortable(sums, inputs, weights)
		return
	}
	denseSumsAVX2(sums, inputs, weights)
}

func runTail(sums *[DenseNeurons]int32, t *tail) float32 {
	if !hasAVX2 {
		return runTailPortable(sums, t)
	}
	return runTailAVX2(sums, t)
}

// multiplyPairsAVX2 is multiplyPairsPortable for lengths of dst that are multiples of 32.
//
//go:noescape
func multiplyPairsAVX2(dst []uint8, acc []int16)

// denseSumsAVX2 is denseSumsPortable for numbers of inputs that are multiples of 8.
//
//go:noescape
func denseSumsAVX2(sums *[DenseNeurons]int32, inputs []uint8, weights []int8)

//go:noescape
func runTailAVX2(sums *[DenseNeurons]int32, t *tail) float32

// runStackVNNI is runKernels for widths that are multiples of WidthStep.
//
//go:noescape
func runStackVNNI(own, other *int16, width int, dense *int8, t *tail, products *uint8) float32
