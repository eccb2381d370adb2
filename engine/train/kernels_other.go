//go:build !amd64

package train

func gather(dst, bias, weights []float32, rows []uint16) { gatherPortable(dst, bias, weights, rows) }

func scatter(grad, delta []float32, rows []uint16) { scatterPortable(grad, delta, rows) }

func forward(x, w []float32) float32 { return forwardPortable(x, w) }

func backward(x, w []float32, slope float32, gradW, delta []float32) {
	backwardPortable(x, w, slope, gradW, delta)
}
