package nnue

// The kernels of the first layer. accumulate and update select the fastest version for the
// processor; the portable versions define the result.

// accumulatePortable sets dst to src plus the rows of adds minus the rows of subs, modulo
// 2^16.
func accumulatePortable(dst, src, weights []int16, adds, subs []uint16) {
	width := len(dst)
	copy(dst, src)
	for _, r := range adds {
		row := weights[int(r)*width:][:width]
		for i := range dst {
			dst[i] += row[i]
		}
	}
	for _, r := range subs {
		row := weights[int(r)*width:][:width]
		for i := range dst {
			dst[i] -= row[i]
		}
	}
}

// deltaRows lists the features that a move changes in one perspective: up to four added,
// then up to four removed.
type deltaRows [8]uint16

// updatePortable sets the two perspectives of dst to those of src plus the added rows
// minus the removed rows.
func updatePortable(dst, src, weights []int16, rows *[2]deltaRows, adds, subs int) {
	width := len(weights) / Inputs
	for i, r := range rows {
		half := i * width
		accumulatePortable(dst[half:][:width], src[half:][:width], weights, r[:adds], r[4:4+subs])
	}
}
