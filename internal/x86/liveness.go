package x86

// LiveFlags returns the flags whose values at start may matter to code, which
// sits at addr: those that some instruction may read before all are written.
// It follows direct jumps inside code. Where a path calls, returns, leaves code,
// jumps indirectly, traps or stops making sense, and after maxInsts
// instructions over all paths together, every flag that is not yet written
// counts as live. The psABI passes nothing in the arithmetic flags, but
// hand-written assembly may, and it is hooked like everything else.
// DF always does, since nobody may change it under a running program.
func LiveFlags(code []byte, addr, start uint64, maxInsts int) Flags {
	w := flagWalk{code: code, addr: addr, budget: maxInsts, seen: map[uint64]Flags{}}
	w.visit(start, AllArith)
	for len(w.todo) > 0 && w.live != AllArith {
		p := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.follow(p)
	}
	return w.live | DF
}

// flagPath is a place that execution reaches with some flags not written yet.
type flagPath struct {
	pc   uint64
	open Flags
}

type flagWalk struct {
	code   []byte
	addr   uint64
	budget int
	live   Flags
	todo   []flagPath
	seen   map[uint64]Flags // flags with which a pc was already visited
}

// visit queues pc unless it was seen with these flags or none is left to ask
// about.
func (w *flagWalk) visit(pc uint64, open Flags) {
	open &^= w.live | w.seen[pc]
	if open == 0 {
		return
	}
	w.seen[pc] |= open
	w.todo = append(w.todo, flagPath{pc, open})
}

// follow runs along one path for one instruction.
func (w *flagWalk) follow(p flagPath) {
	w.budget--
	off := p.pc - w.addr
	if w.budget < 0 || off >= uint64(len(w.code)) {
		w.live |= p.open
		return
	}
	in, err := Decode(w.code[off:])
	if err != nil {
		w.live |= p.open
		return
	}
	w.live |= in.FlagsRead & p.open
	w.successors(&in, p.pc, p.open&^in.FlagsWritten)
}

func (w *flagWalk) successors(in *Inst, pc uint64, open Flags) {
	switch in.Flow {
	case FlowCall, FlowCallInd, FlowRet, FlowJmpInd, FlowTrap:
		w.live |= open
		return
	}
	if in.RelLen != 0 {
		w.visit(in.Target(pc), open)
	}
	if in.FallsThrough() {
		w.visit(pc+uint64(in.Len), open)
	}
}
