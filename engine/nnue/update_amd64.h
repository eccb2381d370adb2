// The body of the functions that update both perspectives, by the macros for one kind of
// processor. One row on and one off, and two of each, have loops of their own: they are
// quiet moves and drops, and captures.

	MOVQ 16(R9), R10          // rows on
	MOVQ 24(R9), R11          // rows off
	SHLQ $1, R8               // bytes in a row
	MOVQ $2, R12              // perspectives left

perspective:
	XORQ BX, BX               // offset of the block
	CMPQ R10, R11
	JNE  blocks
	MAPPED((R9), AX)
	MAPPED(8(R9), CX)
	CMPQ R10, $1
	JEQ  swap
	CMPQ R10, $2
	JNE  blocks
	MAPPED(2(R9), R13)
	MAPPED(10(R9), R15)

swapTwo:
	LOAD(SI)
	CHANGE(VPADDW, AX)
	CHANGE(VPADDW, R13)
	CHANGE(VPSUBW, CX)
	CHANGE(VPSUBW, R15)
	STORE(DI)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     swapTwo
	JMP     next

swap:
	LOAD(SI)
	CHANGE(VPADDW, AX)
	CHANGE(VPSUBW, CX)
	STORE(DI)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     swap
	JMP     next

blocks:
	LOAD(SI)

	XORQ CX, CX
	JMP  addsNext
addsRow:
	MAPPED((R9)(CX*2), AX)
	CHANGE(VPADDW, AX)
	INCQ    CX
addsNext:
	CMPQ CX, R10
	JLT  addsRow

	XORQ CX, CX
	JMP  subsNext
subsRow:
	MAPPED(8(R9)(CX*2), AX)
	CHANGE(VPSUBW, AX)
	INCQ    CX
subsNext:
	CMPQ CX, R11
	JLT  subsRow

	STORE(DI)
	ADDQ    $128, BX
	CMPQ    BX, R8
	JLT     blocks

next:
	ADDQ R8, DI
	ADDQ R8, SI
	MOVQ black+48(FP), R14
	DECQ R12
	JNZ  perspective
	VZEROUPPER
	RET
