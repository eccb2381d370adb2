#include "textflag.h"

// LOAD, CHANGE and STORE read 64 int16 at the offset BX into Y0 to Y3, add or subtract the
// 64 int8 at a row, and write them.
#define LOAD(from) \
	VMOVDQU (from)(BX*1), Y0;   \
	VMOVDQU 32(from)(BX*1), Y1; \
	VMOVDQU 64(from)(BX*1), Y2; \
	VMOVDQU 96(from)(BX*1), Y3

#define CHANGE(op, row) \
	VPMOVSXBW (row), Y4;   \
	VPMOVSXBW 16(row), Y5; \
	VPMOVSXBW 32(row), Y6; \
	VPMOVSXBW 48(row), Y7; \
	op Y4, Y0, Y0;         \
	op Y5, Y1, Y1;         \
	op Y6, Y2, Y2;         \
	op Y7, Y3, Y3

#define STORE(to) \
	VMOVDQU Y0, (to)(BX*1);   \
	VMOVDQU Y1, 32(to)(BX*1); \
	VMOVDQU Y2, 64(to)(BX*1); \
	VMOVDQU Y3, 96(to)(BX*1)

// ROW sets row to the address of the weights that a feature has for the block at DX.
#define ROW(feature, row) \
	MOVWQZX feature, row; \
	IMULQ   R13, row;     \
	ADDQ    DX, row

// ROWS adds or subtracts the rows of a list. The labels are for its loop alone.
#define ROWS(list, length, apply, operation, row, next) \
	XORQ CX, CX; \
	JMP  next; \
row: \
	ROW((list)(CX*2), AX); \
	apply(operation, AX); \
	INCQ CX; \
next: \
	CMPQ CX, length; \
	JLT  row

// ARGUMENTS loads those of both kernels: R8 is the bytes of dst, R13 those of a row, and BX the
// offset of the block.
#define ARGUMENTS \
	MOVQ dst_base+0(FP), DI;      \
	MOVQ dst_len+8(FP), R13;      \
	MOVQ src_base+24(FP), SI;     \
	MOVQ weights_base+48(FP), DX; \
	MOVQ adds_base+72(FP), R9;    \
	MOVQ adds_len+80(FP), R10;    \
	MOVQ subs_base+96(FP), R11;   \
	MOVQ subs_len+104(FP), R12;   \
	LEAQ (R13)(R13*1), R8;        \
	XORQ BX, BX

// BLOCKS applies all rows to the blocks from the offset BX on: 64 int16 at a time stay in Y0 to Y3.
#define BLOCKS \
block: \
	LOAD(SI); \
	ROWS(R9, R10, CHANGE, VPADDW, addsRow, addsNext); \
	ROWS(R11, R12, CHANGE, VPSUBW, subsRow, subsNext); \
	STORE(DI); \
	ADDQ    $128, BX; \
	ADDQ    $64, DX; \
next: \
	CMPQ    BX, R8; \
	JLT     block; \
	VZEROUPPER

// func accumulateAVX2(dst, src []int16, weights []int8, adds, subs []uint16)
TEXT ·accumulateAVX2(SB), NOSPLIT, $0-120
	ARGUMENTS
	BLOCKS
	RET

// WIDE_LOAD, WIDE_CHANGE and WIDE_STORE do so for 320 int16 in Z0 to Z9.
#define WIDE_LOAD(from) \
	VMOVDQU64 (from)(BX*1), Z0;    \
	VMOVDQU64 64(from)(BX*1), Z1;  \
	VMOVDQU64 128(from)(BX*1), Z2; \
	VMOVDQU64 192(from)(BX*1), Z3; \
	VMOVDQU64 256(from)(BX*1), Z4; \
	VMOVDQU64 320(from)(BX*1), Z5; \
	VMOVDQU64 384(from)(BX*1), Z6; \
	VMOVDQU64 448(from)(BX*1), Z7; \
	VMOVDQU64 512(from)(BX*1), Z8; \
	VMOVDQU64 576(from)(BX*1), Z9

