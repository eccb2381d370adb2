package engine

// maxIndexPortable is the reference for maxIndex.
func maxIndexPortable(scores []int32) (top int) {
	highest := scores[0]
	for i, s := range scores {
		if s > highest {
			top, highest = i, s
		}
	}
	return top
}
