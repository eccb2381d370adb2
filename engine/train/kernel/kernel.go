// Package kernel has the inner loops of training, for vectors whose lengths are multiples of
// 64: portable versions, and AVX2 and AVX-512 ones in assembly. All give the same bits: they
// add in the same order, and none fuses a multiplication with an addition.
//
// Activations of the first layer are int16, in units of the network (1/nnue.QuantA);
// everything else is float32.
package kernel

// Sparse is a matrix of zeros and ones, stored as the columns of the ones in each row.
type Sparse struct {
	Starts  []uint32 // of the rows within Columns, and the end of the last
	Columns []uint16
}

// Row returns the columns of the ones in a row.
func (s *Sparse) Row(i int) []uint16 { return s.Columns[s.Starts[i]:s.Starts[i+1]] }

// AdamStep are the factors of a step of the Adam optimiser. The assembly knows its layout.
type AdamStep struct {
	GradientScale   float32 // of the sum of gradients: 1/batch
	LearningRate    float32 // with the bias correction of m, 1/(1 - β1^t)
	BiasCorrection2 float32 // of v, 1/(1 - β2^t)
	WeightDecay     float32 // factor of the weights, 1 - rate × decay
	OneMinusBeta1   float32
	OneMinusBeta2   float32
	Epsilon         float32
}

// Apply takes a step: it updates the weights, which it keeps within ± limits, and the
// running means of the gradient (m) and of its square (v). Vectors may have any length.
func (s *AdamStep) Apply(weights, gradient, m, v, limits []float32) {
	applyAdam(weights, gradient, m, v, limits, s)
}

// Quantize sets dst to weights in units of the network.
func Quantize(dst []int16, weights []float32) { quantize(dst, weights) }

// SumRows16 sets each row of dst to bias plus the rows of src that s lists for that row.
// Rows are as long as bias, a multiple of 128, and dstStride and srcStride apart. Every
// column of s must be a row of src, which is not checked.
func SumRows16(dst []int16, dstStride int, src []int16, srcStride int, s *Sparse, bias []int16) {
	for i := 0; i < len(bias); i += columns16 {
		sumRows16(dst[i:], dstStride, src[i:], srcStride, s, bias[i:][:columns16])
	}
}

// SumRows32 adds to each row of dst the rows of src that s lists for that row. Rows have
// the given width, a multiple of 128, and are dstStride and srcStride apart. Every column
// of s must be a row of src, which is not checked.
func SumRows32(dst []float32, dstStride int, src []float32, srcStride int, s *Sparse, width int) {
	for i := 0; i < width; i += columns32 {
		sumRows32(dst[i:], dstStride, src[i:], srcStride, s)
	}
}

// Dequantize sets dst to activations in units of 1.0.
func Dequantize(dst []float32, acc []int16) { dequantize(dst, acc) }

// SCReLU returns the sum of clamp(x, 0, 1)² × w.
func SCReLU(x, w []float32) float32 { return screlu(x, w) }

// SCReLUGradient propagates slope, the derivative of the loss with respect to the result
// of [SCReLU]: it adds the derivatives with respect to w to gradient and sets delta to
// those with respect to x.
func SCReLUGradient(x, w []float32, slope float32, gradient, delta []float32) {
	screluGradient(x, w, slope, gradient, delta)
}

// MultiplyPairs sets products to the products of the two halves of acc, each clamped to 0
// to 1.
func MultiplyPairs(products []float32, acc []int16) { multiplyPairs(products, acc) }

// PairGradient sets delta to the derivatives with respect to acc, given those with
// respect to the products.
func PairGradient(delta []float32, acc []int16, deltaProducts []float32) {
	pairGradient(delta, acc, deltaProducts)
}

// AddLayer adds to out the outputs of a layer: the inputs times the weights, a row for each
// input. The number of outputs is a multiple of 16, that of inputs a multiple of 4.
func AddLayer(out, inputs, weights []float32) {
	for i := 0; i < len(out); i += layerColumns {
		addColumns(out[i:], inputs, weights[i:], len(out))
	}
}

// LayerGradient propagates delta, the derivatives with respect to the outputs of a layer:
// it adds those with respect to the weights to gradient and sets deltaInputs to those
// with respect to the inputs.
func LayerGradient(gradient, deltaInputs, weights, inputs, delta []float32) {
	clear(deltaInputs)
	for i := 0; i < len(delta); i += layerColumns {
		columnsGradient(gradient[i:], deltaInputs, weights[i:], inputs, delta[i:], len(delta))
	}
}
