package plan

import "github.com/functap/functap/internal/x86"

// goCheck is the stack check at the start of a Go function; len 0 is none.
type goCheck struct {
	len       uint64 // to the end of the last jbe
	morestack uint64
}

// maxCheck is the number of instructions of the longest form.
const maxCheck = 6

// findGoCheck recognises what the Go assembler puts in front of functions that
// may have to grow their stack (cmd/internal/obj/x86, stacksplit):
//
//	cmp rsp, [r14+16]; jbe                               small frames
//	lea r12, [rsp-N]; cmp r12, [r14+16]; jbe             larger ones
//	mov r12, rsp; sub r12, N; jb; cmp r12, [r14+16]; jbe  huge ones: rsp-N may wrap
//
// g is in r14, or loaded from thread-local storage first where the function does
// not get it in a register. The offset is 24 in functions that run on a system
// stack.
func findGoCheck(s *segment, site, end uint64) goCheck {
	at := site
	for range maxCheck {
		if at >= end {
			return goCheck{}
		}
		in, err := x86.Decode(s.b[at-s.base:])
		if err != nil {
			return goCheck{}
		}
		at += uint64(in.Len)
		if isGuardCompare(&in) {
			return jbeAfter(s, site, at, end)
		}
		if !mayPrecedeCheck(&in) {
			return goCheck{}
		}
	}
	return goCheck{}
}

// isGuardCompare: cmp reg, [reg+16 or 24] with 64-bit operands.
func isGuardCompare(in *x86.Inst) bool {
	return in.Map == x86.Map1 && in.Opcode == 0x3b && in.REX&8 != 0 &&
		in.Mod() == 1 && !in.HasSIB() && (in.Disp == 16 || in.Disp == 24)
}

// mayPrecedeCheck: moves and lea to a register, sub register, and the jb that
// follows it.
func mayPrecedeCheck(in *x86.Inst) bool {
	if in.Map == x86.Map0F {
		return in.Opcode == 0x82
	}
	if in.Map != x86.Map1 {
		return false
	}
	switch in.Opcode {
	case 0x72, 0x8b, 0x8d: // jb, mov reg, r/m; lea
		return true
	case 0x81, 0x83, 0x89: // sub r/m, imm; mov r/m, reg
		return in.Mod() == 3 && (in.Opcode == 0x89 || in.Reg()&7 == 5)
	}
	return false
}

func jbeAfter(s *segment, site, at, end uint64) goCheck {
	in, err := x86.Decode(s.b[at-s.base:])
	if err != nil || in.Flow != x86.FlowJcc || in.Opcode&15 != 6 {
		return goCheck{}
	}
	next, to := at+uint64(in.Len), in.Target(at)
	if to < next || to >= end {
		return goCheck{}
	}
	return goCheck{len: next - site, morestack: to}
}
