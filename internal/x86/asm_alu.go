package x86

// Numbers of the eight classic operations: the extension of 80, 81 and 83, and
// bits 5..3 of the two-operand opcodes.
const (
	aluAdd = 0
	aluOr  = 1
	aluAnd = 4
	aluSub = 5
	aluXor = 6
	aluCmp = 7
)

// aluRR is op r64, r64.
func (a *Asm) aluRR(op uint32, dst, src Reg) {
	a.reg(encoding{op: op<<3 | 1, rex: rexW}, src.num(), dst)
}

// aluMR is op m64, r64.
func (a *Asm) aluMR(op uint32, dst Mem, src Reg) {
	a.mem(encoding{op: op<<3 | 1, rex: rexW}, src.num(), dst)
}

// aluRM is op r64, m64.
func (a *Asm) aluRM(op uint32, dst Reg, src Mem) {
	a.mem(encoding{op: op<<3 | 3, rex: rexW}, dst.num(), src)
}

// immForm is op r/m, imm in its shortest form.
func immForm(rex byte, v int32) encoding {
	if fits8(int64(v)) {
		return encoding{op: 0x83, rex: rex, imm: v, size: 1}
	}
	return encoding{op: 0x81, rex: rex, imm: v, size: 4}
}

// AddRegImm is add r64, imm.
func (a *Asm) AddRegImm(r Reg, v int32) { a.reg(immForm(rexW, v), aluAdd, r) }

// SubRegImm is sub r64, imm.
func (a *Asm) SubRegImm(r Reg, v int32) { a.reg(immForm(rexW, v), aluSub, r) }

// AndRegImm is and r64, imm with the immediate sign-extended.
func (a *Asm) AndRegImm(r Reg, v int32) { a.reg(immForm(rexW, v), aluAnd, r) }

// OrRegImm is or r64, imm with the immediate sign-extended.
func (a *Asm) OrRegImm(r Reg, v int32) { a.reg(immForm(rexW, v), aluOr, r) }

// CmpRegImm is cmp r64, imm with the immediate sign-extended.
func (a *Asm) CmpRegImm(r Reg, v int32) { a.reg(immForm(rexW, v), aluCmp, r) }

// CmpRegImm32 is cmp r32, imm.
func (a *Asm) CmpRegImm32(r Reg, v int32) { a.reg(immForm(0, v), aluCmp, r) }

// AddRegReg is add r64, r64.
func (a *Asm) AddRegReg(dst, src Reg) { a.aluRR(aluAdd, dst, src) }

// SubRegReg is sub r64, r64.
func (a *Asm) SubRegReg(dst, src Reg) { a.aluRR(aluSub, dst, src) }

// AndRegReg is and r64, r64.
func (a *Asm) AndRegReg(dst, src Reg) { a.aluRR(aluAnd, dst, src) }

// OrRegReg is or r64, r64.
func (a *Asm) OrRegReg(dst, src Reg) { a.aluRR(aluOr, dst, src) }

// XorRegReg is xor r64, r64.
func (a *Asm) XorRegReg(dst, src Reg) { a.aluRR(aluXor, dst, src) }

// CmpRegReg is cmp r64, r64.
func (a *Asm) CmpRegReg(x, y Reg) { a.aluRR(aluCmp, x, y) }

// CmpRegReg32 is cmp r32, r32.
func (a *Asm) CmpRegReg32(x, y Reg) { a.reg(encoding{op: aluCmp<<3 | 1}, y.num(), x) }

// AddRegMem is add r64, m64.
func (a *Asm) AddRegMem(dst Reg, src Mem) { a.aluRM(aluAdd, dst, src) }

// SubRegMem is sub r64, m64.
func (a *Asm) SubRegMem(dst Reg, src Mem) { a.aluRM(aluSub, dst, src) }

// CmpRegMem is cmp r64, m64.
func (a *Asm) CmpRegMem(x Reg, y Mem) { a.aluRM(aluCmp, x, y) }

// CmpRegMem32 is cmp r32, m32.
func (a *Asm) CmpRegMem32(x Reg, y Mem) { a.mem(encoding{op: aluCmp<<3 | 3}, x.num(), y) }

// CmpMemReg is cmp m64, r64.
func (a *Asm) CmpMemReg(x Mem, y Reg) { a.aluMR(aluCmp, x, y) }

