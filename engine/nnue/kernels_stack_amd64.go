package nnue

import "golang.org/x/sys/cpu"

// VNNI multiplies and adds four bytes in one instruction.
var hasVNNI = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI

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
	switch {
	case hasVNNI:
		denseSumsVNNI(sums, inputs, weights)
	case hasAVX2:
		denseSumsAVX2(sums, inputs, weights)
	default:
		denseSumsPortable(sums, inputs, weights)
	}
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

// denseSumsAVX2 and denseSumsVNNI are denseSumsPortable for numbers of inputs that are
// multiples of 16.
//
//go:noescape
func denseSumsAVX2(sums *[DenseNeurons]int32, inputs []uint8, weights []int8)

//go:noescape
func denseSumsVNNI(sums *[DenseNeurons]int32, inputs []uint8, weights []int8)

//go:noescape
func runTailAVX2(sums *[DenseNeurons]int32, t *tail) float32
