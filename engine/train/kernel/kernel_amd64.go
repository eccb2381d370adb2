package kernel

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW
)

// The assembly relies on the bounds that its callers check here. The lengths of vectors are
// multiples of 64.

func quantize(dst []int16, src []float32) {
	if !hasAVX2 {
		quantizePortable(dst, src)
		return
	}
	quantizeAVX2(dst[:len(src)], src)
}

func sumRows16(dst []int16, dstStride int, src []int16, srcStride int, s *Sparse, bias []int16) {
	if !hasAVX2 {
		sumRows16Portable(dst, dstStride, src, srcStride, s, bias)
		return
	}
	n := len(s.Starts) - 1
	_, _, _ = bias[:columns16], dst[(n-1)*dstStride:][:columns16], s.Columns[:s.Starts[n]]
	if hasAVX512 {
		sumRows16AVX512(&dst[0], 2*dstStride, &src[0], 2*srcStride, &s.Starts[0], n, &s.Columns[0], &bias[0])
		return
	}
	sumRows16AVX2(&dst[0], 2*dstStride, &src[0], 2*srcStride, &s.Starts[0], n, &s.Columns[0], &bias[0])
}

func sumRows32(dst []float32, dstStride int, src []float32, srcStride int, s *Sparse) {
	if !hasAVX2 {
		sumRows32Portable(dst, dstStride, src, srcStride, s)
		return
	}
	n := len(s.Starts) - 1
	_, _ = dst[(n-1)*dstStride:][:columns32], s.Columns[:s.Starts[n]]
	if hasAVX512 {
		sumRows32AVX512(&dst[0], 4*dstStride, &src[0], 4*srcStride, &s.Starts[0], n, &s.Columns[0])
		return
	}
	sumRows32AVX2(&dst[0], 4*dstStride, &src[0], 4*srcStride, &s.Starts[0], n, &s.Columns[0])
	sumRows32AVX2(&dst[columns32/2], 4*dstStride, &src[columns32/2], 4*srcStride, &s.Starts[0], n, &s.Columns[0])
}

func dequantize(dst []float32, acc []int16) {
	if !hasAVX2 {
		dequantizePortable(dst, acc)
		return
	}
	dequantizeAVX2(dst[:len(acc)], acc)
}

func screlu(x, w []float32) float32 {
	if !hasAVX2 {
		return screluPortable(x, w)
	}
	return screluAVX2(x, w[:len(x)])
}

func screluGradient(x, w []float32, slope float32, gradW, delta []float32) {
	if !hasAVX2 {
		screluGradientPortable(x, w, slope, gradW, delta)
		return
	}
	screluGradientAVX2(x, w[:len(x)], slope, gradW[:len(x)], delta[:len(x)])
}

func multiplyPairs(products []float32, acc []int16) {
	if !hasAVX2 {
		multiplyPairsPortable(products, acc)
		return
	}
	multiplyPairsAVX2(products, acc[:2*len(products)])
}

func addColumns(out, inputs, weights []float32, stride int) {
	if !hasAVX2 {
		addColumnsPortable(out, inputs, weights, stride)
		return
	}
	_, _ = out[:layerColumns], weights[(len(inputs)-1)*stride:][:layerColumns]
	addColumnsAVX2(&out[0], inputs, &weights[0], 4*stride)
}

func columnsGradient(gradient, deltaInputs, weights, inputs, delta []float32, stride int) {
	if !hasAVX2 {
		columnsGradientPortable(gradient, deltaInputs, weights, inputs, delta, stride)
		return
	}
	last := (len(inputs) - 1) * stride
	_, _, _ = gradient[last:][:layerColumns], weights[last:][:layerColumns], delta[:layerColumns]
	columnsGradientAVX2(&gradient[0], deltaInputs[:len(inputs)], &weights[0], inputs, &delta[0], 4*stride)
}

func pairGradient(delta []float32, acc []int16, deltaProducts []float32) {
	if !hasAVX2 {
		pairGradientPortable(delta, acc, deltaProducts)
		return
	}
	n := len(deltaProducts)
	pairGradientAVX2(delta[:2*n], acc[:2*n], deltaProducts)
}

func applyAdam(weights, gradient, m, v, limits []float32, s *AdamStep) {
	whole := 0
	if hasAVX2 {
		n := len(gradient)
		whole = n &^ 7
		applyAdamAVX2(weights[:n], gradient[:whole], m[:n], v[:n], limits[:n], s)
	}
	applyAdamPortable(weights[whole:], gradient[whole:], m[whole:], v[whole:], limits[whole:], s)
}

//go:noescape
func quantizeAVX2(dst []int16, src []float32)

// Strides are in bytes.
//
//go:noescape
func sumRows16AVX2(dst *int16, dstStride int, src *int16, srcStride int, starts *uint32, rows int, columns *uint16, bias *int16)

//go:noescape
func sumRows16AVX512(dst *int16, dstStride int, src *int16, srcStride int, starts *uint32, rows int, columns *uint16, bias *int16)

// sumRows32AVX2 computes half of columns32.
//
//go:noescape
func sumRows32AVX2(dst *float32, dstStride int, src *float32, srcStride int, starts *uint32, rows int, columns *uint16)

//go:noescape
func sumRows32AVX512(dst *float32, dstStride int, src *float32, srcStride int, starts *uint32, rows int, columns *uint16)

//go:noescape
func dequantizeAVX2(dst []float32, acc []int16)

//go:noescape
func screluAVX2(x, w []float32) float32

//go:noescape
func screluGradientAVX2(x, w []float32, slope float32, gradW, delta []float32)

//go:noescape
func multiplyPairsAVX2(products []float32, acc []int16)

// addColumnsAVX2 and columnsGradientAVX2 are for numbers of inputs that are multiples of 4.
// Strides are in bytes.
//
//go:noescape
func addColumnsAVX2(out *float32, inputs []float32, weights *float32, stride int)

//go:noescape
func columnsGradientAVX2(gradient *float32, deltaInputs []float32, weights *float32, inputs []float32, delta *float32, stride int)

//go:noescape
func pairGradientAVX2(delta []float32, acc []int16, deltaProducts []float32)

//go:noescape
func applyAdamAVX2(weights, gradient, m, v, limits []float32, s *AdamStep)
