package x86

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrUnsupported: the instruction cannot be made to do the same at another
// address without a spare register or a call of its own.
var ErrUnsupported = errors.New("x86: instruction cannot be relocated")

// MaxWindow is how many bytes Relocate takes at most.
const MaxWindow = 64

// RelocateOptions choose between meanings that only the caller can know.
type RelocateOptions struct {
	// SelfToCopy sends jumps to the first byte of the window to its copy.
	// Otherwise they go to the original address, where they count as an
	// entry. Calls always go to the original: recursion enters.
	SelfToCopy bool
}

// Moved says where a thread that stopped inside a copy has to continue in the
// original code, whose bytes are back in place, for the same outcome.
type Moved struct {
	Copy uint64 // an instruction boundary in the copy
	Orig uint64 // the new instruction pointer
	Pop  int8   // bytes to take off the stack first: a displaced call was half done
}

// Relocated is the copy of a window.
type Relocated struct {
	Bytes []byte
	Moved []Moved // every instruction boundary of Bytes, in order
}

// Relocate copies the whole instructions in code, which live at from, so that
// they do the same at to and then jump back to the instruction behind them.
//
// Only what depends on the address changes. Relative branches get 32-bit
// displacements; those to an instruction strictly inside the window go to its
// copy. loop and jrcxz jump over a jump. RIP-relative operands are recomputed.
// A call becomes a push of the original return address and a jump: whoever
// walks the stack sees only original code, and the callee returns there. A
// call that reads its target from memory reads it after that push; memory
// operands are taken not to overlap the pushed word, which lies below rsp.
//
// The length of the copy depends on code, from and o, not on to. Nothing in it
// changes flags or registers that the original does not change. The errors are
// ErrUnsupported and ErrRelocRange, and those of Decode, all wrapped with the
// instruction.
func Relocate(code []byte, from, to uint64, o RelocateOptions) (Relocated, error) {
	w, err := newWindow(code, from)
	if err != nil {
		return Relocated{}, err
	}
	r := relocator{window: w, o: o, asm: NewAsm(to)}
	for range code {
		r.labels = append(r.labels, r.asm.Label())
	}
	for _, p := range w.insts {
		if err := r.copyInst(p); err != nil {
			return Relocated{}, err
		}
	}
	if w.fallsOut() {
		r.mark(w.end(), 0)
		r.asm.Jmp(w.end())
	}
	b, err := r.asm.Bytes()
	if err != nil {
		return Relocated{}, fmt.Errorf("relocating %#x to %#x: %w", from, to, err)
	}
	return Relocated{Bytes: b, Moved: r.moved}, nil
}

// CanRelocate reports whether Relocate can copy code from from to some address
// near enough: nil, or the error Relocate would return.
func CanRelocate(code []byte, from uint64) error {
	_, err := newWindow(code, from)
	return err
}

// relocator emits the copy of a window.
type relocator struct {
	window
	o      RelocateOptions
	asm    *Asm
	labels []Label // of the copy of the instruction at each offset
	moved  []Moved
}

// mark records that a thread at the next byte of the copy belongs at orig.
func (r *relocator) mark(orig uint64, pop int8) {
	r.moved = append(r.moved, Moved{Copy: r.asm.PC(), Orig: orig, Pop: pop})
}

func (r *relocator) copyInst(p placed) error {
	r.asm.Bind(r.labels[p.off])
	r.mark(r.addr(p), 0)
	switch p.Flow {
	case FlowJmp:
		r.jmp(r.target(p), r.o.SelfToCopy)
	case FlowJcc:
		r.jcc(Cond(p.Opcode&15), r.target(p))
	case FlowLoop:
		r.loop(p)
	case FlowCall:
		r.pushReturn(p)
		r.jmp(r.target(p), false)
	case FlowCallInd:
		r.pushReturn(p)
		return r.jmpThrough(p)
	default:
		return r.verbatim(r.bytes(p), p)
	}
	return nil
}

// copyOf is the label of target's copy if branches there must follow it.
func (r *relocator) copyOf(target uint64, self bool) (Label, bool) {
	if r.inside(target) || target == r.from && self {
		return r.labels[target-r.from], true
	}
	return 0, false
}

func (r *relocator) jmp(target uint64, self bool) {
	if l, ok := r.copyOf(target, self); ok {
		r.asm.JmpLabel(l)
		return
	}
	r.asm.Jmp(target)
}

func (r *relocator) jcc(c Cond, target uint64) {
	if l, ok := r.copyOf(target, r.o.SelfToCopy); ok {
		r.asm.JccLabel(c, l)
		return
	}
	r.asm.Jcc(c, target)
}

// loop copies loop, loope, loopne, jrcxz or jecxz, which only reach 127 bytes
// and have no longer form: it branches over a branch, flags untouched.
func (r *relocator) loop(p placed) {
	a := r.asm
	b := r.bytes(p)
	a.Raw(b[:p.RelOff]...)
	taken, out := a.Label(), a.Label()
	a.toLabel(taken, 1)
	r.mark(r.addr(p)+uint64(p.Len), 0)
	a.JmpLabelShort(out)
	a.Bind(taken)
	r.mark(r.target(p), 0)
	r.jmp(r.target(p), r.o.SelfToCopy)
	a.Bind(out)
}

// pushReturn pushes the address behind the original call p. A push has only 32
// bits of immediate, sign-extended; the upper half follows where they differ.
func (r *relocator) pushReturn(p placed) {
	ret := r.addr(p) + uint64(p.Len)
	r.asm.PushImm32(int32(ret))
	r.mark(r.addr(p), 8)
	if !fits32(int64(ret)) {
		r.asm.MovMemImm32(At(RSP, 4), int32(ret>>32))
		r.mark(r.addr(p), 8)
	}
}

// Fields of ModRM.reg that opcode FF means by jmp and call.
const (
	ffCall    = 2
	ffCallFar = 3
	ffJmp     = 4
	ffJmpFar  = 5
)

// jmpThrough makes the jump that goes where the indirect call p goes, eight
// bytes further down the stack.
func (r *relocator) jmpThrough(p placed) error {
	b := append([]byte(nil), r.bytes(p)...)
	b[p.ModRMOff] ^= (ffCall ^ ffJmp) << 3
	if p.baseIsRSP() {
		b = fromRSP(b, p, p.Disp+8)
	}
	return r.verbatim(b, p)
}

// fromRSP replaces the displacement of b, a copy of p, which is based on rsp.
func fromRSP(b []byte, p placed, disp int32) []byte {
	end := p.ModRMOff + 2 // past ModRM and SIB; there is no immediate
	b = b[:end]
	mod, size := Mem{Disp: disp}.dispSize(rmSIB)
	b[p.ModRMOff] = b[p.ModRMOff]&0x3f | mod
	switch size {
	case 1:
		b = append(b, byte(disp))
	case 4:
		b = binary.LittleEndian.AppendUint32(b, uint32(disp))
	}
	return b
}

// verbatim appends b, made from p, with a RIP-relative displacement recomputed.
func (r *relocator) verbatim(b []byte, p placed) error {
	at := r.asm.Len()
	pc := r.asm.PC()
	r.asm.Raw(b...)
	if !p.RIPRel {
		return nil
	}
	d := int64(r.target(p) - (pc + uint64(p.Len)))
	if !fits32(d) {
		return r.refuse(p, fmt.Sprintf("reaching %#x from %#x", r.target(p), pc), ErrRelocRange)
	}
	binary.LittleEndian.PutUint32(r.asm.buf[at+int(p.DispOff):], uint32(d))
	return nil
}
