package plan

import (
	"encoding/binary"

	"github.com/functap/functap/internal/x86"
)

// stackWalk follows the stack pointer through a function, from instruction to
// instruction and over jumps forward.
type stackWalk struct {
	depth int64 // bytes from the stack pointer up to the return address
	known bool
	rbp   int64 // the same from rbp up; 0: rbp is no frame pointer
	imm   int64 // of the instruction at hand
	jumps map[uint64]int64
}

// readsReturnAddress looks for an instruction, not a return, with the return address or
// its place as an operand. What a function does with a stack pointer that it has
// copied elsewhere is not seen.
func readsReturnAddress(code []byte, base uint64) (at uint64, found bool) {
	w := &stackWalk{known: true, jumps: map[uint64]int64{}}
	for off := 0; off < len(code); {
		in, err := x86.Decode(code[off:])
		if err != nil {
			return 0, false
		}
		at := base + uint64(off)
		if d, ok := w.jumps[at]; ok {
			w.depth, w.known = d, true
		}
		if w.touches(&in) || w.popsReturn(&in) {
			return at, true
		}
		w.imm = immediate(code[off:], &in)
		w.step(&in, at)
		off += int(in.Len)
	}
	return 0, false
}

// popsArguments looks for a return that takes more from the stack than its address (ret
// imm16). Whoever is returned to is then not where the return slot tells.
func popsArguments(code []byte, base uint64) (at uint64, found bool) {
	const retImm16 = 0xc2
	for off := 0; off < len(code); {
		in, err := x86.Decode(code[off:])
		if err != nil {
			return 0, false
		}
		end := off + int(in.Len)
		if in.Flow == x86.FlowRet && in.Opcode == retImm16 && in.ImmLen == 2 && (code[end-2] != 0 || code[end-1] != 0) {
			return base + uint64(off), true
		}
		off = end
	}
	return 0, false
}

// returnsAt are the jumps at which the return address is at the stack pointer for certain.
func returnsAt(code []byte, base uint64) map[uint64]bool {
	at := map[uint64]bool{}
	for from := range jumpsAtReturn(code, base) {
		at[from] = true
	}
	return at
}

// jumpsAtReturn says where these lead.
func jumpsAtReturn(code []byte, base uint64) map[uint64]uint64 {
	w := &stackWalk{known: true, jumps: map[uint64]int64{}}
	at := map[uint64]uint64{}
	for off := 0; off < len(code); {
		in, err := x86.Decode(code[off:])
		if err != nil {
			break
		}
		pc := base + uint64(off)
		if d, ok := w.jumps[pc]; ok {
			w.depth, w.known = d, true
		}
		if (in.Flow == x86.FlowJmp || in.Flow == x86.FlowJcc) && w.known && w.depth == 0 {
			at[pc] = in.Target(pc)
		}
		w.imm = immediate(code[off:], &in)
		w.step(&in, pc)
		off += int(in.Len)
	}
	return at
}

// touches reports whether a memory operand is the return address.
func (w *stackWalk) touches(in *x86.Inst) bool {
	if !in.HasMem() || in.IsNop || in.Prefix&(x86.PrefixFS|x86.PrefixGS) != 0 || in.RIPRel {
		return false
	}
	if in.HasSIB() {
		return w.known && baseReg(in) == rsp && in.SIB>>3&7 == 4 && in.REX&2 == 0 && int64(in.Disp) == w.depth
	}
	return w.rbp != 0 && in.RM() == rbp && in.Mod() != 0 && int64(in.Disp) == w.rbp
}

// popsReturn reports whether the return address is taken off the stack, as vfork does.
func (w *stackWalk) popsReturn(in *x86.Inst) bool {
	return w.known && w.depth == 0 && in.Map == x86.Map1 && in.Opcode >= 0x58 && in.Opcode < 0x60
}

const rbp = 5

// step applies what an instruction does to the stack pointer.
func (w *stackWalk) step(in *x86.Inst, at uint64) {
	switch in.Flow {
	case x86.FlowJmp, x86.FlowJcc:
		if to := in.Target(at); to > at && w.known {
			w.jumps[to] = w.depth
		}
	}
	if !in.FallsThrough() {
		w.known = false
		return
	}
	if in.Map == x86.Map1 {
		w.move(in)
	}
}

func (w *stackWalk) move(in *x86.Inst) {
	op := in.Opcode
	switch {
	case op >= 0x50 && op < 0x58, op == 0x68, op == 0x6a, op == 0x9c, op == 0xff && in.HasModRM && in.ModRM>>3&7 == 6:
		w.depth += 8
	case op >= 0x58 && op < 0x60:
		w.depth -= 8
		w.known = w.known && op+in.REX&1<<3 != 0x58+rsp
	case op == 0x9d, op == 0x8f:
		w.depth -= 8
	case op == 0xc9: // leave
		w.depth, w.known = w.rbp-8, w.rbp != 0
	case isMove(in, rsp, rbp):
		if w.known {
			w.rbp = w.depth
		}
	case isMove(in, rbp, rsp):
		w.depth, w.known = w.rbp, w.rbp != 0
	default:
		w.arith(in)
	}
}

// arith: add, sub and lea on the stack pointer; anything else that has it as an
// operand that may be written makes it unknown.
func (w *stackWalk) arith(in *x86.Inst) {
	op := in.Opcode
	switch {
	case isLea(in) && in.Reg() == rsp:
		w.known = w.known && in.HasSIB() && baseReg(in) == rsp && in.SIB>>3&7 == 4
		w.depth -= int64(in.Disp)
	case (op == 0x81 || op == 0x83) && in.Mod() == 3 && in.RM() == rsp:
		w.add(in)
	case writesReg(op) && in.Reg() == rsp, writesRM(op) && in.Mod() == 3 && in.RM() == rsp:
		w.known = false
	}
}

// add applies an operation with an immediate.
func (w *stackWalk) add(in *x86.Inst) {
	switch in.ModRM >> 3 & 7 {
	case 0: // add
		w.depth -= w.imm
	case 5: // sub
		w.depth += w.imm
	case 7: // cmp
	default:
		w.known = false
	}
}

// writesReg and writesRM: of the two-operand instructions of the first map, those that
// write the operand.
func writesReg(op byte) bool {
	return op < 0x38 && op&7 == 3 || op == 0x63 || op == 0x87 || op == 0x8b
}

func writesRM(op byte) bool {
	return op < 0x38 && op&7 == 1 || op == 0x87 || op == 0x89
}

// immediate is the sign-extended immediate of an instruction, 0 if it has none.
func immediate(b []byte, in *x86.Inst) int64 {
	switch in.ImmLen {
	case 1:
		return int64(int8(b[in.ImmOff]))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b[in.ImmOff:])))
	}
	return 0
}

// isMove: mov of one 64-bit register to another.
func isMove(in *x86.Inst, from, to byte) bool {
	if in.Map != x86.Map1 || in.REX&8 == 0 || in.Mod() != 3 {
		return false
	}
	return in.Opcode == 0x89 && in.Reg() == from && in.RM() == to || in.Opcode == 0x8b && in.Reg() == to && in.RM() == from
}
