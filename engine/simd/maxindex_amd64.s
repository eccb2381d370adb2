#include "textflag.h"

// func maxIndexAVX2(scores []int32) int
// The maximum of all blocks of eight first, then the first block that has it.
// The last block may overlap the one before.
TEXT ·maxIndexAVX2(SB), NOSPLIT, $0-32
	MOVQ    scores_base+0(FP), SI
	MOVQ    scores_len+8(FP), CX
	LEAQ    -32(SI)(CX*4), DX // the last block
	MOVQ    SI, DI
	VMOVDQU (DX), Y0

highest:
	VPMAXSD (DI), Y0, Y0
	ADDQ    $32, DI
	CMPQ    DI, DX
	JB      highest

	VEXTRACTI128 $1, Y0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMAXSD      X1, X0, X0
	VPBROADCASTD X0, Y0
	MOVQ         SI, DI

find:
	VPCMPEQD  (DI), Y0, Y1
	VMOVMSKPS Y1, AX
	TESTL     AX, AX
	JNZ       found
	ADDQ      $32, DI
	CMPQ      DI, DX
	JB        find
	MOVQ      DX, DI
	VPCMPEQD  (DI), Y0, Y1
	VMOVMSKPS Y1, AX

found:
	BSFL AX, AX
	SUBQ SI, DI
	SHRQ $2, DI
	ADDQ DI, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
