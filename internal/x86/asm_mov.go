package x86

import (
	"encoding/binary"
	"math"
)

// MovRegMem is mov r64, m64.
func (a *Asm) MovRegMem(dst Reg, src Mem) { a.mem(encoding{op: 0x8b, rex: rexW}, dst.num(), src) }

// MovRegMem32 is mov r32, m32; it clears the upper half of dst.
func (a *Asm) MovRegMem32(dst Reg, src Mem) { a.mem(encoding{op: 0x8b}, dst.num(), src) }

// MovzxRegMem8 is movzx r32, m8; it clears the rest of dst.
func (a *Asm) MovzxRegMem8(dst Reg, src Mem) { a.mem(encoding{op: 0x0fb6}, dst.num(), src) }

// MovzxRegMem16 is movzx r32, m16; it clears the rest of dst.
func (a *Asm) MovzxRegMem16(dst Reg, src Mem) { a.mem(encoding{op: 0x0fb7}, dst.num(), src) }

// MovMemReg is mov m64, r64.
func (a *Asm) MovMemReg(dst Mem, src Reg) { a.mem(encoding{op: 0x89, rex: rexW}, src.num(), dst) }

// MovMemReg32 is mov m32, r32.
func (a *Asm) MovMemReg32(dst Mem, src Reg) { a.mem(encoding{op: 0x89}, src.num(), dst) }

// MovMemReg8 is mov m8, r8 with the lowest byte of src.
func (a *Asm) MovMemReg8(dst Mem, src Reg) {
	a.mem(encoding{op: 0x88, rex: rex8(src)}, src.num(), dst)
}

// MovMemImm is mov m64, imm32 with the immediate sign-extended.
func (a *Asm) MovMemImm(dst Mem, v int32) {
	a.mem(encoding{op: 0xc7, rex: rexW, imm: v, size: 4}, 0, dst)
}

// MovMemImm32 is mov m32, imm32.
func (a *Asm) MovMemImm32(dst Mem, v int32) { a.mem(encoding{op: 0xc7, imm: v, size: 4}, 0, dst) }

// MovMemImm8 is mov m8, imm8.
func (a *Asm) MovMemImm8(dst Mem, v int8) { a.mem(encoding{op: 0xc6, imm: int32(v), size: 1}, 0, dst) }

// MovRegReg is mov r64, r64.
func (a *Asm) MovRegReg(dst, src Reg) { a.reg(encoding{op: 0x89, rex: rexW}, src.num(), dst) }

// MovRegReg32 is mov r32, r32; it clears the upper half of dst.
func (a *Asm) MovRegReg32(dst, src Reg) { a.reg(encoding{op: 0x89}, src.num(), dst) }

// MovRegImm64 loads v by the shortest mov there is. Flags keep their values.
func (a *Asm) MovRegImm64(dst Reg, v uint64) {
	switch {
	case v <= math.MaxUint32:
		a.plusReg(0xb8, dst, 0)
		a.imm32(int32(v))
	case fits32(int64(v)):
		a.reg(encoding{op: 0xc7, rex: rexW, imm: int32(v), size: 4}, 0, dst)
	default:
		a.plusReg(0xb8, dst, rexW)
		a.buf = binary.LittleEndian.AppendUint64(a.buf, v)
	}
}

// Lea is lea r64, m.
func (a *Asm) Lea(dst Reg, src Mem) { a.mem(encoding{op: 0x8d, rex: rexW}, dst.num(), src) }

// LeaLabel is lea r64, [l], relative to the instruction pointer.
func (a *Asm) LeaLabel(dst Reg, l Label) {
	n := dst.num()
	a.Raw(rexPresent|rexW|n>>3*rexR, 0x8d, n&7<<3|5)
	a.toLabel(l, 4)
}

// PushReg is push r64.
func (a *Asm) PushReg(r Reg) { a.plusReg(0x50, r, 0) }

// PopReg is pop r64.
func (a *Asm) PopReg(r Reg) { a.plusReg(0x58, r, 0) }

// PushMem is push m64.
func (a *Asm) PushMem(m Mem) { a.mem(encoding{op: 0xff}, 6, m) }

// PopMem is pop m64.
func (a *Asm) PopMem(m Mem) { a.mem(encoding{op: 0x8f}, 0, m) }

// PushImm32 is push imm32: eight bytes, sign-extended.
func (a *Asm) PushImm32(v int32) {
	a.Raw(0x68)
	a.imm32(v)
}

// XchgMemReg is xchg m64, r64: atomic without a lock prefix.
func (a *Asm) XchgMemReg(dst Mem, src Reg) { a.mem(encoding{op: 0x87, rex: rexW}, src.num(), dst) }

// plusReg appends an opcode with the register in its low three bits.
func (a *Asm) plusReg(op byte, r Reg, rex byte) {
	if r == None || r > R15 {
		a.fail(ErrOperand)
		return
	}
	n := r.num()
	a.opcode(encoding{op: uint32(op | n&7)}, rex|n>>3*rexB)
}
