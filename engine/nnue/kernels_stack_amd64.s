#include "textflag.h"

// The layout of tail.
#define denseBias 64
#define hidden 128
#define hiddenBias 2176
#define outputWeights 2304
#define outputBias 2432

// OUTPUT sums the lanes of Y0, as pairs at distances of 4, 2 and 1, and adds the bias.
#define OUTPUT \
	VEXTRACTF128 $1, Y0, X1;   \
	VADDPS    X1, X0, X0;      \
	VPERMILPS $0x4e, X0, X1;   \
	VADDPS    X1, X0, X0;      \
	VPERMILPS $0xb1, X0, X1;   \
	VADDSS    X1, X0, X0;      \
	VADDSS    outputBias(DX), X0, X0

// ALL does one operation on each of Y0 to Y3, with an operand for each.
#define ALL(op, a, b, c, d) \
	op a, Y0, Y0; \
	op b, Y1, Y1; \
	op c, Y2, Y2; \
	op d, Y3, Y3

// DENSE adds two times four inputs, each times those of 16 neurons, to Y0, Y1 and Y2, Y3.
#define DENSE(offset, a, b) \
	VPMADDUBSW (offset)(R9), a, Y8;     \
	VPMADDUBSW (offset+32)(R9), a, Y9;  \
	VPMADDUBSW (offset+64)(R9), b, Y10; \
	VPMADDUBSW (offset+96)(R9), b, Y11; \
	VPMADDWD Y13, Y8, Y8;   \
	VPMADDWD Y13, Y9, Y9;   \
	VPMADDWD Y13, Y10, Y10; \
	VPMADDWD Y13, Y11, Y11; \
	ALL(VPADDD, Y8, Y9, Y10, Y11)

// PAIR adds a pair of inputs, times those of 32 neurons, to Y0 to Y3.
#define PAIR(offset, a) \
	VPMADDWD (offset)(AX), a, Y6;    \
	VPMADDWD (offset+32)(AX), a, Y7; \
	VPMADDWD (offset+64)(AX), a, Y8; \
	VPMADDWD (offset+96)(AX), a, Y9; \
	ALL(VPADDD, Y6, Y7, Y8, Y9)

// func runStackAVX2(own, other *int16, width int, dense *int8, t *tail, inputs *uint8) float32
// The inputs of the hidden layer are on the stack: 16 squares, then 16 clipped.
TEXT ·runStackAVX2(SB), NOSPLIT, $64-52
	MOVQ own+0(FP), SI
	MOVQ other+8(FP), R8
	MOVQ width+16(FP), R12    // also the bytes of half a perspective
	MOVQ dense+24(FP), R9
	MOVQ t+32(FP), DX
	MOVQ inputs+40(FP), DI
	MOVQ DI, R10
	MOVQ  $2, R11             // perspectives left
	VPXOR Y15, Y15, Y15       // zero
	MOVL  $255, AX
	VMOVD AX, X14
	VPBROADCASTW X14, Y14     // 255
	VPCMPEQW Y13, Y13, Y13
	VPSRLW   $15, Y13, Y13    // ones

// The rounding high multiplication of 64 a by b is (a b + 256) >> 9. A product with a
// negative b is packed to zero.
perspective:
	LEAQ (SI)(R12*1), R13     // the second half
products:
	VPMAXSW   (SI), Y15, Y0
	VPMAXSW   32(SI), Y15, Y1
	VPMINSW   (SI)(R12*1), Y14, Y2
	VPMINSW   32(SI)(R12*1), Y14, Y3
	VPMINSW   Y14, Y0, Y0
	VPMINSW   Y14, Y1, Y1
	VPSLLW    $6, Y0, Y0
	VPSLLW    $6, Y1, Y1
	VPMULHRSW Y2, Y0, Y0
	VPMULHRSW Y3, Y1, Y1
	VPACKUSWB Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $32, DI
	ADDQ      $64, SI
	CMPQ      SI, R13
	JNE       products
	MOVQ R8, SI
	DECQ R11
	JNZ  perspective
	ADDQ $64, DI              // the attack counts

