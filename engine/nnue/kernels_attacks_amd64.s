#include "textflag.h"

// The number of ones in each value of four bits, and an order of bytes that merges the two
// halves of a lane.
DATA attackTables<>+0(SB)/8, $0x0302020102010100
DATA attackTables<>+8(SB)/8, $0x0403030203020201
DATA attackTables<>+16(SB)/8, $0x0b030a0209010800
DATA attackTables<>+24(SB)/8, $0x0f070e060d050c04
GLOBL attackTables<>(SB), RODATA|NOPTR, $32

// COUNT adds the sizes of four sets to those in Y0, each shifted by a number of bits.
#define COUNT(offset, shift) \
	VMOVDQU offset(SI), Y1;  \
	VPSRLW  $4, Y1, Y2;      \
	VPAND   Y15, Y1, Y1;     \
	VPAND   Y15, Y2, Y2;     \
	VPSHUFB Y1, Y14, Y1;     \
	VPSHUFB Y2, Y14, Y2;     \
	VPADDB  Y1, Y2, Y1;      \
	VPSADBW Y13, Y1, Y1;     \
	VPSLLQ  $shift, Y1, Y1;  \
	VPOR    Y1, Y0, Y0

// func countSetsAVX2(counts *uint8, sets *rules.Bitboard)
// 32 sets at a time: of each four, the sizes are bytes of four quadwords, which are merged
// at the end.
TEXT ·countSetsAVX2(SB), NOSPLIT, $0-16
	MOVQ counts+0(FP), DI
	MOVQ sets+8(FP), SI
	LEAQ 64(DI), DX
	VPXOR Y13, Y13, Y13                    // zero
	VBROADCASTI128 attackTables<>+0(SB), Y14
	VBROADCASTI128 attackTables<>+16(SB), Y12
	MOVL  $15, AX
	VMOVD AX, X15
	VPBROADCASTB X15, Y15                  // the low four bits
	MOVL  $127, AX
	VMOVD AX, X11
	VPBROADCASTB X11, Y11                  // the largest input

half:
	VPXOR Y0, Y0, Y0
	COUNT(0, 0)
	COUNT(32, 8)
	COUNT(64, 16)
	COUNT(96, 24)
	COUNT(128, 32)
	COUNT(160, 40)
	COUNT(192, 48)
	COUNT(224, 56)
	VPMINUB Y15, Y0, Y0
	VPSLLW  $4, Y0, Y0
	VPMINUB Y11, Y0, Y0
	VPSHUFB Y12, Y0, Y0                    // from the first two quadwords in turn, and the others
	VEXTRACTI128 $1, Y0, X1
	VPUNPCKLWD X1, X0, X2
	VPUNPCKHWD X1, X0, X3
	VMOVDQU X2, (DI)
	VMOVDQU X3, 16(DI)
	ADDQ $256, SI
	ADDQ $32, DI
	CMPQ DI, DX
	JLT  half
	VZEROUPPER
	RET

