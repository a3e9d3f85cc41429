package plan

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"

	"github.com/functap/functap/internal/x86"
)

// kind is how an address is reached or named.
type kind uint8

const (
	kindJump kind = iota
	kindCall
	kindReturn
	kindTable
	kindLea // an address taken by an instruction
	kindData
	kindPad
)

// edge is one way to an address near the start of a function. from is the
// instruction, or 0 if there is none (data, landing pads).
type edge struct {
	to, from uint64
	kind     kind
}

// tableRef is an address that may be a jump table's, and the code that names it.
type tableRef struct {
	table, from uint64
	absolute    bool
	reg         byte // that the address is put into, unless absolute
}

// sweep is what one worker collects while decoding regions.
type sweep struct {
	im     *image
	layout *layout
	edges  []edge
	tables []tableRef
	rseq   []uint64 // addresses of code that belongs to a restartable sequence
	limit  int      // of edges and of tables: this worker's part of maxRecords
	full   bool     // one of them would have grown beyond it
}

// maxRecords bounds the edges and the candidate tables of a module. Node, with
// 77,000 functions, has 41,000 edges; a file made to hurt could have one for every
// two bytes.
const maxRecords = 4 << 20

// run decodes all regions on all cores.
func (l *layout) run(im *image) *sweep {
	workers := make([]sweep, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = sweep{im: im, layout: l, limit: maxRecords / len(workers)}
	}
	parallel(len(l.regions), func(worker, i int) { workers[worker].region(&l.regions[i]) })
	return merge(workers)
}

func merge(workers []sweep) *sweep {
	all := &workers[0]
	for i := range workers[1:] {
		w := &workers[i+1]
		all.edges = append(all.edges, w.edges...)
		all.tables = append(all.tables, w.tables...)
		all.rseq = append(all.rseq, w.rseq...)
		all.full = all.full || w.full
	}
	all.limit = maxRecords
	return all
}

func sortEdges(e []edge) {
	slices.SortFunc(e, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind))
	})
}

// overrun is how far decoding goes on behind a function that seems to end inside
// an instruction. Two entries may share bytes that they cut differently (a jump
// over a lock prefix); the streams meet after an instruction or two.
const overrun = 2 * x86.MaxLen

// region decodes one region. Bytes that are no instruction are stepped over one by
// one: data in code then adds targets that do not exist, which costs a hook at
// worst, while stopping would miss real ones.
func (w *sweep) region(r *region) {
	s, end := w.im.find(r.start), r.end
	r.code = r.start
	for pc := r.start; pc < end; {
		in, err := x86.Decode(s.b[pc-s.base:])
		if err != nil {
			pc++
			r.extend(pc, nil)
			continue
		}
		s.bounds.add(pc)
		next := pc + uint64(in.Len)
		if !isFiller(&in) {
			r.extend(next, &in)
		}
		if r.over > 0 && r.cluster >= 0 {
			end = min(r.end+overrun, s.end())
		}
		r.traits.note(&in)
		w.branch(s, &in, pc)
		w.operands(s, &in, pc)
		pc = next
	}
}

// extend notes that r's code reaches to end at least, where in ends, or a byte that
// is no instruction.
func (r *region) extend(end uint64, in *x86.Inst) {
	if r.code >= r.end {
		return
	}
	r.code, r.over = min(end, r.end), uint8(max(end, r.end)-r.end)
	r.closed = in != nil && !in.FallsThrough()
	r.falls = in != nil && in.FallsThrough() && in.Flow != x86.FlowCall && in.Flow != x86.FlowCallInd
}

// isFiller: nops of any length and int3, which compilers, assemblers and linkers
// put between functions to align them.
func isFiller(in *x86.Inst) bool {
	return in.IsNop || in.Map == x86.Map1 && in.Opcode == 0xcc
}

