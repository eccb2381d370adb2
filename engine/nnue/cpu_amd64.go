package nnue

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW
	// hasVNNI is whether the processor multiplies and adds four bytes, or two int16, in one
	// instruction.
	hasVNNI = hasAVX512 && cpu.X86.HasAVX512VNNI
)
