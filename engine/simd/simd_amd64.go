package simd

import "golang.org/x/sys/cpu"

// What the processor has. AVX2 includes BMI1, and AVX512 the instructions for bytes and words.
// VNNI multiplies and adds four bytes, or two int16, in one instruction.
var (
	AVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1
	AVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW
	VNNI   = AVX512 && cpu.X86.HasAVX512VNNI
)

// MaxIndex returns the index of the first maximum of the scores, which must not be empty.
func MaxIndex(scores []int32) int {
	if len(scores) < 16 || !AVX2 {
		return maxIndexPortable(scores)
	}
	return maxIndexAVX2(scores)
}

// maxIndexAVX2 is maxIndexPortable for at least eight scores.
//
//go:noescape
func maxIndexAVX2(scores []int32) int
