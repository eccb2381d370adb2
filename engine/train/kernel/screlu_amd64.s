#include "textflag.h"

// func screluAVX2(x, w []float32) float32
TEXT ·screluAVX2(SB), NOSPLIT, $0-52
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

// func screluGradientAVX2(x, w []float32, slope float32, gradW, delta []float32)
TEXT ·screluGradientAVX2(SB), NOSPLIT, $0-104
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
