// Package simd knows which instructions the processor has, and has the assembly that several
// packages of the engine could use. The kernels of the network and of training are in their
// own packages.
package simd

// maxIndexPortable is the reference for MaxIndex.
func maxIndexPortable(scores []int32) (top int) {
	highest := scores[0]
	for i, s := range scores {
		if s > highest {
			top, highest = i, s
		}
	}
	return top
}
