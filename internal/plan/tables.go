package plan

import (
	"encoding/binary"
	"sync"
)

// maxEntries bounds the entries read for all tables of a module. Node has
// 135,000.
const maxEntries = 16 << 20

// candidate keeps t for readTables if its first entry points into code.
func (w *sweep) candidate(t tableRef) {
	s := w.im.find(t.table)
	if s == nil || t.table+t.entrySize() > s.end() {
		return
	}
	if w.im.code(t.entry(s.b[t.table-s.base:])) == nil {
		return
	}
	if w.full = w.full || len(w.tables) >= w.limit; !w.full {
		w.tables = append(w.tables, t)
	}
}

// readTables follows every candidate table. A table of 32-bit offsets relative to
// itself (gcc, clang, position independent) starts at an address that a lea names;
// one of absolute addresses is the displacement of an operand [table + 8*index].
//
// Neither says how long it is. It ends before the next address that a lea names,
// and at the first entry that is not an instruction of the same function or of
// code that is no function of its own (a cold part). Reading on would take other
// data for targets that do not exist. Assembly may jump to other functions through
// a table: one whose first entry does, and which its code surely uses, ends at the
// first entry that is no instruction.
func (w *sweep) readTables() {
	budget := maxEntries
	for _, t := range w.tables {
		if budget -= w.readTable(w.im.find(t.table), t); budget < 0 {
			w.full = true
			return
		}
	}
}

// readTable follows one table and returns how many entries it has.
func (w *sweep) readTable(s *segment, t tableRef) int {
	size := t.entrySize()
	own := w.layout.clusterAt(t.from)
	if w.leavesFunction(s, t, own) {
		own = nil
	}
	for n := 0; ; n++ {
		at := t.table + uint64(n)*size
		if at+size > s.end() || n > 0 && s.named.any(at, at+size) {
			return n
		}
		to := t.entry(s.b[at-s.base:])
		if !w.isOwnCode(to, own) {
			return n
		}
		if t.absolute && !s.exec {
			s.refs.add(at)
		}
		w.jump(to, t.from, kindTable)
	}
}

// leavesFunction reports whether t's first entry is not in own's code, in a function
// that loads offsets through the register that t's address is put into and has an
// indirect jump.
func (w *sweep) leavesFunction(s *segment, t tableRef, own *cluster) bool {
	if t.absolute || w.isOwnCode(t.entry(s.b[t.table-s.base:]), own) {
		return false
	}
	tr := w.layout.traitsAt(t.from)
	return tr.indirect && tr.loads>>t.reg&1 != 0
}

func (t tableRef) entrySize() uint64 {
	if t.absolute {
		return 8
	}
	return 4
}

// entry is where the entry whose bytes b begins with goes.
func (t tableRef) entry(b []byte) uint64 {
	if t.absolute {
		return binary.LittleEndian.Uint64(b)
	}
	return t.table + uint64(int64(int32(binary.LittleEndian.Uint32(b))))
}

// isOwnCode reports whether an instruction begins at to which code of the cluster
// own (nil: a gap) may jump to through a table.
func (w *sweep) isOwnCode(to uint64, own *cluster) bool {
	s := w.im.code(to)
	if s == nil || !s.bounds.has(to) {
		return false
	}
	if own == nil || !own.entry || to-own.start < own.end-own.start {
		return true
	}
	c := w.layout.clusterAt(to)
	return c != nil && !c.entry
}

// readWords takes every aligned word that points into code, wherever it is, for an
// address that is used: at fixed addresses no relocation says so. Words already
// known as jump tables are not addresses of functions.
func (w *sweep) readWords() {
	var wg sync.WaitGroup
	parts := make([]*sweep, len(w.im.segs))
	for i := range w.im.segs {
		parts[i] = &sweep{im: w.im, layout: w.layout, limit: maxRecords / len(parts)}
		wg.Go(func() { parts[i].wordsOf(&w.im.segs[i]) })
	}
	wg.Wait()
	for _, p := range parts {
		w.edges = append(w.edges, p.edges...)
		w.full = w.full || p.full
	}
}

func (w *sweep) wordsOf(s *segment) {
	lo, hi := w.im.codeSpan()
	for off := -s.base & 7; off+8 <= uint64(len(s.b)); off += 8 {
		v := binary.LittleEndian.Uint64(s.b[off:])
		if v < lo || v >= hi || !s.exec && s.refs.has(s.base+off) {
			continue
		}
		w.name(v, 0, kindData)
	}
}

// codeSpan is the range from the first to behind the last byte of code.
func (im *image) codeSpan() (lo, hi uint64) {
	lo = ^uint64(0)
	for i := range im.segs {
		if s := &im.segs[i]; s.exec {
			lo, hi = min(lo, s.base), max(hi, s.end())
		}
	}
	return lo, hi
}
