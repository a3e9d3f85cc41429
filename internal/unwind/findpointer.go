package unwind

import (
	"slices"

	"github.com/functap/functap/internal/x86"
)

// glibc's _dl_find_object lives in the loader and is not exported there. Libc has
// one that jumps to it, the same in 2.35 to 2.41:
//
//	[endbr64]
//	mov  _rtld_global_ro@GOTPCREL(%rip), %rax
//	jmp  *offset(%rax)

// stubSize bounds it: 4 + 7 + 6 bytes, and one for a notrack prefix.
const stubSize = 18

// pointerOf reads those instructions. It believes them only if the word that
// they load is one that the loader makes point to _rtld_global_ro.
func pointerOf(m Module, addr uint64) (Pointer, bool, error) {
	code := m.Bytes(addr, stubSize)
	load, rest, ok := first(code)
	if ok && load.IsEndbr64 {
		addr += uint64(load.Len)
		load, rest, ok = first(rest)
	}
	if !ok || load.Opcode != 0x8b || load.Map != x86.Map1 || !load.RIPRel || load.REX&8 == 0 {
		return Pointer{}, false, nil
	}
	jump, _, ok := first(rest)
	if !ok || !jumpsThrough(&jump, load.Reg()) {
		return Pointer{}, false, nil
	}
	got := load.Target(addr)
	slots, err := m.GOTSlots(roGlobals)
	if err != nil {
		return Pointer{}, false, err
	}
	return Pointer{GOT: got, Offset: jump.Disp}, slices.Contains(slots, got), nil
}

// first decodes the instruction at the start of code.
func first(code []byte) (in x86.Inst, rest []byte, ok bool) {
	in, err := x86.Decode(code)
	if err != nil {
		return in, nil, false
	}
	return in, code[in.Len:], true
}

// jumpsThrough reports whether in is jmp *disp(base), disp a multiple of 8.
func jumpsThrough(in *x86.Inst, base byte) bool {
	return in.Flow == x86.FlowJmpInd && in.Opcode == 0xff && in.Reg()&7 == 4 &&
		(in.Mod() == 1 || in.Mod() == 2) && !in.HasSIB() && in.RM() == base &&
		in.Disp > 0 && in.Disp%8 == 0
}