// branch notes where an instruction may go.
func (w *sweep) branch(s *segment, in *x86.Inst, pc uint64) {
	switch in.Flow {
	case x86.FlowJmp, x86.FlowJcc, x86.FlowLoop, x86.FlowXbegin:
		w.jump(in.Target(pc), pc, kindJump)
	case x86.FlowCall:
		w.name(in.Target(pc), pc, kindCall)
		w.jump(pc+uint64(in.Len), pc, kindReturn)
	case x86.FlowCallInd:
		w.jump(pc+uint64(in.Len), pc, kindReturn)
	case x86.FlowTrap:
		w.trap(s, in, pc)
	}
}

func (w *sweep) jump(to, from uint64, k kind) {
	s := w.im.code(to)
	if s == nil {
		return
	}
	s.jumped.add(to)
	if s.near.has(to) {
		w.edge(edge{to, from, k})
	}
}

func (w *sweep) edge(e edge) {
	if w.full = w.full || len(w.edges) >= w.limit; !w.full {
		w.edges = append(w.edges, e)
	}
}

// name notes an address that something holds or calls. For a function's first byte,
// where that happens all the time, only an instruction that may go on to jump there
// needs an edge.
func (w *sweep) name(to, from uint64, k kind) {
	s := w.im.find(to)
	if s == nil || !s.exec && k != kindLea {
		return
	}
	s.named.add(to)
	if s.exec && s.near.has(to) && (k == kindLea || !s.starts.has(to)) {
		w.edge(edge{to, from, k})
	}
}

// operands notes the addresses that an instruction names or reads.
func (w *sweep) operands(s *segment, in *x86.Inst, pc uint64) {
	switch {
	case in.RIPRel && isLea(in):
		t := in.Target(pc)
		w.name(t, pc, kindLea)
		w.candidate(tableRef{table: t, from: pc, reg: in.Reg()})
	case in.RIPRel:
		if t := w.im.code(in.Target(pc)); t != nil {
			t.refs.add(in.Target(pc))
		}
	case w.im.fixed && isTableOperand(in):
		w.candidate(tableRef{table: uint64(int64(in.Disp)), from: pc, absolute: true})
	}
	if w.im.fixed && in.ImmLen >= 4 {
		w.immediate(s.b[pc-s.base+uint64(in.ImmOff):][:in.ImmLen], pc)
	}
}

// isTableOperand reports whether the memory operand is [disp32 + 8*index].
func isTableOperand(in *x86.Inst) bool {
	return in.HasSIB() && in.Mod() == 0 && in.SIB&7 == 5 && in.SIB>>6 == 3
}

// immediate notes a constant that equals the start of a function: at fixed
// addresses that is how code names one.
func (w *sweep) immediate(b []byte, pc uint64) {
	v := uint64(binary.LittleEndian.Uint32(b))
	if len(b) == 8 {
		v = binary.LittleEndian.Uint64(b)
	}
	if s := w.im.code(v); s != nil && s.starts.has(v) {
		w.name(v, pc, kindLea)
	}
}

// rseqSignature is the number in front of every abort handler of a restartable
// sequence on x86, as the displacement of a ud1 (include/uapi/linux/rseq.h calls
// it the signature given at registration; this value is librseq's, glibc's and
// tcmalloc's).
const rseqSignature = 0x53053053

// trap recognises a restartable sequence by the mark of its abort handler, which
// is either next to the sequence or jumps back to its function.
func (w *sweep) trap(s *segment, in *x86.Inst, pc uint64) {
	if in.Map != x86.Map0F || in.Opcode != 0xb9 || in.DispLen != 4 || in.Disp != rseqSignature {
		return
	}
	w.rseq = append(w.rseq, pc)
	at := pc + uint64(in.Len)
	for range 4 {
		h, err := x86.Decode(s.b[min(at, s.end())-s.base:])
		if err != nil {
			return
		}
		if h.Flow == x86.FlowJmp {
			w.rseq = append(w.rseq, h.Target(at))
			return
		}
		at += uint64(h.Len)
	}
}
