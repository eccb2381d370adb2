#include "textflag.h"

// func accumulateAVX2(dst, src, weights []int16, adds, subs []uint16)
// 64 int16 at a time stay in Y0-Y3 while all rows are applied.
TEXT ·accumulateAVX2(SB), NOSPLIT, $0-120
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ src_base+24(FP), SI
	MOVQ weights_base+48(FP), DX
	MOVQ adds_base+72(FP), R9
	MOVQ adds_len+80(FP), R10
	MOVQ subs_base+96(FP), R11
	MOVQ subs_len+104(FP), R12
	SHLQ $1, R8               // bytes in a row
	XORQ BX, BX               // offset of the block

block:
	VMOVDQU (SI)(BX*1), Y0
	VMOVDQU 32(SI)(BX*1), Y1
	VMOVDQU 64(SI)(BX*1), Y2
	VMOVDQU 96(SI)(BX*1), Y3

	XORQ CX, CX
	JMP  addsNext
addsRow:
	MOVWQZX (R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VPADDW  (AX)(BX*1), Y0, Y0
	VPADDW  32(AX)(BX*1), Y1, Y1
	VPADDW  64(AX)(BX*1), Y2, Y2
	VPADDW  96(AX)(BX*1), Y3, Y3
	INCQ    CX
addsNext:
	CMPQ CX, R10
	JLT  addsRow

	XORQ CX, CX
	JMP  subsNext
subsRow:
	MOVWQZX (R11)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VPSUBW  (AX)(BX*1), Y0, Y0
	VPSUBW  32(AX)(BX*1), Y1, Y1
	VPSUBW  64(AX)(BX*1), Y2, Y2
	VPSUBW  96(AX)(BX*1), Y3, Y3
	INCQ    CX
subsNext:
	CMPQ CX, R12
	JLT  subsRow

	VMOVDQU Y0, (DI)(BX*1)
	VMOVDQU Y1, 32(DI)(BX*1)
	VMOVDQU Y2, 64(DI)(BX*1)
	VMOVDQU Y3, 96(DI)(BX*1)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     block
	VZEROUPPER
	RET

// func updateAVX2(dst, src, weights *int16, width int, rows *[2]perspective, adds, subs int)
// The commonest change, one row on and one off, has a loop of its own.
TEXT ·updateAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ width+24(FP), R8
	MOVQ rows+32(FP), R9
	MOVQ adds+40(FP), R10
	MOVQ subs+48(FP), R11
	SHLQ $1, R8               // bytes in a row
	MOVQ $2, R12              // perspectives left

perspective:
	XORQ BX, BX               // offset of the block
	CMPQ R10, $1
	JNE  blocks
	CMPQ R11, $1
	JNE  blocks
	MOVWQZX (R9), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	MOVWQZX 8(R9), CX
	IMULQ   R8, CX
	ADDQ    DX, CX

swap:
	VMOVDQU (SI)(BX*1), Y0
	VMOVDQU 32(SI)(BX*1), Y1
	VMOVDQU 64(SI)(BX*1), Y2
	VMOVDQU 96(SI)(BX*1), Y3
	VPADDW  (AX)(BX*1), Y0, Y0
	VPADDW  32(AX)(BX*1), Y1, Y1
	VPADDW  64(AX)(BX*1), Y2, Y2
	VPADDW  96(AX)(BX*1), Y3, Y3
	VPSUBW  (CX)(BX*1), Y0, Y0
	VPSUBW  32(CX)(BX*1), Y1, Y1
	VPSUBW  64(CX)(BX*1), Y2, Y2
	VPSUBW  96(CX)(BX*1), Y3, Y3
	VMOVDQU Y0, (DI)(BX*1)
	VMOVDQU Y1, 32(DI)(BX*1)
	VMOVDQU Y2, 64(DI)(BX*1)
	VMOVDQU Y3, 96(DI)(BX*1)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     swap
	JMP     next

blocks:
	VMOVDQU (SI)(BX*1), Y0
	VMOVDQU 32(SI)(BX*1), Y1
	VMOVDQU 64(SI)(BX*1), Y2
	VMOVDQU 96(SI)(BX*1), Y3

	XORQ CX, CX
	JMP  addsNext
addsRow:
	MOVWQZX (R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VPADDW  (AX)(BX*1), Y0, Y0
	VPADDW  32(AX)(BX*1), Y1, Y1
	VPADDW  64(AX)(BX*1), Y2, Y2
	VPADDW  96(AX)(BX*1), Y3, Y3
	INCQ    CX
addsNext:
	CMPQ CX, R10
	JLT  addsRow

	XORQ CX, CX
	JMP  subsNext
subsRow:
	MOVWQZX 8(R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VPSUBW  (AX)(BX*1), Y0, Y0
	VPSUBW  32(AX)(BX*1), Y1, Y1
	VPSUBW  64(AX)(BX*1), Y2, Y2
	VPSUBW  96(AX)(BX*1), Y3, Y3
	INCQ    CX
subsNext:
	CMPQ CX, R11
	JLT  subsRow

	VMOVDQU Y0, (DI)(BX*1)
	VMOVDQU Y1, 32(DI)(BX*1)
	VMOVDQU Y2, 64(DI)(BX*1)
	VMOVDQU Y3, 96(DI)(BX*1)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     blocks

next:
	ADDQ R8, DI
	ADDQ R8, SI
	ADDQ $16, R9
	DECQ R12
	JNZ  perspective
	VZEROUPPER
	RET

// func updateAVX512(dst, src, weights *int16, width int, rows *[2]perspective, adds, subs int)
// As updateAVX2, 64 int16 at a time in Z0 and Z1.
TEXT ·updateAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ width+24(FP), R8
	MOVQ rows+32(FP), R9
	MOVQ adds+40(FP), R10
	MOVQ subs+48(FP), R11
	SHLQ $1, R8               // bytes in a row
	MOVQ $2, R12              // perspectives left

perspective:
	XORQ BX, BX               // offset of the block
	CMPQ R10, $1
	JNE  blocks
	CMPQ R11, $1
	JNE  blocks
	MOVWQZX (R9), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	MOVWQZX 8(R9), CX
	IMULQ   R8, CX
	ADDQ    DX, CX

swap:
	VMOVDQU64 (SI)(BX*1), Z0
	VMOVDQU64 64(SI)(BX*1), Z1
	VPADDW    (AX)(BX*1), Z0, Z0
	VPADDW    64(AX)(BX*1), Z1, Z1
	VPSUBW    (CX)(BX*1), Z0, Z0
	VPSUBW    64(CX)(BX*1), Z1, Z1
	VMOVDQU64 Z0, (DI)(BX*1)
	VMOVDQU64 Z1, 64(DI)(BX*1)
	ADDQ      $128, BX
	CMPQ      BX, R8
	JLT       swap
	JMP       next

blocks:
	VMOVDQU64 (SI)(BX*1), Z0
	VMOVDQU64 64(SI)(BX*1), Z1

	XORQ CX, CX
	JMP  addsNext
addsRow:
	MOVWQZX (R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VPADDW  (AX)(BX*1), Z0, Z0
	VPADDW  64(AX)(BX*1), Z1, Z1
	INCQ    CX
addsNext:
	CMPQ CX, R10
	JLT  addsRow

	XORQ CX, CX
	JMP  subsNext
subsRow:
	MOVWQZX 8(R9)(CX*2), AX
	IMULQ   R8, AX
	ADDQ    DX, AX
	VPSUBW  (AX)(BX*1), Z0, Z0
	VPSUBW  64(AX)(BX*1), Z1, Z1
	INCQ    CX
subsNext:
	CMPQ CX, R11
	JLT  subsRow

	VMOVDQU64 Z0, (DI)(BX*1)
	VMOVDQU64 Z1, 64(DI)(BX*1)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     blocks

next:
	ADDQ R8, DI
	ADDQ R8, SI
	ADDQ $16, R9
	DECQ R12
	JNZ  perspective
	VZEROUPPER
	RET
