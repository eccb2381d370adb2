#include "textflag.h"

// func gatherAVX2(dst, bias, weights []float32, rows []uint16)
// 64 floats at a time stay in Y0-Y7 while all rows are added.
TEXT ·gatherAVX2(SB), NOSPLIT, $0-96
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ bias_base+24(FP), SI
	MOVQ weights_base+48(FP), DX
	MOVQ rows_base+72(FP), R9
	MOVQ rows_len+80(FP), R10
	SHLQ $2, R8               // bytes in a row
	XORQ BX, BX               // offset of the block

block:
	VMOVUPS (SI)(BX*1), Y0
	VMOVUPS 32(SI)(BX*1), Y1
	VMOVUPS 64(SI)(BX*1), Y2
	VMOVUPS 96(SI)(BX*1), Y3
	VMOVUPS 128(SI)(BX*1), Y4
	VMOVUPS 160(SI)(BX*1), Y5
	VMOVUPS 192(SI)(BX*1), Y6
	VMOVUPS 224(SI)(BX*1), Y7
	XORQ    CX, CX
	JMP     next
row:
	MOVWQZX (R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VADDPS  (AX)(BX*1), Y0, Y0
	VADDPS  32(AX)(BX*1), Y1, Y1
	VADDPS  64(AX)(BX*1), Y2, Y2
	VADDPS  96(AX)(BX*1), Y3, Y3
	VADDPS  128(AX)(BX*1), Y4, Y4
	VADDPS  160(AX)(BX*1), Y5, Y5
	VADDPS  192(AX)(BX*1), Y6, Y6
	VADDPS  224(AX)(BX*1), Y7, Y7
	INCQ    CX
next:
	CMPQ CX, R10
	JLT  row

	VMOVUPS Y0, (DI)(BX*1)
	VMOVUPS Y1, 32(DI)(BX*1)
	VMOVUPS Y2, 64(DI)(BX*1)
	VMOVUPS Y3, 96(DI)(BX*1)
	VMOVUPS Y4, 128(DI)(BX*1)
	VMOVUPS Y5, 160(DI)(BX*1)
	VMOVUPS Y6, 192(DI)(BX*1)
	VMOVUPS Y7, 224(DI)(BX*1)
	ADDQ    $256, BX
	CMPQ    BX, R8
	JLT     block
	VZEROUPPER
	RET

// func scatterAVX2(grad, delta []float32, rows []uint16)
TEXT ·scatterAVX2(SB), NOSPLIT, $0-72
	MOVQ grad_base+0(FP), DX
	MOVQ delta_base+24(FP), SI
	MOVQ delta_len+32(FP), R8
	MOVQ rows_base+48(FP), R9
	MOVQ rows_len+56(FP), R10
	SHLQ $2, R8
	XORQ BX, BX

block:
	VMOVUPS (SI)(BX*1), Y0
	VMOVUPS 32(SI)(BX*1), Y1
	VMOVUPS 64(SI)(BX*1), Y2
	VMOVUPS 96(SI)(BX*1), Y3
	VMOVUPS 128(SI)(BX*1), Y4
	VMOVUPS 160(SI)(BX*1), Y5
	VMOVUPS 192(SI)(BX*1), Y6
	VMOVUPS 224(SI)(BX*1), Y7
	XORQ    CX, CX
	JMP     next
row:
	MOVWQZX (R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	ADDQ    BX, AX
	VADDPS  (AX), Y0, Y8
	VADDPS  32(AX), Y1, Y9
	VADDPS  64(AX), Y2, Y10
	VADDPS  96(AX), Y3, Y11
	VADDPS  128(AX), Y4, Y12
	VADDPS  160(AX), Y5, Y13
	VADDPS  192(AX), Y6, Y14
	VADDPS  224(AX), Y7, Y15
	VMOVUPS Y8, (AX)
	VMOVUPS Y9, 32(AX)
	VMOVUPS Y10, 64(AX)
	VMOVUPS Y11, 96(AX)
	VMOVUPS Y12, 128(AX)
	VMOVUPS Y13, 160(AX)
	VMOVUPS Y14, 192(AX)
	VMOVUPS Y15, 224(AX)
	INCQ    CX
next:
	CMPQ CX, R10
	JLT  row
	ADDQ $256, BX
	CMPQ BX, R8
	JLT  block
	VZEROUPPER
	RET

// func forwardAVX2(x, w []float32) float32
TEXT ·forwardAVX2(SB), NOSPLIT, $0-52
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   w_base+24(FP), DX
	SHLQ   $2, CX
	XORQ   BX, BX
	VXORPS Y15, Y15, Y15      // zero
	MOVL   $0x3f800000, AX
	MOVQ   AX, X14
	VBROADCASTSS X14, Y14     // one
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VMAXPS (SI)(BX*1), Y15, Y2
	VMAXPS 32(SI)(BX*1), Y15, Y3
	VMINPS Y14, Y2, Y2
	VMINPS Y14, Y3, Y3
	VMULPS Y2, Y2, Y2
	VMULPS Y3, Y3, Y3
	VMULPS (DX)(BX*1), Y2, Y2
	VMULPS 32(DX)(BX*1), Y3, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	ADDQ   $64, BX
	CMPQ   BX, CX
	JLT    loop

	VADDPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0   // quarters
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0   // 0+2, 1+3
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, ret+48(FP)
	VZEROUPPER
	RET

// func backwardAVX2(x, w []float32, slope float32, gradW, delta []float32)
TEXT ·backwardAVX2(SB), NOSPLIT, $0-104
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   w_base+24(FP), DX
	VBROADCASTSS slope+48(FP), Y13
	MOVQ   gradW_base+56(FP), R8
	MOVQ   delta_base+80(FP), DI
	SHLQ   $2, CX
	XORQ   BX, BX
	VXORPS Y15, Y15, Y15
	MOVL   $0x3f800000, AX
	MOVQ   AX, X14
	VBROADCASTSS X14, Y14

loop:
	VMOVUPS (SI)(BX*1), Y0
	VMAXPS  Y0, Y15, Y1
	VMINPS  Y14, Y1, Y1       // c
	VMULPS  Y1, Y13, Y2       // g c
	VMULPS  Y1, Y2, Y3        // g c c
	VADDPS  (R8)(BX*1), Y3, Y3
	VMOVUPS Y3, (R8)(BX*1)
	VADDPS  Y2, Y2, Y2        // 2 g c
	VMULPS  (DX)(BX*1), Y2, Y2
	VCMPPS  $1, Y0, Y15, Y4   // 0 < x
	VCMPPS  $1, Y14, Y0, Y5   // x < 1
	VANDPS  Y4, Y2, Y2
	VANDPS  Y5, Y2, Y2
	VMOVUPS Y2, (DI)(BX*1)
	ADDQ    $32, BX
	CMPQ    BX, CX
	JLT     loop
	VZEROUPPER
	RET
