#include "textflag.h"

// func multiplyPairsAVX2(dst []uint8, acc []int16)
// The rounding high multiplication of 64 a by b is (a b + 256) >> 9.
TEXT ·multiplyPairsAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ acc_base+24(FP), SI
	LEAQ (SI)(CX*2), DX       // the second half
	XORQ BX, BX
	VPXOR Y15, Y15, Y15       // zero
	MOVL  $255, AX
	MOVQ  AX, X14
	VPBROADCASTW X14, Y14     // 255

loop:
	VPMAXSW    (SI)(BX*2), Y15, Y0
	VPMAXSW    32(SI)(BX*2), Y15, Y1
	VPMAXSW    (DX)(BX*2), Y15, Y2
	VPMAXSW    32(DX)(BX*2), Y15, Y3
	VPMINSW    Y14, Y0, Y0
	VPMINSW    Y14, Y1, Y1
	VPMINSW    Y14, Y2, Y2
	VPMINSW    Y14, Y3, Y3
	VPSLLW     $6, Y0, Y0
	VPSLLW     $6, Y1, Y1
	VPMULHRSW  Y2, Y0, Y0
	VPMULHRSW  Y3, Y1, Y1
	VPACKUSWB  Y1, Y0, Y0
	VPERMQ     $0xd8, Y0, Y0
	VMOVDQU    Y0, (DI)(BX*1)
	ADDQ       $32, BX
	CMPQ       BX, CX
	JLT        loop
	VZEROUPPER
	RET

// func denseSumsAVX2(sums *[16]int32, inputs []uint8, weights []int8)
// Four inputs at a time, in all lanes, times those of eight neurons in each register. Sums
// of two products are at most 2 127 127, so that VPMADDUBSW does not saturate.
TEXT ·denseSumsAVX2(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), DI
	MOVQ inputs_base+8(FP), SI
	MOVQ inputs_len+16(FP), CX
	MOVQ weights_base+32(FP), DX
	ADDQ SI, CX               // end
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPCMPEQW Y15, Y15, Y15
	VPSRLW   $15, Y15, Y15    // ones

loop:
	VPBROADCASTD (SI), Y4
	VPBROADCASTD 4(SI), Y5
	VPMADDUBSW   (DX), Y4, Y6
	VPMADDUBSW   32(DX), Y4, Y7
	VPMADDUBSW   64(DX), Y5, Y8
	VPMADDUBSW   96(DX), Y5, Y9
	VPMADDWD     Y15, Y6, Y6
	VPMADDWD     Y15, Y7, Y7
	VPMADDWD     Y15, Y8, Y8
	VPMADDWD     Y15, Y9, Y9
	VPADDD       Y6, Y0, Y0
	VPADDD       Y7, Y1, Y1
	VPADDD       Y8, Y2, Y2
	VPADDD       Y9, Y3, Y3
	ADDQ         $128, DX
	ADDQ         $8, SI
	CMPQ         SI, CX
	JLT          loop

	VPADDD  Y2, Y0, Y0
	VPADDD  Y3, Y1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VZEROUPPER
	RET

// func denseSumsVNNI(sums *[16]int32, inputs []uint8, weights []int8)
// One register has all neurons.
TEXT ·denseSumsVNNI(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), DI
	MOVQ inputs_base+8(FP), SI
	MOVQ inputs_len+16(FP), CX
	MOVQ weights_base+32(FP), DX
	ADDQ SI, CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3

loop:
	VPBROADCASTD (SI), Z4
	VPBROADCASTD 4(SI), Z5
	VPBROADCASTD 8(SI), Z6
	VPBROADCASTD 12(SI), Z7
	VPDPBUSD     (DX), Z4, Z0
	VPDPBUSD     64(DX), Z5, Z1
	VPDPBUSD     128(DX), Z6, Z2
	VPDPBUSD     192(DX), Z7, Z3
	ADDQ         $256, DX
	ADDQ         $16, SI
	CMPQ         SI, CX
	JLT          loop

	VPADDD    Z1, Z0, Z0
	VPADDD    Z3, Z2, Z2
	VPADDD    Z2, Z0, Z0
	VMOVDQU32 Z0, (DI)
	VZEROUPPER
	RET

// The layout of tail.
#define denseBias 64
#define hidden 128
#define hiddenBias 2176
#define outputWeights 2304
#define outputBias 2432

