#include "textflag.h"

DATA units<>+0(SB)/4, $0x3b808081  // 1/255
DATA units<>+4(SB)/4, $0x37810182  // 1/255²
GLOBL units<>(SB), RODATA|NOPTR, $8

// func multiplyPairsAVX2(products []float32, acc []int16)
// 32 pairs at a time. Products fit uint16.
TEXT ·multiplyPairsAVX2(SB), NOSPLIT, $0-48
	MOVQ products_base+0(FP), DI
	MOVQ products_len+8(FP), CX
	MOVQ acc_base+24(FP), SI
	LEAQ (SI)(CX*2), DX       // the second half
	XORQ BX, BX
	VPXOR Y15, Y15, Y15       // zero
	MOVL  $255, AX
	VMOVD AX, X14
	VPBROADCASTW X14, Y14     // 255
	VBROADCASTSS units<>+4(SB), Y13

loop:
	VPMAXSW (SI)(BX*2), Y15, Y0
	VPMAXSW 32(SI)(BX*2), Y15, Y1
	VPMAXSW (DX)(BX*2), Y15, Y2
	VPMAXSW 32(DX)(BX*2), Y15, Y3
	VPMINSW Y14, Y0, Y0
	VPMINSW Y14, Y1, Y1
	VPMINSW Y14, Y2, Y2
	VPMINSW Y14, Y3, Y3
	VPMULLW Y2, Y0, Y0
	VPMULLW Y3, Y1, Y1
	VEXTRACTI128 $1, Y0, X2
	VEXTRACTI128 $1, Y1, X3
	VPMOVZXWD X0, Y0
	VPMOVZXWD X2, Y2
	VPMOVZXWD X1, Y1
	VPMOVZXWD X3, Y3
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y1, Y1
	VCVTDQ2PS Y3, Y3
	VMULPS    Y13, Y0, Y0
	VMULPS    Y13, Y2, Y2
	VMULPS    Y13, Y1, Y1
	VMULPS    Y13, Y3, Y3
	VMOVUPS   Y0, (DI)(BX*4)
	VMOVUPS   Y2, 32(DI)(BX*4)
	VMOVUPS   Y1, 64(DI)(BX*4)
	VMOVUPS   Y3, 96(DI)(BX*4)
	ADDQ      $32, BX
	CMPQ      BX, CX
	JLT       loop
	VZEROUPPER
	RET

// func addColumnsAVX2(out *float32, inputs []float32, weights *float32, stride int)
// Four inputs at a time, so that the next additions need not wait for the last.
TEXT ·addColumnsAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ inputs_base+8(FP), SI
	MOVQ inputs_len+16(FP), CX
	MOVQ weights+32(FP), DX
	MOVQ stride+40(FP), R8
	LEAQ (R8)(R8*2), R9       // 3 rows
	LEAQ (SI)(CX*4), CX       // end of the inputs
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

loop:
	VBROADCASTSS (SI), Y8
	VMULPS (DX), Y8, Y9
	VMULPS 32(DX), Y8, Y10
	VADDPS Y9, Y0, Y0
	VADDPS Y10, Y1, Y1
	VBROADCASTSS 4(SI), Y8
	VMULPS (DX)(R8*1), Y8, Y9
	VMULPS 32(DX)(R8*1), Y8, Y10
	VADDPS Y9, Y2, Y2
	VADDPS Y10, Y3, Y3
	VBROADCASTSS 8(SI), Y8
	VMULPS (DX)(R8*2), Y8, Y9
	VMULPS 32(DX)(R8*2), Y8, Y10
	VADDPS Y9, Y4, Y4
	VADDPS Y10, Y5, Y5
	VBROADCASTSS 12(SI), Y8
	VMULPS (DX)(R9*1), Y8, Y9
	VMULPS 32(DX)(R9*1), Y8, Y10
	VADDPS Y9, Y6, Y6
	VADDPS Y10, Y7, Y7
	ADDQ $16, SI
	LEAQ (DX)(R8*4), DX
	CMPQ SI, CX
	JLT  loop

	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	VADDPS  Y6, Y4, Y4
	VADDPS  Y7, Y5, Y5
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  (DI), Y0, Y0
	VADDPS  32(DI), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	RET