// Four inputs at a time, in all lanes, times those of eight neurons in each register. Sums
// of two products are at most 2 127 127, so that VPMADDUBSW does not saturate.
	ALL(VPXOR, Y0, Y1, Y2, Y3)
dense:
	VPBROADCASTD (R10), Y4
	VPBROADCASTD 4(R10), Y5
	VPBROADCASTD 8(R10), Y6
	VPBROADCASTD 12(R10), Y7
	DENSE(0, Y4, Y5)
	DENSE(128, Y6, Y7)
	ADDQ         $256, R9
	ADDQ         $16, R10
	CMPQ         R10, DI
	JNE          dense
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1

	MOVL  $0x3f800000, AX
	VMOVD AX, X14
	VBROADCASTSS X14, Y14     // one
	MOVL  $0x45000000, AX
	VMOVD AX, X13
	VBROADCASTSS X13, Y13     // hiddenInputUnits
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
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

	ALL(VPXOR, Y0, Y1, Y2, Y3)
	LEAQ  in-64(SP), SI
	LEAQ  64(SI), CX
	LEAQ  hidden(DX), AX

pairs:
	VPBROADCASTD (SI), Y4
	VPBROADCASTD 4(SI), Y5
	PAIR(0, Y4)
	PAIR(128, Y5)
	ADDQ         $8, SI
	ADDQ         $256, AX
	CMPQ         SI, CX
	JLT          pairs

	MOVL $0x35000000, AX
	VMOVD AX, X13
	VBROADCASTSS X13, Y13     // hiddenUnit
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y3, Y3
	ALL(VMULPS, Y13, Y13, Y13, Y13)
	ALL(VADDPS, hiddenBias(DX), (hiddenBias+32)(DX), (hiddenBias+64)(DX), (hiddenBias+96)(DX))
	ALL(VMAXPS, Y15, Y15, Y15, Y15)
	ALL(VMINPS, Y14, Y14, Y14, Y14)
	ALL(VMULPS, Y0, Y1, Y2, Y3)
	ALL(VMULPS, outputWeights(DX), (outputWeights+32)(DX), (outputWeights+64)(DX), (outputWeights+96)(DX))
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0

	OUTPUT
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func runStackVNNI(own, other *int16, width int, dense *int8, t *tail, inputs *uint8) float32
// As runStackAVX2, with all 16 or 32 neurons of a layer in one or two registers.
TEXT ·runStackVNNI(SB), NOSPLIT, $64-52
	MOVQ own+0(FP), SI
	MOVQ other+8(FP), R8
	MOVQ width+16(FP), CX
	MOVQ dense+24(FP), R9
	MOVQ t+32(FP), DX
	MOVQ inputs+40(FP), DI
	VPXORQ Z31, Z31, Z31      // zero
	MOVL   $255, AX
	VPBROADCASTW AX, Z30      // 255
	MOVQ   DI, R10            // inputs
	MOVQ   $2, R11            // perspectives left

perspective:
	LEAQ (SI)(CX*1), R12      // the second half
	XORQ BX, BX

products:
	VPMAXSW   (SI)(BX*2), Z31, Z0
	VPMAXSW   (R12)(BX*2), Z31, Z1
	VPMINSW   Z30, Z0, Z0
	VPMINSW   Z30, Z1, Z1
	VPSLLW    $6, Z0, Z0
	VPMULHRSW Z1, Z0, Z0
	VPMOVWB   Z0, (DI)
	ADDQ      $32, DI
	ADDQ      $32, BX
	LEAQ      (BX)(BX*1), AX
	CMPQ      AX, CX
	JLT       products
	MOVQ      R8, SI
	DECQ      R11
	JNZ       perspective
	ADDQ      $64, DI         // the attack counts

	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
