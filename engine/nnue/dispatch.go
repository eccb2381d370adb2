package nnue

import (
	"github.com/zhbot/zhbot/engine/simd"
	"github.com/zhbot/zhbot/rules"
)

// accumulate, encode and differing select the fastest version for the processor. The assembly is
// only called where simd.AVX2 and the others are true.

func accumulate(dst, src []int16, weights []int8, adds, subs []uint16) {
	if !simd.AVX2 {
		accumulatePortable(dst, src, weights, adds, subs)
		return
	}
	// The assembly relies on these bounds, and on features below Inputs.
	_, _ = src[:len(dst)], weights[:Inputs*len(dst)]
	if simd.AVX512 {
		accumulateAVX512(dst, src, weights, adds, subs)
		return
	}
	accumulateAVX2(dst, src, weights, adds, subs)
}

// accumulateAVX2 and accumulateAVX512 are accumulatePortable for widths that are multiples of
// WidthStep.
//
//go:noescape
func accumulateAVX2(dst, src []int16, weights []int8, adds, subs []uint16)

//go:noescape
func accumulateAVX512(dst, src []int16, weights []int8, adds, subs []uint16)

func encode(numbers *[64]uint8, board *[64]rules.Piece, states *[3]rules.Bitboard) {
	if !simd.AVX2 {
		encodePortable(numbers, board, states)
		return
	}
	encodeAVX2(numbers, board, states)
}

func differing(a, b *[64]uint8) rules.Bitboard {
	if !simd.AVX2 {
		return differingPortable(a, b)
	}
	return differingAVX2(a, b)
}

// encodeAVX2 is encodePortable.
//
//go:noescape
func encodeAVX2(numbers *[64]uint8, board *[64]rules.Piece, states *[3]rules.Bitboard)

// differingAVX2 is differingPortable.
//
//go:noescape
func differingAVX2(a, b *[64]uint8) rules.Bitboard
