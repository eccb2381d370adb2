package train

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW
)
