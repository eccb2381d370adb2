package train

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

func gather(dst, bias, weights []float32, rows []uint16) {
	if !hasAVX2 {
		gatherPortable(dst, bias, weights, rows)
		return
	}
	checkRows(len(weights), len(dst), rows)
	gatherAVX2(dst, bias[:len(dst)], weights, rows)
}

func scatter(grad, delta []float32, rows []uint16) {
	if !hasAVX2 {
		scatterPortable(grad, delta, rows)
		return
	}
	checkRows(len(grad), len(delta), rows)
	scatterAVX2(grad, delta, rows)
}

func forward(x, w []float32) float32 {
	if !hasAVX2 {
		return forwardPortable(x, w)
	}
	return forwardAVX2(x, w[:len(x)])
}

func backward(x, w []float32, slope float32, gradW, delta []float32) {
	if !hasAVX2 {
		backwardPortable(x, w, slope, gradW, delta)
		return
	}
	backwardAVX2(x, w[:len(x)], slope, gradW[:len(x)], delta[:len(x)])
}

// checkRows panics unless every row is within the matrix, on which the assembly relies.
func checkRows(size, width int, rows []uint16) {
	for _, r := range rows {
		if (int(r)+1)*width > size {
			panic("train: row beyond the matrix")
		}
	}
}

// The lengths of all vectors are multiples of 64.

//go:noescape
func gatherAVX2(dst, bias, weights []float32, rows []uint16)

//go:noescape
func scatterAVX2(grad, delta []float32, rows []uint16)

//go:noescape
func forwardAVX2(x, w []float32) float32

//go:noescape
func backwardAVX2(x, w []float32, slope float32, gradW, delta []float32)