// func columnsGradientAVX2(gradient *float32, deltaInputs []float32, weights *float32, inputs []float32, delta *float32, stride int)
// Four inputs at a time: the products of their rows by delta are in Y4 to Y7.
TEXT ·columnsGradientAVX2(SB), NOSPLIT, $0-80
	MOVQ gradient+0(FP), DI
	MOVQ deltaInputs_base+8(FP), R12
	MOVQ weights+32(FP), DX
	MOVQ inputs_base+40(FP), SI
	MOVQ inputs_len+48(FP), CX
	MOVQ delta+64(FP), AX
	MOVQ stride+72(FP), R8
	LEAQ (R8)(R8*2), R9       // 3 rows
	LEAQ (SI)(CX*4), CX       // end of the inputs
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1

loop:
	VBROADCASTSS (SI), Y2
	VMULPS  Y0, Y2, Y3
	VMULPS  Y1, Y2, Y2
	VADDPS  (DI), Y3, Y3
	VADDPS  32(DI), Y2, Y2
	VMOVUPS Y3, (DI)
	VMOVUPS Y2, 32(DI)
	VMULPS  (DX), Y0, Y4
	VMULPS  32(DX), Y1, Y8
	VADDPS  Y8, Y4, Y4
	VBROADCASTSS 4(SI), Y2
	VMULPS  Y0, Y2, Y3
	VMULPS  Y1, Y2, Y2
	VADDPS  (DI)(R8*1), Y3, Y3
	VADDPS  32(DI)(R8*1), Y2, Y2
	VMOVUPS Y3, (DI)(R8*1)
	VMOVUPS Y2, 32(DI)(R8*1)
	VMULPS  (DX)(R8*1), Y0, Y5
	VMULPS  32(DX)(R8*1), Y1, Y8
	VADDPS  Y8, Y5, Y5
	VBROADCASTSS 8(SI), Y2
	VMULPS  Y0, Y2, Y3
	VMULPS  Y1, Y2, Y2
	VADDPS  (DI)(R8*2), Y3, Y3
	VADDPS  32(DI)(R8*2), Y2, Y2
	VMOVUPS Y3, (DI)(R8*2)
	VMOVUPS Y2, 32(DI)(R8*2)
	VMULPS  (DX)(R8*2), Y0, Y6
	VMULPS  32(DX)(R8*2), Y1, Y8
	VADDPS  Y8, Y6, Y6
	VBROADCASTSS 12(SI), Y2
	VMULPS  Y0, Y2, Y3
	VMULPS  Y1, Y2, Y2
	VADDPS  (DI)(R9*1), Y3, Y3
	VADDPS  32(DI)(R9*1), Y2, Y2
	VMOVUPS Y3, (DI)(R9*1)
	VMOVUPS Y2, 32(DI)(R9*1)
	VMULPS  (DX)(R9*1), Y0, Y7
	VMULPS  32(DX)(R9*1), Y1, Y8
	VADDPS  Y8, Y7, Y7
	VHADDPS Y5, Y4, Y4
	VHADDPS Y7, Y6, Y6
	VHADDPS Y6, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VADDPS  X5, X4, X4
	VADDPS  (R12), X4, X4
	VMOVUPS X4, (R12)
	ADDQ $16, SI
	ADDQ $16, R12
	LEAQ (DX)(R8*4), DX
	LEAQ (DI)(R8*4), DI
	CMPQ SI, CX
	JLT  loop
	VZEROUPPER
	RET

// func pairGradientAVX2(delta []float32, acc []int16, deltaProducts []float32)
// Sixteen pairs at a time. A derivative is 0 where its own number is clipped.
TEXT ·pairGradientAVX2(SB), NOSPLIT, $0-72
	MOVQ delta_base+0(FP), DI
	MOVQ acc_base+24(FP), SI
	MOVQ deltaProducts_base+48(FP), DX
	MOVQ deltaProducts_len+56(FP), CX
	LEAQ (DI)(CX*4), R8       // second half of delta
	LEAQ (SI)(CX*2), R9       // second half of acc
	XORQ BX, BX
	VPXOR Y15, Y15, Y15       // zero
	MOVL  $255, AX
	VMOVD AX, X14
	VPBROADCASTW X14, Y14     // 255
	VBROADCASTSS units<>+0(SB), Y13