// func runTailAVX2(sums *[16]int32, t *tail) float32
// The inputs of the hidden layer are on the stack: 16 squares, then 16 clipped.
TEXT ·runTailAVX2(SB), NOSPLIT, $64-20
	MOVQ sums+0(FP), SI
	MOVQ t+8(FP), DX
	VXORPS Y15, Y15, Y15      // zero
	MOVL   $0x3f800000, AX
	MOVQ   AX, X14
	VBROADCASTSS X14, Y14     // one
	MOVL   $0x45000000, AX
	MOVQ   AX, X13
	VBROADCASTSS X13, Y13     // hiddenInputUnits

	VCVTDQ2PS (SI), Y0
	VCVTDQ2PS 32(SI), Y1
	VMULPS    (DX), Y0, Y0
	VMULPS    32(DX), Y1, Y1
	VADDPS    denseBias(DX), Y0, Y0
	VADDPS    (denseBias+32)(DX), Y1, Y1
	VMULPS    Y0, Y0, Y2
	VMULPS    Y1, Y1, Y3
	VMINPS    Y14, Y2, Y2
	VMINPS    Y14, Y3, Y3
	VMAXPS    Y15, Y0, Y0
	VMAXPS    Y15, Y1, Y1
	VMINPS    Y14, Y0, Y0
	VMINPS    Y14, Y1, Y1
	VMULPS    Y13, Y2, Y2
	VMULPS    Y13, Y3, Y3
	VMULPS    Y13, Y0, Y0
	VMULPS    Y13, Y1, Y1
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y3, Y2, Y2
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y2, Y2
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y2, in-64(SP)
	VMOVDQU   Y0, in-32(SP)

	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	LEAQ  in-64(SP), SI
	LEAQ  64(SI), CX
	LEAQ  hidden(DX), AX

pairs:
	VPBROADCASTD (SI), Y4
	VPBROADCASTD 4(SI), Y5
	VPMADDWD     (AX), Y4, Y6
	VPMADDWD     32(AX), Y4, Y7
	VPMADDWD     64(AX), Y4, Y8
	VPMADDWD     96(AX), Y4, Y9
	VPADDD       Y6, Y0, Y0
	VPADDD       Y7, Y1, Y1
	VPADDD       Y8, Y2, Y2
	VPADDD       Y9, Y3, Y3
	VPMADDWD     128(AX), Y5, Y6
	VPMADDWD     160(AX), Y5, Y7
	VPMADDWD     192(AX), Y5, Y8
	VPMADDWD     224(AX), Y5, Y9
	VPADDD       Y6, Y0, Y0
	VPADDD       Y7, Y1, Y1
	VPADDD       Y8, Y2, Y2
	VPADDD       Y9, Y3, Y3
	ADDQ         $8, SI
	ADDQ         $256, AX
	CMPQ         SI, CX
	JLT          pairs

	MOVL $0x35000000, AX
	MOVQ AX, X13
	VBROADCASTSS X13, Y13     // hiddenUnit
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y3, Y3
	VMULPS Y13, Y0, Y0
	VMULPS Y13, Y1, Y1
	VMULPS Y13, Y2, Y2
	VMULPS Y13, Y3, Y3
	VADDPS hiddenBias(DX), Y0, Y0
	VADDPS (hiddenBias+32)(DX), Y1, Y1
	VADDPS (hiddenBias+64)(DX), Y2, Y2
	VADDPS (hiddenBias+96)(DX), Y3, Y3
	VMAXPS Y15, Y0, Y0
	VMAXPS Y15, Y1, Y1
	VMAXPS Y15, Y2, Y2
	VMAXPS Y15, Y3, Y3
	VMINPS Y14, Y0, Y0
	VMINPS Y14, Y1, Y1
	VMINPS Y14, Y2, Y2
	VMINPS Y14, Y3, Y3
	VMULPS Y0, Y0, Y0
	VMULPS Y1, Y1, Y1
	VMULPS Y2, Y2, Y2
	VMULPS Y3, Y3, Y3
	VMULPS outputWeights(DX), Y0, Y0
	VMULPS (outputWeights+32)(DX), Y1, Y1
	VMULPS (outputWeights+64)(DX), Y2, Y2
	VMULPS (outputWeights+96)(DX), Y3, Y3
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0

	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0   // lanes 0+4, 1+5, 2+6, 3+7
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VADDSS       outputBias(DX), X0, X0
	VMOVSS       X0, ret+16(FP)
	VZEROUPPER
	RET
