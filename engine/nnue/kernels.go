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

// updatePortable sets the two perspectives of dst to those of src, changed by a delta. The
// maps are the perspectives' orientations.
func updatePortable(dst, src, weights []int16, delta *featureDelta, white, black *FeatureMap) {
	width := len(weights) / Inputs
	for i, orient := range [2]*FeatureMap{white, black} {
		rows := delta.rows
		for j, f := range rows {
			rows[j] = orient[f]
		}
		half := i * width
		accumulatePortable(dst[half:][:width], src[half:][:width], weights, rows[:delta.added], rows[4:4+delta.removed])
	}
}
