package nnue

import "github.com/zhbot/zhbot/engine/simd"

// accumulate and update select the fastest version for the processor. The assembly is only
// called where simd.AVX2 and the others are true.

func accumulate(dst, src, weights []int16, adds, subs []uint16) {
	if !simd.AVX2 {
		accumulatePortable(dst, src, weights, adds, subs)
		return
	}
	// The assembly relies on these bounds.
	_ = src[:len(dst)]
	for _, r := range adds {
		_ = weights[int(r)*len(dst):][:len(dst)]
	}
	for _, r := range subs {
		_ = weights[int(r)*len(dst):][:len(dst)]
	}
	accumulateAVX2(dst, src, weights, adds, subs)
}

func update(dst, src, weights []int16, delta *featureDelta, white, black *FeatureMap) {
	if !simd.AVX2 {
		updatePortable(dst, src, weights, delta, white, black)
		return
	}
	// The assembly relies on these bounds, and on features below Inputs.
	width := len(weights) / Inputs
	_, _ = dst[:2*width], src[:2*width]
	if simd.AVX512 {
		updateAVX512(&dst[0], &src[0], &weights[0], width, delta, white, black)
		return
	}
	updateAVX2(&dst[0], &src[0], &weights[0], width, delta, white, black)
}

// accumulateAVX2 is accumulatePortable for widths that are multiples of WidthStep.
//
//go:noescape
func accumulateAVX2(dst, src, weights []int16, adds, subs []uint16)

// updateAVX2 and updateAVX512 are updatePortable for widths that are multiples of WidthStep.
//
//go:noescape
func updateAVX2(dst, src, weights *int16, width int, delta *featureDelta, white, black *FeatureMap)

//go:noescape
func updateAVX512(dst, src, weights *int16, width int, delta *featureDelta, white, black *FeatureMap)
