package engine

// maxIndexPortable defines maxIndex, which is the fastest version that this
// processor runs.
func maxIndexPortable(scores []int32) (top int) {
	highest := scores[0]
	for i, s := range scores {
		if s > highest {
			top, highest = i, s
		}
	}
	return top
}
