#include "textflag.h"

DATA units<>+0(SB)/4, $0x3b808081  // 1/255
DATA units<>+4(SB)/4, $0x37810182  // 1/255²
GLOBL units<>(SB), RODATA|NOPTR, $8

// func dequantizeAVX2(dst []float32, acc []int16)
TEXT ·dequantizeAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ acc_base+24(FP), SI
	MOVQ acc_len+32(FP), CX
	XORQ BX, BX
	VBROADCASTSS units<>+0(SB), Y15

loop:
	VPMOVSXWD (SI)(BX*2), Y0
	VPMOVSXWD 16(SI)(BX*2), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS    Y15, Y0, Y0
	VMULPS    Y15, Y1, Y1
	VMOVUPS   Y0, (DI)(BX*4)
	VMOVUPS   Y1, 32(DI)(BX*4)
	ADDQ      $16, BX
	CMPQ      BX, CX
	JLT       loop
	VZEROUPPER
	RET

// func multiplyPairsAVX2(products []float32, nonzero []uint64, acc []int16)
// 32 pairs at a time. Products fit uint16.
TEXT ·multiplyPairsAVX2(SB), NOSPLIT, $0-72
	MOVQ products_base+0(FP), DI
	MOVQ products_len+8(FP), CX
	MOVQ nonzero_base+24(FP), R8
	MOVQ acc_base+48(FP), SI
	LEAQ (SI)(CX*2), DX       // the second half
	XORQ BX, BX
	VPXOR Y15, Y15, Y15       // zero
	MOVL  $255, AX
	MOVQ  AX, X14
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
	VPCMPEQW  Y15, Y0, Y4
	VPCMPEQW  Y15, Y1, Y5
	VPACKSSWB Y5, Y4, Y4
	VPERMQ    $0xd8, Y4, Y4
	VPMOVMSKB Y4, AX
	NOTL      AX
	MOVL      AX, (R8)
	ADDQ      $4, R8
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

// func addLayerAVX2(out, inputs []float32, set []uint64, weights []float32)
// Sixteen outputs at a time.
TEXT ·addLayerAVX2(SB), NOSPLIT, $0-96
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), R8
	MOVQ weights_base+72(FP), DX
	SHLQ $2, R8               // bytes in a row of weights
	LEAQ (DI)(R8*1), R13      // end of the outputs

outputs:
	MOVQ inputs_base+24(FP), SI
	MOVQ set_base+48(FP), R9
	MOVQ set_len+56(FP), R10
	MOVQ DX, R11              // row of the first input of a word
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1

word:
	MOVQ  (R9), BX
	TESTQ BX, BX
	JZ    next
input:
	TZCNTQ BX, CX
	BLSRQ  BX, BX
	MOVQ   CX, AX
	IMULQ  R8, AX
	VBROADCASTSS (SI)(CX*4), Y2
	VMULPS (R11)(AX*1), Y2, Y3
	VMULPS 32(R11)(AX*1), Y2, Y4
	VADDPS Y3, Y0, Y0
	VADDPS Y4, Y1, Y1
	TESTQ  BX, BX
	JNZ    input
next:
	ADDQ $256, SI
	MOVQ R8, AX
	SHLQ $6, AX
	ADDQ AX, R11
	ADDQ $8, R9
	DECQ R10
	JNZ  word

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, DI
	ADDQ $64, DX
	CMPQ DI, R13
	JLT  outputs
	VZEROUPPER
	RET

// func layerGradientAVX2(gradient, deltaInputs, weights, inputs []float32, set []uint64, delta []float32)
TEXT ·layerGradientAVX2(SB), NOSPLIT, $0-144
	MOVQ gradient_base+0(FP), DI
	MOVQ deltaInputs_base+24(FP), R12
	MOVQ weights_base+48(FP), DX
	MOVQ inputs_base+72(FP), SI
	MOVQ set_base+96(FP), R9
	MOVQ set_len+104(FP), R10
	MOVQ delta_base+120(FP), R13
	MOVQ delta_len+128(FP), R8
	SHLQ $2, R8               // bytes in a row of weights

word:
	MOVQ  (R9), BX
	TESTQ BX, BX
	JZ    next
input:
	TZCNTQ BX, CX
	BLSRQ  BX, BX
	MOVQ   CX, AX
	IMULQ  R8, AX             // offset of the row
	VBROADCASTSS (SI)(CX*4), Y2
	VXORPS Y0, Y0, Y0
	XORQ   R11, R11
neurons:
	VMOVUPS (R13)(R11*1), Y3
	VMOVUPS 32(R13)(R11*1), Y4
	VMULPS  Y3, Y2, Y5
	VMULPS  Y4, Y2, Y6
	VADDPS  (DI)(AX*1), Y5, Y5
	VADDPS  32(DI)(AX*1), Y6, Y6
	VMULPS  (DX)(AX*1), Y3, Y3
	VMULPS  32(DX)(AX*1), Y4, Y4
	VMOVUPS Y5, (DI)(AX*1)
	VMOVUPS Y6, 32(DI)(AX*1)
	VADDPS  Y3, Y0, Y0
	VADDPS  Y4, Y0, Y0
	ADDQ    $64, AX
	ADDQ    $64, R11
	CMPQ    R11, R8
	JLT     neurons
	VEXTRACTF128 $1, Y0, X1
	VADDPS    X1, X0, X0
	VPERMILPS $0x4e, X0, X1
	VADDPS    X1, X0, X0
	VPERMILPS $0xb1, X0, X1
	VADDSS    X1, X0, X0
	VMOVSS    X0, (R12)(CX*4)
	TESTQ     BX, BX
	JNZ       input
next:
	ADDQ $256, SI
	ADDQ $256, R12
	MOVQ R8, AX
	SHLQ $6, AX
	ADDQ AX, DI
	ADDQ AX, DX
	ADDQ $8, R9
	DECQ R10
	JNZ  word
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
	MOVQ  AX, X14
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
	VBROADCASTSS (DX), Y15    // average
	VBROADCASTSS 4(DX), Y14   // rate
	VBROADCASTSS 8(DX), Y13   // correct
	VBROADCASTSS 12(DX), Y12  // shrink
	VBROADCASTSS 16(DX), Y11  // memory1
	VBROADCASTSS 20(DX), Y10  // memory2
	VBROADCASTSS 24(DX), Y9   // small
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
