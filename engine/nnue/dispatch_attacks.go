package nnue

import (
	"github.com/zhbot/zhbot/engine/simd"
	"github.com/zhbot/zhbot/rules"
)

// find selects the fastest version for the processor.
func (a *AttackMap) find(knights, diagonal, straight, empty rules.Bitboard) {
	if !simd.AVX2 {
		a.findPortable(knights, diagonal, straight, empty)
		return
	}
	findAVX2(a, knights, diagonal, straight, empty)
}

// findAVX2 is findPortable.
//
//go:noescape
func findAVX2(a *AttackMap, knights, diagonal, straight, empty rules.Bitboard)

// countSets selects the fastest version for the processor.
func countSets(counts *AttackCounts, sets *attackSets) {
	if !simd.AVX2 {
		countSetsPortable(counts, sets)
		return
	}
	countSetsAVX2(&counts[0], &sets[0])
}

// countSetsAVX2 is countSetsPortable.
//
//go:noescape
func countSetsAVX2(counts *uint8, sets *rules.Bitboard)
