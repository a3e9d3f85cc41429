package unwind

import (
	"slices"

	"github.com/functap/functap/internal/x86"
)

// Boundary is an instruction boundary of a unit, by where a thread standing
// there would go on in the original code (arena.Exit has the same): Delta bytes
// from the site on, with the stack pointer Pop bytes lower than it is there.
type Boundary struct {
	Off   int
	Delta int
	Pop   int
}

// Displaced are the rows of a unit that runs the displaced instructions of a
// window: a stub, or a program without a wrapped call.
//
// Only a signal makes an unwinder look there, since calls in a window are
// displaced so that they return to the original code. The rules are not
// translated from the function's own, which may not exist, but follow from the
// instructions: what a prologue does to the stack pointer and which registers
// it puts away. Behind an instruction that does anything else to the stack
// pointer (it aligns it, say) the stack ends for unwinders, up to the jump back.
func Displaced(window []byte, boundaries []Boundary) []Row {
	states := walk(window)
	bs := slices.Clone(boundaries)
	slices.SortFunc(bs, func(a, b Boundary) int { return a.Off - b.Off })
	var rows []Row
	for _, b := range bs {
		s := stateAt(states, b.Delta)
		r := Row{Off: b.Off, CFA: entryCFA + s.depth + b.Pop, Kept: s.kept}
		if s.lost {
			r = Row{Off: b.Off, CFA: entryCFA, RA: Lost}
		}
		if n := len(rows); n == 0 || !r.same(rows[n-1]) {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 || rows[0].Off != 0 {
		rows = append(Plain(), rows...)
	}
	return rows
}

func (r Row) same(o Row) bool {
	return r.CFA == o.CFA && r.RA == o.RA && slices.Equal(r.Kept, o.Kept)
}

// stackState is what a function's first instructions have done to its stack.
type stackState struct {
	off   int
	depth int // bytes pushed since the entry
	kept  []Kept
	lost  bool
}

func stateAt(states []stackState, off int) stackState {
	found := states[0]
	for _, s := range states {
		if s.off <= off {
			found = s
		}
	}
	return found
}

// walk follows the instructions of a window.
func walk(window []byte) []stackState {
	s := stackState{}
	states := []stackState{s}
	for off := 0; off < len(window); {
		in, err := x86.Decode(window[off:])
		if err != nil {
			s.off, s.lost = off, true
			return append(states, s)
		}
		s.step(&in, window[off:])
		off += int(in.Len)
		s.off = off
		states = append(states, s)
	}
	return states
}

// step applies one instruction.
func (s *stackState) step(in *x86.Inst, code []byte) {
	if in.Map != x86.Map1 {
		return // nothing there that a prologue would change the stack pointer with
	}
	switch op := in.Opcode; {
	case op>>3 == 0x50>>3:
		s.push(Reg(op&7) | Reg(in.REX&1)<<3)
	case op>>3 == 0x58>>3:
		s.pop(Reg(op&7) | Reg(in.REX&1)<<3)
	case op == 0x68, op == 0x6a, op == 0x9c, op == 0xff && in.Reg()&7 == 6:
		s.depth += 8
	case op == 0x9d:
		s.depth -= 8
	case op == 0x89 && in.Mod() != 3:
		s.store(in, code)
	case writesRSP(in):
		s.move(in, code)
	}
	if in.Prefix&x86.PrefixOpSize != 0 && movesStack(in.Opcode) {
		s.lost = true // two bytes: no compiler does that
	}
}

func movesStack(op uint8) bool { return op>>4 == 5 || op == 0x68 || op == 0x6a }

// dwarfReg are the DWARF numbers of the registers by their machine numbers.
var dwarfReg = [16]Reg{0, 2, 1, RBX, RSP, RBP, 4, 5, 8, 9, 10, 11, R12, R13, R14, R15}

func (s *stackState) push(machine Reg) {
	s.depth += 8
	s.keep(dwarfReg[machine], s.depth+entryCFA)
}

// keep notes that a register that belongs to the caller lies off bytes below the
// CFA. Only the first time: later it may hold something else.
func (s *stackState) keep(r Reg, off int) {
	callers := r == RBX || r == RBP || r >= R12
	known := slices.ContainsFunc(s.kept, func(k Kept) bool { return k.Reg == r })
	if callers && !known && off > entryCFA && off%8 == 0 {
		s.kept = append(slices.Clip(s.kept), Kept{r, off})
	}
}

func (s *stackState) pop(machine Reg) {
	s.depth -= 8
	r := dwarfReg[machine]
	s.lost = s.lost || r == RSP || s.depth < 0
	s.kept = slices.DeleteFunc(slices.Clone(s.kept), func(k Kept) bool { return k.Reg == r })
}

const machineRSP = 4

// store notes a register that is put at a place relative to the stack pointer.
func (s *stackState) store(in *x86.Inst, code []byte) {
	if in.RM() == machineRSP && in.REX&8 != 0 && plainStackOperand(in, code) {
		s.keep(dwarfReg[in.Reg()], s.depth+entryCFA-int(in.Disp))
	}
}

// plainStackOperand reports whether the operand is disp(%rsp) without index.
func plainStackOperand(in *x86.Inst, code []byte) bool {
	return in.HasSIB() && in.SIB&0x3f == 0x24 && in.REX&3 == 0 &&
		in.Prefix&(x86.PrefixFS|x86.PrefixGS|x86.PrefixAddrSize) == 0
}

// writesRSP reports whether an instruction of the one-byte map may write the
// stack pointer other than by push and pop.
func writesRSP(in *x86.Inst) bool {
	rm := in.HasModRM && in.Mod() == 3 && in.RM() == machineRSP
	reg := in.HasModRM && in.Reg() == machineRSP
	switch op := in.Opcode; {
	case op < 0x40 && op&7 < 2:
		return rm && op&0x38 != 0x38 // cmp writes nothing
	case op < 0x40 && op&7 < 4:
		return reg && op&0x38 != 0x38
	case op == 0x80, op == 0x81, op == 0x83:
		return rm && in.Reg()&7 != 7
	case op == 0x63, op == 0x69, op == 0x6b, op == 0x8a, op == 0x8b, op == 0x8d:
		return reg
	case op == 0x86, op == 0x87:
		return rm || reg
	case op == 0x84, op == 0x85: // test
		return false
	case op >= 0xb8 && op < 0xc0, op >= 0x90 && op < 0x98:
		return op&7 == machineRSP && in.REX&1 == 0
	case op == 0xc8, op == 0xc9: // enter, leave
		return true
	}
	return rm
}

// move applies an instruction that writes the stack pointer, if it adds a
// constant to it.
func (s *stackState) move(in *x86.Inst, code []byte) {
	switch {
	case (in.Opcode == 0x81 || in.Opcode == 0x83) && in.REX&8 != 0 && in.Reg() == 5:
		s.depth += immediate(in, code)
	case (in.Opcode == 0x81 || in.Opcode == 0x83) && in.REX&8 != 0 && in.Reg() == 0:
		s.depth -= immediate(in, code)
	case in.Opcode == 0x8d && in.REX&8 != 0 && in.RM() == machineRSP && plainStackOperand(in, code):
		s.depth -= int(in.Disp)
	default:
		s.lost = true
	}
	s.lost = s.lost || s.depth < 0
}

// immediate is the sign-extended immediate operand of one or four bytes.
func immediate(in *x86.Inst, code []byte) int {
	b := code[in.ImmOff:]
	if in.ImmLen == 1 {
		return int(int8(b[0]))
	}
	return int(int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24))
}
