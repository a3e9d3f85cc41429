package x86

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Reg is a general purpose register. The zero value is None, so that a Mem
// literal names only the parts it has.
type Reg uint8

// The general purpose registers in the order of their numbers.
const (
	None Reg = iota
	RAX
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// num is the register's number in encodings.
func (r Reg) num() byte { return byte(r) - 1 }

// Seg is the segment whose base is added to an address.
type Seg uint8

// Segments that have a base in 64-bit mode.
const (
	SegNone Seg = iota
	FS
	GS
)

// Mem is a memory operand: Seg:[Base + Index*Scale + Disp], or [Addr] reached
// relative to the instruction pointer when RIP is set. Without Base and Index
// it is the absolute address Disp, sign-extended from 32 bits.
type Mem struct {
	Base, Index Reg
	Scale       uint8 // 1, 2, 4 or 8; 0 means 1
	Disp        int32
	Seg         Seg
	RIP         bool
	Addr        uint64
}

// At is [base + disp].
func At(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// GSAt is gs:[disp], with no register.
func GSAt(disp int32) Mem { return Mem{Disp: disp, Seg: GS} }

// FSAt is fs:[disp], with no register.
func FSAt(disp int32) Mem { return Mem{Disp: disp, Seg: FS} }

// RIPTo is [addr], encoded relative to the instruction pointer.
func RIPTo(addr uint64) Mem { return Mem{RIP: true, Addr: addr} }

// REX bits.
const (
	rexB = 1 << iota
	rexX
	rexR
	rexW
	rexPresent = 0x40
)

// encoding is how an instruction is encoded apart from its ModRM operand.
type encoding struct {
	lock bool
	op   uint32 // opcode, escape bytes first: 0x0fb1 is 0f b1
	rex  byte   // rexW for 64-bit operands; rexPresent for a byte register that needs one
	imm  int32
	size int // bytes of imm
}

// mem appends an instruction with register (or opcode extension) number reg
// and memory operand m.
func (a *Asm) mem(f encoding, reg byte, m Mem) {
	if err := m.check(); err != nil || reg > 15 {
		a.fail(cmp.Or(err, ErrOperand))
		return
	}
	if f.lock {
		a.Raw(0xf0)
	}
	switch m.Seg {
	case FS:
		a.Raw(0x64)
	case GS:
		a.Raw(0x65)
	}
	a.opcode(f, f.rex|reg>>3*rexR|m.rex())
	a.address(reg&7<<3, m, f.size)
	a.imm(f.imm, f.size)
}

// reg appends an instruction whose two operands are registers; rm is the one
// in the ModRM.rm field.
func (a *Asm) reg(f encoding, reg byte, rm Reg) {
	if rm == None || rm > R15 || reg > 15 {
		a.fail(fmt.Errorf("no register: %w", ErrOperand))
		return
	}
	n := rm.num()
	a.opcode(f, f.rex|reg>>3*rexR|n>>3*rexB)
	a.Raw(0xc0 | reg&7<<3 | n&7)
	a.imm(f.imm, f.size)
}

// opcode appends REX, when it says anything, and the opcode bytes.
func (a *Asm) opcode(f encoding, rex byte) {
	if rex != 0 {
		a.Raw(rexPresent | rex)
	}
	if f.op > 0xff {
		a.Raw(byte(f.op >> 8))
	}
	a.Raw(byte(f.op))
}

func (m Mem) check() error {
	switch {
	case m.Index == RSP, m.Base > R15, m.Index > R15:
		return fmt.Errorf("base %d, index %d: %w", m.Base, m.Index, ErrOperand)
	case m.RIP && (m.Base != None || m.Index != None || m.Disp != 0):
		return fmt.Errorf("registers with a RIP-relative address: %w", ErrOperand)
	}
	switch m.Scale {
	case 0, 1, 2, 4, 8:
		return nil
	}
	return fmt.Errorf("scale %d: %w", m.Scale, ErrOperand)
}

// rex is REX.X and REX.B for m.
func (m Mem) rex() (r byte) {
	if m.Index != None {
		r |= m.Index.num() >> 3 * rexX
	}
	if m.Base != None {
		r |= m.Base.num() >> 3 * rexB
	}
	return r
}

// ModRM.mod values and the register numbers with a meaning of their own there
// (Intel SDM volume 2, tables 2-2 and 2-3).
const (
	modNoDisp = 0x00
	modDisp8  = 0x40
	modDisp32 = 0x80
	rmSIB     = 4 // also rsp and r12 as a base: they always need the SIB byte
	rmDisp32  = 5 // also rbp and r13 as a base: they always need a displacement
	sibNone   = 4 << 3
)

// address appends ModRM, SIB and displacement for m; reg is the register
// field in place, tail the number of immediate bytes that follow.
func (a *Asm) address(reg byte, m Mem, tail int) {
	if m.RIP {
		a.Raw(modNoDisp | reg | rmDisp32)
		a.rel32(m.Addr, tail)
		return
	}
	if m.Base == None {
		// ModRM alone would mean RIP-relative here, so absolute needs SIB.
		a.Raw(modNoDisp|reg|rmSIB, m.sib(rmDisp32))
		a.imm32(m.Disp)
		return
	}
	base := m.Base.num() & 7
	mod, size := m.dispSize(base)
	if m.Index == None && base != rmSIB {
		a.Raw(mod | reg | base)
	} else {
		a.Raw(mod|reg|rmSIB, m.sib(base))
	}
	a.imm(m.Disp, size)
}

// dispSize chooses the shortest displacement behind base.
func (m Mem) dispSize(base byte) (mod byte, size int) {
	switch {
	case m.Disp == 0 && base != rmDisp32:
		return modNoDisp, 0
	case fits8(int64(m.Disp)):
		return modDisp8, 1
	}
	return modDisp32, 4
}

// sib is the SIB byte for m's index over the given base field.
func (m Mem) sib(base byte) byte {
	if m.Index == None {
		return sibNone | base
	}
	scale := byte(bits.Len8(m.Scale >> 1))
	return scale<<6 | m.Index.num()&7<<3 | base
}

// rex8 is an empty REX prefix where the low byte of r can only be named with
// one; without it the encodings mean ah, ch, dh and bh.
func rex8(r Reg) byte {
	if r >= RSP && r <= RDI {
		return rexPresent
	}
	return 0
}
