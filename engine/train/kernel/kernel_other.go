//go:build !amd64

package kernel

func quantize(dst []int16, src []float32) { quantizePortable(dst, src) }

func sumRows16(dst []int16, dstStride int, src []int16, srcStride int, s *Sparse, bias []int16) {
	sumRows16Portable(dst, dstStride, src, srcStride, s, bias)
}

func sumRows32(dst []float32, dstStride int, src []float32, srcStride int, s *Sparse) {
	sumRows32Portable(dst, dstStride, src, srcStride, s)
}

func dequantize(dst []float32, acc []int16) { dequantizePortable(dst, acc) }

func screlu(x, w []float32) float32 { return screluPortable(x, w) }

func screluGradient(x, w []float32, slope float32, gradW, delta []float32) {
	screluGradientPortable(x, w, slope, gradW, delta)
}

func multiplyPairs(products []float32, acc []int16) { multiplyPairsPortable(products, acc) }

func addColumns(out, inputs, weights []float32, stride int) {
	addColumnsPortable(out, inputs, weights, stride)
}

func columnsGradient(gradient, deltaInputs, weights, inputs, delta []float32, stride int) {
	columnsGradientPortable(gradient, deltaInputs, weights, inputs, delta, stride)
}

func pairGradient(delta []float32, acc []int16, deltaProducts []float32) {
	pairGradientPortable(delta, acc, deltaProducts)
}

func applyAdam(weights, gradient, m, v, limits []float32, s *AdamStep) {
	applyAdamPortable(weights, gradient, m, v, limits, s)
}