loop:
	VMOVDQU  (SI)(BX*2), Y0
	VMOVDQU  (R9)(BX*2), Y1
	VPCMPGTW Y15, Y0, Y2      // a > 0
	VPCMPGTW Y0, Y14, Y3      // 255 > a
	VPAND    Y2, Y3, Y2
	VPCMPGTW Y15, Y1, Y4      // b > 0
	VPCMPGTW Y1, Y14, Y5      // 255 > b
	VPAND    Y4, Y5, Y4
	VPMAXSW  Y15, Y0, Y0
	VPMINSW  Y14, Y0, Y0
	VPMAXSW  Y15, Y1, Y1
	VPMINSW  Y14, Y1, Y1
	VMOVUPS  (DX)(BX*4), Y6
	VMOVUPS  32(DX)(BX*4), Y7

	VPMOVSXWD X1, Y8
	VCVTDQ2PS Y8, Y8
	VMULPS    Y13, Y8, Y8
	VMULPS    Y6, Y8, Y8
	VPMOVSXWD X2, Y9
	VANDPS    Y9, Y8, Y8
	VMOVUPS   Y8, (DI)(BX*4)
	VPMOVSXWD X0, Y8
	VCVTDQ2PS Y8, Y8
	VMULPS    Y13, Y8, Y8
	VMULPS    Y6, Y8, Y8
	VPMOVSXWD X4, Y9
	VANDPS    Y9, Y8, Y8
	VMOVUPS   Y8, (R8)(BX*4)

	VEXTRACTI128 $1, Y0, X0
	VEXTRACTI128 $1, Y1, X1
	VEXTRACTI128 $1, Y2, X2
	VEXTRACTI128 $1, Y4, X4
	VPMOVSXWD X1, Y8
	VCVTDQ2PS Y8, Y8
	VMULPS    Y13, Y8, Y8
	VMULPS    Y7, Y8, Y8
	VPMOVSXWD X2, Y9
	VANDPS    Y9, Y8, Y8
	VMOVUPS   Y8, 32(DI)(BX*4)
	VPMOVSXWD X0, Y8
	VCVTDQ2PS Y8, Y8
	VMULPS    Y13, Y8, Y8
	VMULPS    Y7, Y8, Y8
	VPMOVSXWD X4, Y9
	VANDPS    Y9, Y8, Y8
	VMOVUPS   Y8, 32(R8)(BX*4)
	ADDQ      $16, BX
	CMPQ      BX, CX
	JLT       loop
	VZEROUPPER
	RET

// func applyAdamAVX2(weights, gradient, m, v, limits []float32, s *adamStep)
TEXT ·applyAdamAVX2(SB), NOSPLIT, $0-128
	MOVQ weights_base+0(FP), DI
	MOVQ gradient_base+24(FP), SI
	MOVQ gradient_len+32(FP), CX
	MOVQ m_base+48(FP), R8
	MOVQ v_base+72(FP), R9
	MOVQ limits_base+96(FP), R10
	MOVQ s+120(FP), DX
	VBROADCASTSS (DX), Y15    // gradient scale
	VBROADCASTSS 4(DX), Y14   // learning rate
	VBROADCASTSS 8(DX), Y13   // bias correction of v
	VBROADCASTSS 12(DX), Y12  // weight decay
	VBROADCASTSS 16(DX), Y11  // 1 - beta1
	VBROADCASTSS 20(DX), Y10  // 1 - beta2
	VBROADCASTSS 24(DX), Y9   // epsilon
	VXORPS Y8, Y8, Y8
	XORQ BX, BX
	JMP  test

loop:
	VMULPS  (SI)(BX*4), Y15, Y0
	VMOVUPS (R8)(BX*4), Y1
	VSUBPS  Y1, Y0, Y2
	VMULPS  Y11, Y2, Y2
	VADDPS  Y2, Y1, Y1
	VMOVUPS Y1, (R8)(BX*4)
	VMULPS  Y0, Y0, Y0
	VMOVUPS (R9)(BX*4), Y2
	VSUBPS  Y2, Y0, Y0
	VMULPS  Y10, Y0, Y0
	VADDPS  Y0, Y2, Y2
	VMOVUPS Y2, (R9)(BX*4)
	VMULPS  Y13, Y2, Y2
	VSQRTPS Y2, Y2
	VADDPS  Y9, Y2, Y2
	VMULPS  Y14, Y1, Y1
	VDIVPS  Y2, Y1, Y1
	VMULPS  (DI)(BX*4), Y12, Y2
	VSUBPS  Y1, Y2, Y2
	VMOVUPS (R10)(BX*4), Y3
	VMINPS  Y3, Y2, Y2
	VSUBPS  Y3, Y8, Y3
	VMAXPS  Y3, Y2, Y2
	VMOVUPS Y2, (DI)(BX*4)
	ADDQ    $8, BX
test:
	CMPQ BX, CX
	JLT  loop
	VZEROUPPER
	RET
