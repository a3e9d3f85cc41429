package x86

import (
	"cmp"
	"fmt"
)

// patchLen is how much of a window's start a hook overwrites: a jmp rel32.
const patchLen = 5

// window is code that Relocate can copy: decoded and judged.
type window struct {
	code  []byte
	from  uint64
	insts []placed
}

// placed is an instruction at an offset of its window.
type placed struct {
	Inst
	off int
}

// newWindow decodes code and refuses what cannot be copied.
func newWindow(code []byte, from uint64) (window, error) {
	w := window{code: code, from: from}
	if len(code) == 0 {
		return w, fmt.Errorf("relocating %#x: %w", from, ErrTruncated)
	}
	if len(code) > MaxWindow {
		return w, fmt.Errorf("relocating %d bytes at %#x: %w", len(code), from, ErrUnsupported)
	}
	if err := w.decode(); err != nil {
		return w, err
	}
	for _, p := range w.insts {
		why := cmp.Or(unsupported(p), w.badPlace(p))
		if why != "" {
			return w, w.refuse(p, why, ErrUnsupported)
		}
	}
	return w, nil
}

func (w *window) decode() error {
	w.insts = make([]placed, 0, 8)
	for off := 0; off < len(w.code); {
		in, err := Decode(w.code[off:])
		if err != nil {
			return fmt.Errorf("relocating %#x+%d: %w", w.from, off, err)
		}
		w.insts = append(w.insts, placed{in, off})
		off += int(in.Len)
	}
	return nil
}

func (w *window) end() uint64            { return w.from + uint64(len(w.code)) }
func (w *window) addr(p placed) uint64   { return w.from + uint64(p.off) }
func (w *window) bytes(p placed) []byte  { return w.code[p.off : p.off+int(p.Len)] }
func (w *window) target(p placed) uint64 { return p.Target(w.addr(p)) }

// inside reports whether addr lies in the window behind its first byte.
func (w *window) inside(addr uint64) bool {
	off := addr - w.from
	return off > 0 && off < uint64(len(w.code))
}

// fallsOut reports whether the copy runs on behind its last instruction. A
// call does not: its callee returns to the original code.
func (w *window) fallsOut() bool {
	last := w.insts[len(w.insts)-1]
	return last.FallsThrough() && !isCall(last)
}

func (w *window) refuse(p placed, why string, kind error) error {
	return fmt.Errorf("instruction % x at %#x: %s: %w", w.bytes(p), w.addr(p), why, kind)
}

func isCall(p placed) bool { return p.Flow == FlowCall || p.Flow == FlowCallInd }

// unsupported says why p cannot be copied to anywhere, "" if it can.
func unsupported(p placed) string {
	switch p.Flow {
	case FlowTrap:
		return "a trap's handler sees its address"
	case FlowSyscall:
		return "rcx becomes its address"
	case FlowXbegin:
		return "an aborted transaction resumes at its target"
	case FlowRet:
		if p.Opcode != 0xc3 && p.Opcode != 0xc2 {
			return "a far return"
		}
	case FlowCallInd:
		if why := unsupportedCall(p); why != "" {
			return why
		}
	}
	if isFar(p) {
		return "a far branch"
	}
	if p.Flow != FlowNone && p.Prefix&PrefixOpSize != 0 && p.REX&rexW == 0 {
		return "a 16-bit branch on some processors"
	}
	return ""
}

func isFar(p placed) bool {
	op := p.ModRM >> 3 & 7
	return p.Flow == FlowJmpInd && op == ffJmpFar || p.Flow == FlowCallInd && op == ffCallFar
}

// unsupportedCall says why an indirect call cannot jump after the push of its
// return address: it may only depend on rsp in a way that can be corrected.
func unsupportedCall(p placed) string {
	if !p.HasMem() {
		if p.RM() == RSP.num() {
			return "a call through rsp"
		}
		return ""
	}
	if !p.baseIsRSP() {
		return ""
	}
	switch {
	case p.SIB&sibNone != sibNone || p.REX&rexX != 0:
		return "a call through an indexed stack slot"
	case p.Prefix&PrefixAddrSize != 0:
		return "a call through a 32-bit stack address"
	case p.Disp > -16 && p.Disp < 0:
		return "a call through the slot of its return address"
	case p.Disp > 1<<31-1-8:
		return "a displacement that cannot grow by 8"
	}
	return ""
}

// baseIsRSP reports whether p's memory operand is based on rsp; r12 shares its
// number but for REX.B.
func (p placed) baseIsRSP() bool { return p.HasSIB() && p.SIB&7 == rmSIB && p.REX&rexB == 0 }

// badPlace says what stands in the way of p in this window, "" if nothing.
func (w *window) badPlace(p placed) string {
	switch {
	case isCall(p):
		ret := p.off + int(p.Len)
		if ret < patchLen && ret != len(w.code) {
			return "a call returning into overwritten bytes"
		}
	case p.RIPRel && w.readsItself(p):
		return "an operand inside the copied bytes"
	}
	if p.RelLen != 0 && w.inside(w.target(p)) && !w.starts(w.target(p)) {
		return "a branch into the middle of an instruction"
	}
	return ""
}

// readsItself reports whether RIP-relative p refers to bytes of the window,
// which a hook overwrites. The function's own address may be computed.
func (w *window) readsItself(p placed) bool {
	isLea := p.Map == Map1 && p.Opcode == 0x8d
	t := w.target(p)
	return w.inside(t) || t == w.from && !isLea
}

// starts reports whether an instruction of the window begins at addr.
func (w *window) starts(addr uint64) bool {
	for _, p := range w.insts {
		if w.addr(p) == addr {
			return true
		}
	}
	return false
}