#define WIDE_CHANGE(op, row) \
	VPMOVSXBW (row), Z10;    \
	VPMOVSXBW 32(row), Z11;  \
	VPMOVSXBW 64(row), Z12;  \
	VPMOVSXBW 96(row), Z13;  \
	VPMOVSXBW 128(row), Z14; \
	VPMOVSXBW 160(row), Z15; \
	VPMOVSXBW 192(row), Z16; \
	VPMOVSXBW 224(row), Z17; \
	VPMOVSXBW 256(row), Z18; \
	VPMOVSXBW 288(row), Z19; \
	op Z10, Z0, Z0;          \
	op Z11, Z1, Z1;          \
	op Z12, Z2, Z2;          \
	op Z13, Z3, Z3;          \
	op Z14, Z4, Z4;          \
	op Z15, Z5, Z5;          \
	op Z16, Z6, Z6;          \
	op Z17, Z7, Z7;          \
	op Z18, Z8, Z8;          \
	op Z19, Z9, Z9

#define WIDE_STORE(to) \
	VMOVDQU64 Z0, (to)(BX*1);    \
	VMOVDQU64 Z1, 64(to)(BX*1);  \
	VMOVDQU64 Z2, 128(to)(BX*1); \
	VMOVDQU64 Z3, 192(to)(BX*1); \
	VMOVDQU64 Z4, 256(to)(BX*1); \
	VMOVDQU64 Z5, 320(to)(BX*1); \
	VMOVDQU64 Z6, 384(to)(BX*1); \
	VMOVDQU64 Z7, 448(to)(BX*1); \
	VMOVDQU64 Z8, 512(to)(BX*1); \
	VMOVDQU64 Z9, 576(to)(BX*1)

// func accumulateAVX512(dst, src []int16, weights []int8, adds, subs []uint16)
// 320 int16 at a time, then 64.
TEXT ·accumulateAVX512(SB), NOSPLIT, $0-120
	ARGUMENTS
	LEAQ -639(R8), R15
	JMP  wideNext

wide:
	WIDE_LOAD(SI)
	ROWS(R9, R10, WIDE_CHANGE, VPADDW, wideAddsRow, wideAddsNext)
	ROWS(R11, R12, WIDE_CHANGE, VPSUBW, wideSubsRow, wideSubsNext)
	WIDE_STORE(DI)
	ADDQ $640, BX
	ADDQ $320, DX
wideNext:
	CMPQ BX, R15
	JLT  wide
	JMP  next

	BLOCKS
	RET

// The byte of the mask that has the bit of each of 32 squares, and that bit.
DATA squares<>+0(SB)/8, $0x0000000000000000
DATA squares<>+8(SB)/8, $0x0101010101010101
DATA squares<>+16(SB)/8, $0x0202020202020202
DATA squares<>+24(SB)/8, $0x0303030303030303
DATA squares<>+32(SB)/8, $0x8040201008040201
GLOBL squares<>(SB), RODATA|NOPTR, $40

// STATE subtracts -1 from the numbers in Y0, shifted left before, of the squares in a mask.
#define STATE(mask) \
	VPADDB       Y0, Y0, Y0;   \
	VPBROADCASTD mask, Y1;     \
	VPSHUFB      Y2, Y1, Y1;   \
	VPAND        Y3, Y1, Y1;   \
	VPCMPEQB     Y3, Y1, Y1;   \
	VPSUBB       Y1, Y0, Y0

// func encodeAVX2(numbers *[64]uint8, board *[64]rules.Piece, states *[3]rules.Bitboard)
TEXT ·encodeAVX2(SB), NOSPLIT, $0-24
	MOVQ numbers+0(FP), DI
	MOVQ board+8(FP), SI
	MOVQ states+16(FP), DX
	VMOVDQU      squares<>+0(SB), Y2
	VPBROADCASTQ squares<>+32(SB), Y3
	VMOVDQU (SI), Y0
	STATE(16(DX))
	STATE(8(DX))
	STATE(0(DX))
	VMOVDQU Y0, (DI)
	VMOVDQU 32(SI), Y0
	STATE(20(DX))
	STATE(12(DX))
	STATE(4(DX))
	VMOVDQU Y0, 32(DI)
	VZEROUPPER
	RET

// func differingAVX2(a, b *[64]uint8) rules.Bitboard
TEXT ·differingAVX2(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VPCMPEQB (DI), Y0, Y0
	VPCMPEQB 32(DI), Y1, Y1
	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, CX
	SHLQ $32, CX
	ORQ  CX, AX
	NOTQ AX
	MOVQ AX, ret+16(FP)
	VZEROUPPER
	RET
