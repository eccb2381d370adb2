#include "textflag.h"

// The kernels of the first layer: sums over rows of a matrix, of which as many columns as
// fit into eight registers are computed at a time.

// func sumRows16AVX2(dst *int16, dstStride int, src *int16, srcStride int, starts *uint32, rows int, columns *uint16, bias *int16)
TEXT ·sumRows16AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R8
	MOVQ src+16(FP), DX
	MOVQ srcStride+24(FP), R9
	MOVQ starts+32(FP), R10
	MOVQ rows+40(FP), R11
	MOVQ columns+48(FP), R12
	MOVQ bias+56(FP), SI
	MOVL (R10), CX

row:
	MOVL 4(R10), BX           // end of the row
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VMOVDQU 128(SI), Y4
	VMOVDQU 160(SI), Y5
	VMOVDQU 192(SI), Y6
	VMOVDQU 224(SI), Y7
	JMP  test

column:
	MOVWQZX (R12)(CX*2), AX
	IMULQ   R9, AX
	ADDQ    DX, AX
	VPADDW (AX), Y0, Y0
	VPADDW 32(AX), Y1, Y1
	VPADDW 64(AX), Y2, Y2
	VPADDW 96(AX), Y3, Y3
	VPADDW 128(AX), Y4, Y4
	VPADDW 160(AX), Y5, Y5
	VPADDW 192(AX), Y6, Y6
	VPADDW 224(AX), Y7, Y7
	INCQ    CX
test:
	CMPQ    CX, BX
	JLT     column

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	VMOVDQU Y4, 128(DI)
	VMOVDQU Y5, 160(DI)
	VMOVDQU Y6, 192(DI)
	VMOVDQU Y7, 224(DI)
	ADDQ R8, DI
	ADDQ $4, R10
	DECQ R11
	JNZ  row
	VZEROUPPER
	RET

// func sumRows16AVX512(dst *int16, dstStride int, src *int16, srcStride int, starts *uint32, rows int, columns *uint16, bias *int16)
TEXT ·sumRows16AVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R8
	MOVQ src+16(FP), DX
	MOVQ srcStride+24(FP), R9
	MOVQ starts+32(FP), R10
	MOVQ rows+40(FP), R11
	MOVQ columns+48(FP), R12
	MOVQ bias+56(FP), SI
	MOVL (R10), CX

row:
	MOVL 4(R10), BX           // end of the row
	VMOVDQU16 (SI), Z0
	VMOVDQU16 64(SI), Z1
	VMOVDQU16 128(SI), Z2
	VMOVDQU16 192(SI), Z3
	JMP  test

column:
	MOVWQZX (R12)(CX*2), AX
	IMULQ   R9, AX
	ADDQ    DX, AX
	VPADDW (AX), Z0, Z0
	VPADDW 64(AX), Z1, Z1
	VPADDW 128(AX), Z2, Z2
	VPADDW 192(AX), Z3, Z3
	INCQ    CX
test:
	CMPQ    CX, BX
	JLT     column

	VMOVDQU16 Z0, (DI)
	VMOVDQU16 Z1, 64(DI)
	VMOVDQU16 Z2, 128(DI)
	VMOVDQU16 Z3, 192(DI)
	ADDQ R8, DI
	ADDQ $4, R10
	DECQ R11
	JNZ  row
	VZEROUPPER
	RET

// func sumRows32AVX2(dst *float32, dstStride int, src *float32, srcStride int, starts *uint32, rows int, columns *uint16)
TEXT ·sumRows32AVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R8
	MOVQ src+16(FP), DX
	MOVQ srcStride+24(FP), R9
	MOVQ starts+32(FP), R10
	MOVQ rows+40(FP), R11
	MOVQ columns+48(FP), R12
	MOVL (R10), CX

row:
	MOVL 4(R10), BX           // end of the row
	CMPQ CX, BX
	JGE  next
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7

column:
	MOVWQZX (R12)(CX*2), AX
	IMULQ   R9, AX
	ADDQ    DX, AX
	VADDPS (AX), Y0, Y0
	VADDPS 32(AX), Y1, Y1
	VADDPS 64(AX), Y2, Y2
	VADDPS 96(AX), Y3, Y3
	VADDPS 128(AX), Y4, Y4
	VADDPS 160(AX), Y5, Y5
	VADDPS 192(AX), Y6, Y6
	VADDPS 224(AX), Y7, Y7
	INCQ    CX
	CMPQ    CX, BX
	JLT     column

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
next:
	ADDQ R8, DI
	ADDQ $4, R10
	DECQ R11
	JNZ  row
	VZEROUPPER
	RET

// func sumRows32AVX512(dst *float32, dstStride int, src *float32, srcStride int, starts *uint32, rows int, columns *uint16)
TEXT ·sumRows32AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R8
	MOVQ src+16(FP), DX
	MOVQ srcStride+24(FP), R9
	MOVQ starts+32(FP), R10
	MOVQ rows+40(FP), R11
	MOVQ columns+48(FP), R12
	MOVL (R10), CX

row:
	MOVL 4(R10), BX           // end of the row
	CMPQ CX, BX
	JGE  next
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3
	VMOVUPS 256(DI), Z4
	VMOVUPS 320(DI), Z5
	VMOVUPS 384(DI), Z6
	VMOVUPS 448(DI), Z7

column:
	MOVWQZX (R12)(CX*2), AX
	IMULQ   R9, AX
	ADDQ    DX, AX
	VADDPS (AX), Z0, Z0
	VADDPS 64(AX), Z1, Z1
	VADDPS 128(AX), Z2, Z2
	VADDPS 192(AX), Z3, Z3
	VADDPS 256(AX), Z4, Z4
	VADDPS 320(AX), Z5, Z5
	VADDPS 384(AX), Z6, Z6
	VADDPS 448(AX), Z7, Z7
	INCQ    CX
	CMPQ    CX, BX
	JLT     column

	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VMOVUPS Z4, 256(DI)
	VMOVUPS Z5, 320(DI)
	VMOVUPS Z6, 384(DI)
	VMOVUPS Z7, 448(DI)
next:
	ADDQ R8, DI
	ADDQ $4, R10
	DECQ R11
	JNZ  row
	VZEROUPPER
	RET

// func quantizeAVX2(dst []int16, src []float32)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	XORQ BX, BX
	MOVL $0x437f0000, AX      // 255
	VMOVD AX, X15
	VBROADCASTSS X15, Y15

loop:
	VMULPS    (SI)(BX*4), Y15, Y0
	VMULPS    32(SI)(BX*4), Y15, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y0, (DI)(BX*2)
	ADDQ      $16, BX
	CMPQ      BX, CX
	JLT       loop
	VZEROUPPER
	RET
