package nnue

import "github.com/zhbot/zhbot/rules"

// The kernels of the first layer. accumulate, encode and differing select the fastest version
// for the processor; the portable versions define the result.

// accumulatePortable sets dst to src plus the rows of adds minus the rows of subs, modulo
// 2^16.
func accumulatePortable(dst, src []int16, weights []int8, adds, subs []uint16) {
	width := len(dst)
	copy(dst, src)
	for _, r := range adds {
		row := weights[int(r)*width:][:width]
		for i := range dst {
			dst[i] += int16(row[i])
		}
	}
	for _, r := range subs {
		row := weights[int(r)*width:][:width]
		for i := range dst {
			dst[i] -= int16(row[i])
		}
	}
}

// encodePortable sets the numbers of the pieces of a board, given the bits of their states,
// lowest first.
func encodePortable(numbers *[64]uint8, board *[64]rules.Piece, states *[3]rules.Bitboard) {
	for sq, pc := range board {
		numbers[sq] = uint8(pc) << 3
		for i, state := range states {
			numbers[sq] |= uint8(state>>sq&1) << i
		}
	}
}

// differingPortable returns the squares on which numbers differ.
func differingPortable(a, b *[64]uint8) (differ rules.Bitboard) {
	for sq := range a {
		if a[sq] != b[sq] {
			differ |= 1 << sq
		}
	}
	return differ
}
