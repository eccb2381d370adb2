package nnue

import "github.com/zhbot/zhbot/engine/simd"

// runStack selects the fastest version for the processor.
func runStack(own, other []int16, dense []int8, t *tail, inputs *denseInputs) float32 {
	if !simd.AVX2 {
		return runStackPortable(own, other, dense, t, inputs)
	}
	// The assembly relies on these bounds.
	width := len(own)
	_, _, _ = other[:width], inputs[:width+AttackInputs], dense[:denseSize(width)]
	if simd.VNNI {
		return runStackVNNI(&own[0], &other[0], width, &dense[0], t, &inputs[0])
	}
	return runStackAVX2(&own[0], &other[0], width, &dense[0], t, &inputs[0])
}

// runStackAVX2 and runStackVNNI are runStackPortable for widths that are multiples of
// WidthStep.
//
//go:noescape
func runStackAVX2(own, other *int16, width int, dense *int8, t *tail, inputs *uint8) float32

//go:noescape
func runStackVNNI(own, other *int16, width int, dense *int8, t *tail, inputs *uint8) float32
