package train

import (
	"math"

	"github.com/zhbot/zhbot/engine/nnue"
)

// The kernels of the first layer.

// quantizePortable sets dst to the weights in units of the network.
func quantizePortable(dst []int16, src []float32) {
	for i, w := range src {
		dst[i] = int16(math.RoundToEven(float64(w * nnue.QuantA)))
	}
}

// The columns that the assembly of sumRows16 and sumRows32 computes at a time.
const columns16, columns32AVX2, columns32AVX512 = 128, 64, 128

// sumRows16Portable sets each row of dst, as long as bias, to bias plus the rows of src
// that s has in that row. Rows are dstStride and srcStride apart.
func sumRows16Portable(dst []int16, dstStride int, src []int16, srcStride int, s *sparse, bias []int16) {
	for i := range len(s.starts) - 1 {
		sum := dst[i*dstStride:][:len(bias)]
		copy(sum, bias)
		for _, r := range s.row(i) {
			for j, v := range src[int(r)*srcStride:][:len(bias)] {
				sum[j] += v
			}
		}
	}
}

// sumRows32Portable adds to each row of dst the rows of src that s has in that row.
func sumRows32Portable(dst []float32, dstStride int, src []float32, srcStride int, s *sparse, width int) {
	for i := range len(s.starts) - 1 {
		sum := dst[i*dstStride:][:width]
		for _, r := range s.row(i) {
			for j, v := range src[int(r)*srcStride:][:width] {
				sum[j] += v
			}
		}
	}
}

// The kernels of the layer stacks.

const pairUnit = 1.0 / (nnue.QuantA * nnue.QuantA)

// multiplyPairsPortable sets products to those of the two halves of acc, each clamped to 0
// to 1.
func multiplyPairsPortable(products []float32, acc []int16) {
	second := acc[len(products):][:len(products)]
	for i := range products {
		a, b := min(max(acc[i], 0), nnue.QuantA), min(max(second[i], 0), nnue.QuantA)
		products[i] = float32(int32(a)*int32(b)) * pairUnit
	}
}

// layerColumns is the number of a layer's neurons that its kernels compute at a time.
const layerColumns = 16

// addColumnsPortable adds to layerColumns outputs of a layer the inputs times the weights,
// whose rows are stride apart. Every fourth input is in the same of four sums.
func addColumnsPortable(out, inputs, weights []float32, stride int) {
	var sums [4][layerColumns]float32
	for i, x := range inputs {
		for j, w := range weights[i*stride:][:layerColumns] {
			sums[i&3][j] += float32(x * w)
		}
	}
	for j := range layerColumns {
		out[j] += (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j])
	}
}

// columnsGradientPortable propagates delta, the derivatives with respect to layerColumns
// outputs of a layer: it adds those with respect to the weights to gradient and those
// with respect to the inputs to deltaInputs.
func columnsGradientPortable(gradient, deltaInputs, weights, inputs, delta []float32, stride int) {
	for i, x := range inputs {
		row, rowGradient := weights[i*stride:][:layerColumns], gradient[i*stride:][:layerColumns]
		var products [layerColumns]float32
		for j, d := range delta[:layerColumns] {
			rowGradient[j] += float32(x * d)
			products[j] = row[j] * d
		}
		var sums [8]float32
		for j := range sums {
			sums[j] = products[j] + products[j+8]
		}
		deltaInputs[i] += ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
	}
}

// pairGradientPortable sets delta to the derivatives with respect to acc, given those
// with respect to the products.
func pairGradientPortable(delta []float32, acc []int16, deltaProducts []float32) {
	half := len(deltaProducts)
	for i, d := range deltaProducts {
		a, b := acc[i], acc[half+i]
		delta[i], delta[half+i] = 0, 0
		if a > 0 && a < nnue.QuantA {
			delta[i] = d * (float32(min(max(b, 0), nnue.QuantA)) * (1.0 / nnue.QuantA))
		}
		if b > 0 && b < nnue.QuantA {
			delta[half+i] = d * (float32(min(max(a, 0), nnue.QuantA)) * (1.0 / nnue.QuantA))
		}
	}
}

// applyAdamPortable does a step of the optimiser.
func applyAdamPortable(weights, gradient, m, v, limits []float32, s *adamStep) {
	for i, g := range gradient {
		g *= s.gradientScale
		m[i] += float32(s.oneMinusBeta1 * (g - m[i]))
		v[i] += float32(s.oneMinusBeta2 * (float32(g*g) - v[i]))
		move := float32(s.learningRate*m[i]) / (float32(math.Sqrt(float64(v[i]*s.biasCorrection2))) + s.epsilon)
		weights[i] = max(min(float32(weights[i]*s.weightDecay)-move, limits[i]), -limits[i])
	}
}