// The steps of sliders by direction, and the squares that they reach without wrapping around
// the edge towards higher squares and towards lower ones; then the same for knights.
DATA steps<>+0(SB)/8, $9
DATA steps<>+8(SB)/8, $7
DATA steps<>+16(SB)/8, $8
DATA steps<>+24(SB)/8, $1
DATA steps<>+32(SB)/8, $0xfefefefefefefefe
DATA steps<>+40(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA steps<>+48(SB)/8, $0xffffffffffffffff
DATA steps<>+56(SB)/8, $0xfefefefefefefefe
DATA steps<>+64(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA steps<>+72(SB)/8, $0xfefefefefefefefe
DATA steps<>+80(SB)/8, $0xffffffffffffffff
DATA steps<>+88(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA steps<>+96(SB)/8, $17
DATA steps<>+104(SB)/8, $15
DATA steps<>+112(SB)/8, $10
DATA steps<>+120(SB)/8, $6
DATA steps<>+128(SB)/8, $0xfefefefefefefefe
DATA steps<>+136(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA steps<>+144(SB)/8, $0xfcfcfcfcfcfcfcfc
DATA steps<>+152(SB)/8, $0x3f3f3f3f3f3f3f3f
DATA steps<>+160(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA steps<>+168(SB)/8, $0xfefefefefefefefe
DATA steps<>+176(SB)/8, $0x3f3f3f3f3f3f3f3f
DATA steps<>+184(SB)/8, $0xfcfcfcfcfcfcfcfc
GLOBL steps<>(SB), RODATA|NOPTR, $192

// SLIDE adds to the squares in Y0 and Y1 the free ones that are some steps away.
#define SLIDE(steps) \
	VPSLLVQ steps, Y0, Y4; \
	VPSRLVQ steps, Y1, Y5; \
	VPAND   Y2, Y4, Y4;    \
	VPAND   Y3, Y5, Y5;    \
	VPOR    Y4, Y0, Y0;    \
	VPOR    Y5, Y1, Y1

// NARROW keeps the free squares that follow as many others.
#define NARROW(steps) \
	VPSLLVQ steps, Y2, Y4; \
	VPSRLVQ steps, Y3, Y5; \
	VPAND   Y4, Y2, Y2;    \
	VPAND   Y5, Y3, Y3

// ADD adds a set to those attacked once or more, Y4, and twice or more, Y5.
#define ADD(set) \
	VPAND set, Y4, Y6; \
	VPOR  set, Y4, Y4; \
	VPOR  Y6, Y5, Y5

// func findAVX2(a *AttackMap, knights, diagonal, straight, empty rules.Bitboard)
TEXT ·findAVX2(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), DI
	VPBROADCASTQ diagonal+16(FP), X0
	VPBROADCASTQ straight+24(FP), X1
	VINSERTI128  $1, X1, Y0, Y0       // towards higher squares
	VMOVDQA      Y0, Y1               // towards lower ones
	VPBROADCASTQ empty+32(FP), Y2
	VPAND        steps<>+64(SB), Y2, Y3
	VPAND        steps<>+32(SB), Y2, Y2
	VMOVDQU      steps<>+0(SB), Y7
	VPADDQ       Y7, Y7, Y8
	VPADDQ       Y8, Y8, Y9
	SLIDE(Y7)
	NARROW(Y7)
	SLIDE(Y8)
	NARROW(Y8)
	SLIDE(Y9)
	VPSLLVQ Y7, Y0, Y0
	VPSRLVQ Y7, Y1, Y1
	VPAND   steps<>+32(SB), Y0, Y0
	VPAND   steps<>+64(SB), Y1, Y1

	VPBROADCASTQ knights+8(FP), Y10
	VMOVDQU steps<>+96(SB), Y7
	VPSLLVQ Y7, Y10, Y2
	VPSRLVQ Y7, Y10, Y3
	VPAND   steps<>+128(SB), Y2, Y2
	VPAND   steps<>+160(SB), Y3, Y3

	VPOR  Y0, Y1, Y4
	VPAND Y0, Y1, Y5
	VEXTRACTI128 $1, Y4, X9           // files and ranks; in Y4 diagonals
	VPOR  Y2, Y3, Y8                  // knights
	VPERMILPD $1, X4, X10
	VPERMILPD $1, X9, X11
	VPOR  X4, X10, X10
	VPOR  X9, X11, X11
	VMOVQ X10, 24(DI)
	VMOVQ X11, 32(DI)
	VEXTRACTI128 $1, Y8, X9
	VPOR  X8, X9, X8
	VPERMILPD $1, X8, X9
	VPOR  X8, X9, X8
	VMOVQ X8, 8(DI)

	ADD(Y2)
	ADD(Y3)
	VEXTRACTI128 $1, Y4, X0
	VEXTRACTI128 $1, Y5, X1
	VPOR  X1, X5, X5
	VPAND X0, X4, X6
	VPOR  X0, X4, X4
	VPOR  X6, X5, X5
	VPERMILPD $1, X4, X0
	VPERMILPD $1, X5, X1
	VPOR  X1, X5, X5
	VPAND X0, X4, X6
	VPOR  X0, X4, X4
	VPOR  X6, X5, X5
	VMOVQ X4, 40(DI)
	VMOVQ X5, 56(DI)
	VZEROUPPER
	RET
