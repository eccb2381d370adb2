package train

// The kernels of training, in float32. The vector versions give the same bits as the
// portable ones, which therefore add up dot products in sixteen lanes.

// gatherPortable sets dst to bias plus the rows of weights.
func gatherPortable(dst, bias, weights []float32, rows []uint16) {
	copy(dst, bias)
	for _, r := range rows {
		row := weights[int(r)*len(dst):][:len(dst)]
		for i := range dst {
			dst[i] += row[i]
		}
	}
}

// scatterPortable adds delta to each of the rows.
func scatterPortable(grad, delta []float32, rows []uint16) {
	for _, r := range rows {
		row := grad[int(r)*len(delta):][:len(delta)]
		for i := range delta {
			row[i] += delta[i]
		}
	}
}

// forwardPortable returns the sum of clamp(x, 0, 1)² × w.
func forwardPortable(x, w []float32) float32 {
	var lanes [16]float32
	for i := range x {
		c := min(max(x[i], 0), 1)
		sq := c * c
		lanes[i&15] += float32(sq * w[i])
	}
	var half [8]float32
	for i := range half {
		half[i] = lanes[i] + lanes[i+8]
	}
	var quarter [4]float32
	for i := range quarter {
		quarter[i] = half[i] + half[i+4]
	}
	return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3])
}

// backwardPortable propagates slope, the derivative of the loss by the result of forward:
// it adds the derivatives by w to gradW and sets delta to those by x.
func backwardPortable(x, w []float32, slope float32, gradW, delta []float32) {
	for i := range x {
		c := min(max(x[i], 0), 1)
		gc := slope * c
		gradW[i] += float32(gc * c)
		delta[i] = 0
		if x[i] > 0 && x[i] < 1 {
			delta[i] = float32(gc+gc) * w[i]
		}
	}
}
