package train

import "github.com/zhbot/zhbot/engine/simd"

// The inner loops of training, for vectors whose lengths are multiples of 64: portable
// versions, and AVX2 and AVX-512 ones in assembly. All give the same bits: they add in the
// same order, and none fuses a multiplication with an addition.
//
// Activations of the first layer are int16, in units of the network (1/nnue.QuantA);
// everything else is float32.

// sparse is a matrix of zeros and ones, stored as the columns of the ones in each row.
type sparse struct {
	starts  []uint32 // of the rows within columns, and the end of the last
	columns []uint16
}

// row returns the columns of the ones in a row.
func (s *sparse) row(i int) []uint16 { return s.columns[s.starts[i]:s.starts[i+1]] }

// adamStep are the factors of a step of the Adam optimiser. The assembly knows its layout.
type adamStep struct {
	gradientScale   float32 // of the sum of gradients: 1/batch
	learningRate    float32 // with the bias correction of m, 1/(1 - β1^t)
	biasCorrection2 float32 // of v, 1/(1 - β2^t)
	weightDecay     float32 // factor of the weights, 1 - rate × decay
	oneMinusBeta1   float32
	oneMinusBeta2   float32
	epsilon         float32
}

// apply takes a step: it updates the weights, which it keeps within ± limits, and the
// running means of the gradient (m) and of its square (v). Vectors may have any length.
func (s *adamStep) apply(weights, gradient, m, v, limits []float32) {
	whole := 0
	if simd.AVX2 {
		n := len(gradient)
		whole = n &^ 7
		applyAdamAVX2(weights[:n], gradient[:whole], m[:n], v[:n], limits[:n], s)
	}
	applyAdamPortable(weights[whole:], gradient[whole:], m[whole:], v[whole:], limits[whole:], s)
}

// quantize sets dst to weights in units of the network.
func quantize(dst []int16, weights []float32) {
	if !simd.AVX2 {
		quantizePortable(dst, weights)
		return
	}
	quantizeAVX2(dst[:len(weights)], weights)
}

// sumRows16 sets each row of dst to bias plus the rows of src that s lists for that row.
// Rows are as long as bias, a multiple of 64 and at least 128, and dstStride and srcStride
// apart. Every column of s must be a row of src, which is not checked.
func sumRows16(dst []int16, dstStride int, src []int16, srcStride int, s *sparse, bias []int16) {
	if !simd.AVX2 {
		sumRows16Portable(dst, dstStride, src, srcStride, s, bias)
		return
	}
	n, sum := len(s.starts)-1, sumRows16AVX2
	if simd.AVX512 {
		sum = sumRows16AVX512
	}
	_, _ = dst[(n-1)*dstStride:][:len(bias)], s.columns[:s.starts[n]]
	for from := 0; from < len(bias); from += columns16 {
		i := min(from, len(bias)-columns16) // the last block may overlap the one before
		sum(&dst[i], 2*dstStride, &src[i], 2*srcStride, &s.starts[0], n, &s.columns[0], &bias[i:][:columns16][0])
	}
}

// sumRows32 adds to each row of dst the rows of src that s lists for that row. Rows have
// the given width, a multiple of 64, and are dstStride and srcStride apart. Every column
// of s must be a row of src, which is not checked.
func sumRows32(dst []float32, dstStride int, src []float32, srcStride int, s *sparse, width int) {
	if !simd.AVX2 {
		sumRows32Portable(dst, dstStride, src, srcStride, s, width)
		return
	}
	n, i := len(s.starts)-1, 0
	_, _ = dst[(n-1)*dstStride:][:width], s.columns[:s.starts[n]]
	if simd.AVX512 {
		for ; i+columns32AVX512 <= width; i += columns32AVX512 {
			sumRows32AVX512(&dst[i], 4*dstStride, &src[i], 4*srcStride, &s.starts[0], n, &s.columns[0])
		}
	}
	for ; i < width; i += columns32AVX2 {
		sumRows32AVX2(&dst[i], 4*dstStride, &src[i], 4*srcStride, &s.starts[0], n, &s.columns[0])
	}
}

// multiplyPairs sets products to the products of the two halves of acc, each clamped to 0
// to 1.
func multiplyPairs(products []float32, acc []int16) {
	if !simd.AVX2 {
		multiplyPairsPortable(products, acc)
		return
	}
	multiplyPairsAVX2(products, acc[:2*len(products)])
}

// pairGradient sets delta to the derivatives with respect to acc, given those with
// respect to the products.
func pairGradient(delta []float32, acc []int16, deltaProducts []float32) {
	if !simd.AVX2 {
		pairGradientPortable(delta, acc, deltaProducts)
		return
	}
	n := len(deltaProducts)
	pairGradientAVX2(delta[:2*n], acc[:2*n], deltaProducts)
}

// addLayer adds to out the outputs of a layer: the inputs times the weights, a row for each
// input. The number of outputs is a multiple of 16, that of inputs a multiple of 4.
func addLayer(out, inputs, weights []float32) {
	stride := len(out)
	_ = weights[:len(inputs)*stride]
	for i := 0; i < stride; i += layerColumns {
		columns := out[i:][:layerColumns]
		if simd.AVX2 {
			addColumnsAVX2(&columns[0], inputs, &weights[i], 4*stride)
		} else {
			addColumnsPortable(columns, inputs, weights[i:], stride)
		}
	}
}

// layerGradient propagates delta, the derivatives with respect to the outputs of a layer:
// it adds those with respect to the weights to gradient and sets deltaInputs to those
// with respect to the inputs.
func layerGradient(gradient, deltaInputs, weights, inputs, delta []float32) {
	clear(deltaInputs)
	stride := len(delta)
	_, _ = gradient[:len(inputs)*stride], weights[:len(inputs)*stride]
	for i := 0; i < stride; i += layerColumns {
		columns := delta[i:][:layerColumns]
		if simd.AVX2 {
			columnsGradientAVX2(&gradient[i], deltaInputs[:len(inputs)], &weights[i], inputs, &columns[0], 4*stride)
		} else {
			columnsGradientPortable(gradient[i:], deltaInputs, weights[i:], inputs, columns, stride)
		}
	}
}
