package plan

import "github.com/functap/functap/internal/x86"

// traits are what is known of all instructions of a stretch of code together, in
// whatever order they run.
type traits struct {
	// redZone: an operand is below rsp.
	redZone bool
	// indirect: there is a jump (not a call) through a register or memory.
	indirect bool
	// loads has a bit for each register from whose address a movslq loads.
	loads uint16
}

func (t *traits) note(in *x86.Inst) {
	if in.Flow == x86.FlowJmpInd {
		t.indirect = true
	}
	if in.HasSIB() && isBelowRSP(in) {
		t.redZone = true
	}
	if in.Opcode == 0x63 && isMovslqLoad(in) {
		t.loads |= addressRegs(in)
	}
}

// isBelowRSP reports whether in, which has a SIB byte, reads, writes or takes the
// address of memory at a negative displacement from rsp. A lea to rsp itself only
// makes room.
func isBelowRSP(in *x86.Inst) bool {
	if baseReg(in) != rsp || in.Mod() == 0 || in.Disp >= 0 {
		return false
	}
	return !isLea(in) || in.Reg() != rsp
}

const rsp = 4

func isLea(in *x86.Inst) bool { return in.Map == x86.Map1 && in.Opcode == 0x8d }

// isMovslqLoad: movslq from memory to a 64-bit register, not relative to rip.
func isMovslqLoad(in *x86.Inst) bool {
	return in.Map == x86.Map1 && in.Opcode == 0x63 && in.REX&8 != 0 && in.HasMem() && !in.RIPRel
}

// addressRegs are the registers of in's memory operand as a set. Either may hold
// the table's address if the index is not scaled. No base or index adds a register
// too many.
func addressRegs(in *x86.Inst) uint16 {
	if !in.HasSIB() {
		return 1 << in.RM()
	}
	return 1<<baseReg(in) | 1<<(in.SIB>>3&7|in.REX&2<<2)
}

// baseReg is the base of an operand with a SIB byte.
func baseReg(in *x86.Inst) byte { return in.SIB&7 | in.REX&1<<3 }
