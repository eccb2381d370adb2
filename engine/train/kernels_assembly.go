package train

// The assembly is only called where simd.AVX2 and simd.AVX512 are true. It relies on the bounds
// that its callers check.

//go:noescape
func quantizeAVX2(dst []int16, src []float32)

// Strides are in bytes.
//
//go:noescape
func sumRows16AVX2(dst *int16, dstStride int, src *int16, srcStride int, starts *uint32, rows int, columns *uint16,
	bias *int16)

//go:noescape
func sumRows16AVX512(dst *int16, dstStride int, src *int16, srcStride int, starts *uint32, rows int, columns *uint16,
	bias *int16)

//go:noescape
func sumRows32AVX2(dst *float32, dstStride int, src *float32, srcStride int, starts *uint32, rows int, columns *uint16)

//go:noescape
func sumRows32AVX512(dst *float32, dstStride int, src *float32, srcStride int, starts *uint32, rows int,
	columns *uint16)

//go:noescape
func multiplyPairsAVX2(products []float32, acc []int16)

// addColumnsAVX2 and columnsGradientAVX2 are for numbers of inputs that are multiples of 4.
// Strides are in bytes.
//
//go:noescape
func addColumnsAVX2(out *float32, inputs []float32, weights *float32, stride int)

//go:noescape
func columnsGradientAVX2(gradient *float32, deltaInputs []float32, weights *float32, inputs []float32, delta *float32,
	stride int)

//go:noescape
func pairGradientAVX2(delta []float32, acc []int16, deltaProducts []float32)

//go:noescape
func applyAdamAVX2(weights, gradient, m, v, limits []float32, s *adamStep)