dense:
	VPBROADCASTD (R10), Z4
	VPBROADCASTD 4(R10), Z5
	VPBROADCASTD 8(R10), Z6
	VPBROADCASTD 12(R10), Z7
	VPDPBUSD     (R9), Z4, Z0
	VPDPBUSD     64(R9), Z5, Z1
	VPDPBUSD     128(R9), Z6, Z2
	VPDPBUSD     192(R9), Z7, Z3
	ADDQ         $256, R9
	ADDQ         $16, R10
	CMPQ         R10, DI
	JLT          dense
	VPADDD Z1, Z0, Z0
	VPADDD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0

	MOVL $0x3f800000, AX
	VPBROADCASTD AX, Z30      // one
	MOVL $0x45000000, AX
	VPBROADCASTD AX, Z29      // hiddenInputUnits
	VCVTDQ2PS Z0, Z0
	VMULPS    (DX), Z0, Z0
	VADDPS    denseBias(DX), Z0, Z0
	VMULPS    Z0, Z0, Z1
	VMINPS    Z30, Z1, Z1
	VMAXPS    Z31, Z0, Z0
	VMINPS    Z30, Z0, Z0
	VMULPS    Z29, Z1, Z1
	VMULPS    Z29, Z0, Z0
	VCVTPS2DQ Z1, Z1
	VCVTPS2DQ Z0, Z0
	VPMOVSDW  Z1, in-64(SP)
	VPMOVSDW  Z0, in-32(SP)

	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	LEAQ in-64(SP), SI
	LEAQ 64(SI), CX
	LEAQ hidden(DX), AX
pairs:
	VPBROADCASTD (SI), Z8
	VPBROADCASTD 4(SI), Z9
	VPBROADCASTD 8(SI), Z10
	VPBROADCASTD 12(SI), Z11
	VPDPWSSD     (AX), Z8, Z0
	VPDPWSSD     64(AX), Z8, Z1
	VPDPWSSD     128(AX), Z9, Z2
	VPDPWSSD     192(AX), Z9, Z3
	VPDPWSSD     256(AX), Z10, Z4
	VPDPWSSD     320(AX), Z10, Z5
	VPDPWSSD     384(AX), Z11, Z6
	VPDPWSSD     448(AX), Z11, Z7
	ADDQ         $16, SI
	ADDQ         $512, AX
	CMPQ         SI, CX
	JLT          pairs
	VPADDD Z2, Z0, Z0
	VPADDD Z3, Z1, Z1
	VPADDD Z6, Z4, Z4
	VPADDD Z7, Z5, Z5
	VPADDD Z4, Z0, Z0
	VPADDD Z5, Z1, Z1

	MOVL $0x35000000, AX
	VPBROADCASTD AX, Z29      // hiddenUnit
	VCVTDQ2PS Z0, Z0
	VCVTDQ2PS Z1, Z1
	VMULPS Z29, Z0, Z0
	VMULPS Z29, Z1, Z1
	VADDPS hiddenBias(DX), Z0, Z0
	VADDPS (hiddenBias+64)(DX), Z1, Z1
	VMAXPS Z31, Z0, Z0
	VMAXPS Z31, Z1, Z1
	VMINPS Z30, Z0, Z0
	VMINPS Z30, Z1, Z1
	VMULPS Z0, Z0, Z0
	VMULPS Z1, Z1, Z1
	VMULPS outputWeights(DX), Z0, Z0
	VMULPS (outputWeights+64)(DX), Z1, Z1
	VEXTRACTF64X4 $1, Z0, Y2
	VEXTRACTF64X4 $1, Z1, Y3
	VADDPS Y2, Y0, Y0         // neurons 0+8 ... 7+15
	VADDPS Y3, Y1, Y1
	VADDPS Y1, Y0, Y0

	OUTPUT
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET
