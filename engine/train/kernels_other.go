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

func multiplyPairs(products []float32, acc []int16) { multiplyPairsPortable(products, acc) }

func addLayerColumns(out, inputs, weights []float32, stride int) {
	addLayerPortable(out, inputs, weights, stride)
}

func layerGradientColumns(gradient, deltaInputs, weights, inputs, delta []float32, stride int) {
	layerGradientPortable(gradient, deltaInputs, weights, inputs, delta, stride)
}

func pairGradient(delta []float32, acc []int16, deltaProducts []float32) {
	pairGradientPortable(delta, acc, deltaProducts)
}

func applyAdam(weights, gradient, m, v, limits []float32, s *adamStep) {
	applyAdamPortable(weights, gradient, m, v, limits, s)
}
