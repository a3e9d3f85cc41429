package x86

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrRelocRange: a branch or a RIP-relative operand is more than 2 GiB (or, for
// a short branch, 128 bytes) away from what it refers to.
var ErrRelocRange = errors.New("x86: displacement out of range")

// ErrUnbound: a branch goes to a label that was never bound.
var ErrUnbound = errors.New("x86: label not bound")

// ErrOperand: operands that no encoding exists for, such as rsp as an index.
var ErrOperand = errors.New("x86: operand cannot be encoded")

// Asm assembles 64-bit code for a known address. The result depends on the
// calls alone: same calls, same bytes. Methods named after an instruction
// append it; operands come in Intel order, destination first, and are 64 bits
// wide unless the name ends in 8 or 32 (a trailing Imm8 or Imm32 names the
// width of the operation, too). The first mistake is kept and Bytes returns
// it, so that calls need no checks between them. Not for concurrent use.
type Asm struct {
	at     uint64
	buf    []byte
	labels []int // offset each label is bound to, or unbound
	fixups []fixup
	err    error
}

// Label is a place in the code of the Asm that made it.
type Label int

const unbound = -1

// fixup is a displacement of size bytes at off waiting for its label.
type fixup struct {
	off, size int
	label     Label
}

// NewAsm returns an empty Asm whose first byte will live at address at.
func NewAsm(at uint64) *Asm { return &Asm{at: at} }

// PC is the address of the next instruction.
func (a *Asm) PC() uint64 { return a.at + uint64(len(a.buf)) }

// Len is the number of bytes assembled so far.
func (a *Asm) Len() int { return len(a.buf) }

// Bytes returns the code, or the first error: ErrRelocRange, ErrUnbound or
// ErrOperand. The slice is the Asm's own; assemble nothing more after it.
func (a *Asm) Bytes() ([]byte, error) {
	for _, f := range a.fixups {
		a.resolve(f)
	}
	a.fixups = a.fixups[:0]
	if a.err != nil {
		return nil, a.err
	}
	return a.buf, nil
}

// Raw appends bytes as they are.
func (a *Asm) Raw(b ...byte) { a.buf = append(a.buf, b...) }

// Label makes a label that Bind will place.
func (a *Asm) Label() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels) - 1)
}

// Bind places l at the next instruction. A label is bound once.
func (a *Asm) Bind(l Label) {
	if a.labels[l] != unbound {
		a.fail(fmt.Errorf("binding label %d twice: %w", l, ErrOperand))
		return
	}
	a.labels[l] = len(a.buf)
}

// Here makes a label and binds it to the next instruction.
func (a *Asm) Here() Label {
	l := a.Label()
	a.Bind(l)
	return l
}

// Addr is the address l is bound to, 0 if it is not bound yet.
func (a *Asm) Addr(l Label) uint64 {
	if a.labels[l] == unbound {
		return 0
	}
	return a.at + uint64(a.labels[l])
}

// fail keeps the first error.
func (a *Asm) fail(err error) {
	if a.err == nil {
		a.err = fmt.Errorf("assembling at %#x: %w", a.PC(), err)
	}
}

// resolve writes the displacement to f's label.
func (a *Asm) resolve(f fixup) {
	target := a.labels[f.label]
	if target == unbound {
		a.fail(ErrUnbound)
		return
	}
	d := target - (f.off + f.size)
	if f.size == 1 {
		if !fits8(int64(d)) {
			a.fail(ErrRelocRange)
		}
		a.buf[f.off] = byte(d)
		return
	}
	binary.LittleEndian.PutUint32(a.buf[f.off:], uint32(d))
}

// toLabel appends a displacement of size bytes to l.
func (a *Asm) toLabel(l Label, size int) {
	f := fixup{off: len(a.buf), size: size, label: l}
	a.buf = append(a.buf, 0, 0, 0, 0)[:f.off+size]
	a.fixups = append(a.fixups, f)
}

// rel32 appends the displacement to target of an instruction that ends tail
// bytes after the displacement.
func (a *Asm) rel32(target uint64, tail int) {
	d := int64(target - (a.PC() + 4 + uint64(tail)))
	if !fits32(d) {
		a.fail(fmt.Errorf("reaching %#x: %w", target, ErrRelocRange))
	}
	a.imm32(int32(d))
}

func (a *Asm) imm32(v int32) { a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(v)) }

// imm appends v in size bytes: 0 (nothing), 1 or 4.
func (a *Asm) imm(v int32, size int) {
	switch size {
	case 1:
		a.Raw(byte(v))
	case 4:
		a.imm32(v)
	}
}

func fits8(v int64) bool  { return v >= math.MinInt8 && v <= math.MaxInt8 }
func fits32(v int64) bool { return v >= math.MinInt32 && v <= math.MaxInt32 }
