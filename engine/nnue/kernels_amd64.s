#include "textflag.h"

// LOAD, CHANGE and STORE read 64 int16 at the offset BX into Y0 to Y3, add or subtract those
// of a row, and write them.
#define LOAD(from) \
	VMOVDQU (from)(BX*1), Y0;   \
	VMOVDQU 32(from)(BX*1), Y1; \
	VMOVDQU 64(from)(BX*1), Y2; \
	VMOVDQU 96(from)(BX*1), Y3

#define CHANGE(op, row) \
	op (row)(BX*1), Y0, Y0;   \
	op 32(row)(BX*1), Y1, Y1; \
	op 64(row)(BX*1), Y2, Y2; \
	op 96(row)(BX*1), Y3, Y3

#define STORE(to) \
	VMOVDQU Y0, (to)(BX*1);   \
	VMOVDQU Y1, 32(to)(BX*1); \
	VMOVDQU Y2, 64(to)(BX*1); \
	VMOVDQU Y3, 96(to)(BX*1)

// ROW sets row to the address of the weights at DX that a feature has.
#define ROW(feature, row) \
	MOVWQZX feature, row; \
	IMULQ   R8, row;      \
	ADDQ    DX, row

// MAPPED does so for a feature in White's perspective, by the map at R14.
#define MAPPED(feature, row) \
	MOVWQZX feature, row; \
	ROW((R14)(row*2), row)

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
	LOAD(SI)

	XORQ CX, CX
	JMP  addsNext
addsRow:
	ROW((R9)(CX*2), AX)
	CHANGE(VPADDW, AX)
	INCQ    CX
addsNext:
	CMPQ CX, R10
	JLT  addsRow

	XORQ CX, CX
	JMP  subsNext
subsRow:
	ROW((R11)(CX*2), AX)
	CHANGE(VPSUBW, AX)
	INCQ    CX
subsNext:
	CMPQ CX, R12
	JLT  subsRow

	STORE(DI)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     block
	VZEROUPPER
	RET

// func updateAVX2(dst, src, weights *int16, width int, delta *featureDelta, white, black *FeatureMap)
TEXT ·updateAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ width+24(FP), R8
	MOVQ delta+32(FP), R9
	MOVQ white+40(FP), R14
#include "update_amd64.h"

#undef LOAD
#undef CHANGE
#undef STORE

// The same in Z0 and Z1.
#define LOAD(from) \
	VMOVDQU64 (from)(BX*1), Z0; \
	VMOVDQU64 64(from)(BX*1), Z1

#define CHANGE(op, row) \
	op (row)(BX*1), Z0, Z0; \
	op 64(row)(BX*1), Z1, Z1

#define STORE(to) \
	VMOVDQU64 Z0, (to)(BX*1); \
	VMOVDQU64 Z1, 64(to)(BX*1)

// func updateAVX512(dst, src, weights *int16, width int, delta *featureDelta, white, black *FeatureMap)
TEXT ·updateAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ width+24(FP), R8
	MOVQ delta+32(FP), R9
	MOVQ white+40(FP), R14
#include "update_amd64.h"
