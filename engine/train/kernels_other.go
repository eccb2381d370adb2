//go:build !amd64

package train

func quantize(dst []int16, src []float32) { quantizePortable(dst, src) }

func sumRows16(dst []int16, dstStride int, src []int16, srcStride int, s *sparse, bias []int16) {
	sumRows16Portable(dst, dstStride, src, srcStride, s, bias)
}

func sumRows32(dst []float32, dstStride int, src []float32, srcStride int, s *sparse) {
	sumRows32Portable(dst, dstStride, src, srcStride, s)
}

func dequantize(dst []float32, acc []int16) { dequantizePortable(dst, acc) }

func forward(x, w []float32) float32 { return forwardPortable(x, w) }

func backward(x, w []float32, slope float32, gradW, delta []float32) {
	backwardPortable(x, w, slope, gradW, delta)
}

func multiplyPairs(products []float32, nonzero []uint64, acc []int16) {
	multiplyPairsPortable(products, nonzero, acc)
}

func addLayer(out, inputs []float32, set []uint64, weights []float32) {
	addLayerPortable(out, inputs, set, weights)
}

func layerGradient(gradient, deltaInputs, weights, inputs []float32, set []uint64, delta []float32) {
	layerGradientPortable(gradient, deltaInputs, weights, inputs, set, delta)
}

func pairGradient(delta []float32, acc []int16, deltaProducts []float32) {
	pairGradientPortable(delta, acc, deltaProducts)
}

func applyAdam(weights, gradient, m, v, limits []float32, s *adamStep) {
	applyAdamPortable(weights, gradient, m, v, limits, s)
}
