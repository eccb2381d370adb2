// The body of the functions that update both perspectives, by the macros for one kind of
// processor. The commonest change, one row on and one off, has a loop of its own.

	SHLQ $1, R8               // bytes in a row
	MOVQ $2, R12              // perspectives left

perspective:
	XORQ BX, BX               // offset of the block
	CMPQ R10, $1
	JNE  blocks
	CMPQ R11, $1
	JNE  blocks
	ROW((R9), AX)
	ROW(8(R9), CX)

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
	ROW((R9)(CX*2), AX)
	CHANGE(VPADDW, AX)
	INCQ    CX
addsNext:
	CMPQ CX, R10
	JLT  addsRow

	XORQ CX, CX
	JMP  subsNext
subsRow:
	ROW(8(R9)(CX*2), AX)
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
	ADDQ $16, R9
	DECQ R12
	JNZ  perspective
	VZEROUPPER
	RET