// AddMemReg is add m64, r64.
func (a *Asm) AddMemReg(dst Mem, src Reg) { a.aluMR(aluAdd, dst, src) }

// AddMemImm is add m64, imm.
func (a *Asm) AddMemImm(dst Mem, v int32) { a.mem(immForm(rexW, v), aluAdd, dst) }

// AddMemImm32 is add m32, imm.
func (a *Asm) AddMemImm32(dst Mem, v int32) { a.mem(immForm(0, v), aluAdd, dst) }

// SubMemImm is sub m64, imm.
func (a *Asm) SubMemImm(dst Mem, v int32) { a.mem(immForm(rexW, v), aluSub, dst) }

// CmpMemImm is cmp m64, imm with the immediate sign-extended.
func (a *Asm) CmpMemImm(x Mem, v int32) { a.mem(immForm(rexW, v), aluCmp, x) }

// CmpMemImm32 is cmp m32, imm.
func (a *Asm) CmpMemImm32(x Mem, v int32) { a.mem(immForm(0, v), aluCmp, x) }

// CmpMemImm8 is cmp m8, imm8.
func (a *Asm) CmpMemImm8(x Mem, v int8) { a.mem(encoding{op: 0x80, imm: int32(v), size: 1}, aluCmp, x) }

// AddReg8Imm8 is add r8, imm8 on the lowest byte of r.
func (a *Asm) AddReg8Imm8(r Reg, v int8) {
	if r == RAX {
		a.Raw(0x04, byte(v))
		return
	}
	a.reg(encoding{op: 0x80, imm: int32(v), size: 1, rex: rex8(r)}, aluAdd, r)
}

// TestRegReg is test r64, r64.
func (a *Asm) TestRegReg(x, y Reg) { a.reg(encoding{op: 0x85, rex: rexW}, y.num(), x) }

// TestRegReg32 is test r32, r32.
func (a *Asm) TestRegReg32(x, y Reg) { a.reg(encoding{op: 0x85}, y.num(), x) }

// TestMem8Imm8 is test m8, imm8.
func (a *Asm) TestMem8Imm8(m Mem, v uint8) {
	a.mem(encoding{op: 0xf6, imm: int32(int8(v)), size: 1}, 0, m)
}

// BsrRegReg is bsr r64, r64: the number of the highest bit that is set. dst is
// undefined if src is 0.
func (a *Asm) BsrRegReg(dst, src Reg) { a.reg(encoding{op: 0x0fbd, rex: rexW}, dst.num(), src) }

// IncMem is inc m64.
func (a *Asm) IncMem(m Mem) { a.mem(encoding{op: 0xff, rex: rexW}, 0, m) }

// DecMem is dec m64.
func (a *Asm) DecMem(m Mem) { a.mem(encoding{op: 0xff, rex: rexW}, 1, m) }

// IncMem32 is inc m32.
func (a *Asm) IncMem32(m Mem) { a.mem(encoding{op: 0xff}, 0, m) }

// DecMem32 is dec m32.
func (a *Asm) DecMem32(m Mem) { a.mem(encoding{op: 0xff}, 1, m) }

// ImulRegReg is imul r64, r64.
func (a *Asm) ImulRegReg(dst, src Reg) { a.reg(encoding{op: 0x0faf, rex: rexW}, dst.num(), src) }

// ImulRegRegImm32 is imul r64, r64, imm32.
func (a *Asm) ImulRegRegImm32(dst, src Reg, v int32) {
	a.reg(encoding{op: 0x69, rex: rexW, imm: v, size: 4}, dst.num(), src)
}

// ShlRegImm is shl r64, n.
func (a *Asm) ShlRegImm(r Reg, n uint8) { a.shift(4, r, n) }

// ShrRegImm is shr r64, n.
func (a *Asm) ShrRegImm(r Reg, n uint8) { a.shift(5, r, n) }

// SarRegImm is sar r64, n.
func (a *Asm) SarRegImm(r Reg, n uint8) { a.shift(7, r, n) }

func (a *Asm) shift(op byte, r Reg, n uint8) {
	a.reg(encoding{op: 0xc1, rex: rexW, imm: int32(n & 63), size: 1}, op, r)
}
