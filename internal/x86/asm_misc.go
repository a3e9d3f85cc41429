package x86

// Atomic forms. The ones named Lock carry the prefix.

// LockIncMem is lock inc m64.
func (a *Asm) LockIncMem(m Mem) { a.mem(encoding{lock: true, op: 0xff, rex: rexW}, 0, m) }

// XaddMemReg is xadd m64, r64: atomic on one core only.
func (a *Asm) XaddMemReg(dst Mem, src Reg) { a.mem(encoding{op: 0x0fc1, rex: rexW}, src.num(), dst) }

// LockXaddMemReg is lock xadd m64, r64.
func (a *Asm) LockXaddMemReg(dst Mem, src Reg) {
	a.mem(encoding{lock: true, op: 0x0fc1, rex: rexW}, src.num(), dst)
}

// LockAddMemReg is lock add m64, r64.
func (a *Asm) LockAddMemReg(dst Mem, src Reg) {
	a.mem(encoding{lock: true, op: aluAdd<<3 | 1, rex: rexW}, src.num(), dst)
}

// CmpxchgMemReg is cmpxchg m64, r64 against rax: atomic on one core only.
func (a *Asm) CmpxchgMemReg(dst Mem, src Reg) {
	a.mem(encoding{op: 0x0fb1, rex: rexW}, src.num(), dst)
}

// LockCmpxchgMemReg is lock cmpxchg m64, r64 against rax.
func (a *Asm) LockCmpxchgMemReg(dst Mem, src Reg) {
	a.mem(encoding{lock: true, op: 0x0fb1, rex: rexW}, src.num(), dst)
}

// LockBtsMemImm8 is lock bts m64, imm8; bit is 0 to 63.
func (a *Asm) LockBtsMemImm8(m Mem, bit uint8) {
	a.mem(encoding{lock: true, op: 0x0fba, rex: rexW, imm: int32(bit & 63), size: 1}, 5, m)
}

// LockBtrMemReg is lock btr m64, r64. The bit may lie outside of the eight
// bytes at m: the processor adds bit/64 words to the address.
func (a *Asm) LockBtrMemReg(m Mem, bit Reg) {
	a.mem(encoding{lock: true, op: 0x0fb3, rex: rexW}, bit.num(), m)
}

// Flags.

// Pushfq is pushfq.
func (a *Asm) Pushfq() { a.Raw(0x9c) }

// Popfq is popfq.
func (a *Asm) Popfq() { a.Raw(0x9d) }

// Lahf is lahf: SF, ZF, AF, PF and CF into ah.
func (a *Asm) Lahf() { a.Raw(0x9f) }

// Sahf is sahf: ah into SF, ZF, AF, PF and CF.
func (a *Asm) Sahf() { a.Raw(0x9e) }

// SetccReg8 sets the lowest byte of r to 1 if c holds, else to 0.
func (a *Asm) SetccReg8(c Cond, r Reg) { a.reg(encoding{op: 0x0f90 | uint32(c), rex: rex8(r)}, 0, r) }

// The rest.

// Rdtsc is rdtsc: the time stamp into edx:eax.
func (a *Asm) Rdtsc() { a.Raw(0x0f, 0x31) }

// Rdfsbase is rdfsbase r64.
func (a *Asm) Rdfsbase(r Reg) { a.segBase(0, r) }

// Rdgsbase is rdgsbase r64.
func (a *Asm) Rdgsbase(r Reg) { a.segBase(1, r) }

// Wrgsbase is wrgsbase r64.
func (a *Asm) Wrgsbase(r Reg) { a.segBase(3, r) }

func (a *Asm) segBase(op byte, r Reg) {
	a.Raw(0xf3)
	a.reg(encoding{op: 0x0fae, rex: rexW}, op, r)
}

// Pause is pause.
func (a *Asm) Pause() { a.Raw(0xf3, 0x90) }

// Mfence is mfence.
func (a *Asm) Mfence() { a.Raw(0x0f, 0xae, 0xf0) }

// Nop appends n bytes of the no-operations that Intel recommends (SDM volume
// 2, NOP), as few instructions as possible.
func (a *Asm) Nop(n int) {
	for n > 0 {
		k := min(n, len(nops))
		a.Raw(nops[k-1]...)
		n -= k
	}
}

var nops = [...][]byte{
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0},
	{0x0f, 0x1f, 0x44, 0, 0},
	{0x66, 0x0f, 0x1f, 0x44, 0, 0},
	{0x0f, 0x1f, 0x80, 0, 0, 0, 0},
	{0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
	{0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
}
