package x86

// Cond is a condition of jcc and setcc, numbered as in their opcodes.
type Cond uint8

// The sixteen conditions.
const (
	CondO Cond = iota
	CondNO
	CondB
	CondAE
	CondE
	CondNE
	CondBE
	CondA
	CondS
	CondNS
	CondP
	CondNP
	CondL
	CondGE
	CondLE
	CondG
)

// Jmp is jmp rel32 to an address: always five bytes.
func (a *Asm) Jmp(addr uint64) {
	a.Raw(0xe9)
	a.rel32(addr, 0)
}

// JmpLabel jumps to l, by rel8 where l is already bound and near, by rel32
// otherwise.
func (a *Asm) JmpLabel(l Label) {
	if a.near(l) {
		a.JmpLabelShort(l)
		return
	}
	a.Raw(0xe9)
	a.toLabel(l, 4)
}

// JmpLabelShort is jmp rel8; Bytes returns ErrRelocRange if l is too far.
func (a *Asm) JmpLabelShort(l Label) {
	a.Raw(0xeb)
	a.toLabel(l, 1)
}

// Jcc is jcc rel32 to an address: always six bytes.
func (a *Asm) Jcc(c Cond, addr uint64) {
	a.Raw(0x0f, 0x80|byte(c))
	a.rel32(addr, 0)
}

// JccLabel is the conditional JmpLabel.
func (a *Asm) JccLabel(c Cond, l Label) {
	if a.near(l) {
		a.JccLabelShort(c, l)
		return
	}
	a.jccLabel32(c, l)
}

func (a *Asm) jccLabel32(c Cond, l Label) {
	a.Raw(0x0f, 0x80|byte(c))
	a.toLabel(l, 4)
}

// JccLabelShort is jcc rel8; Bytes returns ErrRelocRange if l is too far.
func (a *Asm) JccLabelShort(c Cond, l Label) {
	a.Raw(0x70 | byte(c))
	a.toLabel(l, 1)
}

// near reports whether a two-byte branch here reaches l.
func (a *Asm) near(l Label) bool {
	target := a.labels[l]
	return target != unbound && fits8(int64(target-(len(a.buf)+2)))
}

// JmpMem is jmp m64.
func (a *Asm) JmpMem(m Mem) { a.mem(encoding{op: 0xff}, 4, m) }

// JmpReg is jmp r64.
func (a *Asm) JmpReg(r Reg) { a.reg(encoding{op: 0xff}, 4, r) }

// Call is call rel32 to an address.
func (a *Asm) Call(addr uint64) {
	a.Raw(0xe8)
	a.rel32(addr, 0)
}

// CallLabel is call rel32 to a label.
func (a *Asm) CallLabel(l Label) {
	a.Raw(0xe8)
	a.toLabel(l, 4)
}

// CallMem is call m64.
func (a *Asm) CallMem(m Mem) { a.mem(encoding{op: 0xff}, 2, m) }

// CallReg is call r64.
func (a *Asm) CallReg(r Reg) { a.reg(encoding{op: 0xff}, 2, r) }

// Ret is ret.
func (a *Asm) Ret() { a.Raw(0xc3) }

// Int3 is int3.
func (a *Asm) Int3() { a.Raw(0xcc) }

// Ud2 is ud2.
func (a *Asm) Ud2() { a.Raw(0x0f, 0x0b) }

// Syscall is syscall; the kernel overwrites rcx, r11 and rax.
func (a *Asm) Syscall() { a.Raw(0x0f, 0x05) }

// Endbr64 is endbr64.
func (a *Asm) Endbr64() { a.Raw(0xf3, 0x0f, 0x1e, 0xfa) }
