package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/x86"
)

// Static programs without symbols. What an unwinder does with the answer of the
// two functions shows in its code, whoever has compiled it:
//
//   - whoever searches an .eh_frame_hdr compares its first byte with 1, the
//     version, and its fourth with 0x3b, the one encoding of the table that can
//     be searched by halves. In libgcc since version 12 that function has called _dl_find_object just before, with the
//     address of a result on its stack.
//   - whoever goes through program headers compares types with PT_GNU_EH_FRAME.
//     In all other unwinders (libgcc, LLVM's, nongnu's) a function that does so
//     is what dl_iterate_phdr is called with.
//
// Bounds of functions come from the program's own unwind table, which nobody
// strips. So the same two functions are found that have names elsewhere, and
// the same answers replace them.

// nameless looks in each module that has unwind tables.
func (f *finder) nameless() error {
	for i, m := range f.mods {
		s, err := newSearch(m)
		if err != nil {
			return err
		}
		if len(s.fdes) == 0 && !m.IsGo() && s.readsHeaders() {
			return &NotServedError{m.Name(), "its code reads unwind tables, but its own was not found, so neither are its functions"}
		}
		found := s.findObjects()
		found = append(found, s.iteratePhdrs()...)
		if len(found) == 0 && s.unwinder {
			return &NotServedError{m.Name(), "its code reads unwind tables, but whom it asks for them was not found"}
		}
		for _, e := range found {
			e.Module = i
			f.out.Entries = append(f.out.Entries, e)
		}
	}
	return nil
}

// search is a search through a module's code.
type search struct {
	m        Module
	fdes     []symbols.FDE
	code     []text
	unwinder bool // something was found that only unwinders have
}

// text is one executable segment.
type text struct {
	at uint64
	b  []byte
}

func newSearch(m Module) (*search, error) {
	fdes, err := m.FDEs()
	if err != nil {
		return nil, err
	}
	s := &search{m: m, fdes: fdes}
	for _, g := range m.Segments() {
		if g.Flags&elf.PF_X == 0 {
			continue
		}
		if b := m.Bytes(g.Vaddr, int(g.Filesz)); b != nil {
			s.code = append(s.code, text{g.Vaddr, b})
		}
	}
	return s, nil
}

// containing is the function that has the byte at addr.
func (s *search) containing(addr uint64) (symbols.FDE, bool) {
	i := sort.Search(len(s.fdes), func(i int) bool { return s.fdes[i].Start > addr }) - 1
	if i < 0 || addr >= s.fdes[i].End {
		return symbols.FDE{}, false
	}
	return s.fdes[i], true
}

// callable reports whether a function may begin at addr. Musl's have no unwind tables.
func (s *search) callable(addr uint64) bool {
	if f, ok := s.containing(addr); ok {
		return f.Start == addr && !f.Fragment
	}
	for _, t := range s.code {
		if addr >= t.at && addr-t.at < uint64(len(t.b)) {
			return true
		}
	}
	return false
}

// inst is an instruction of a function.
type inst struct {
	x86.Inst
	at uint64
	b  []byte
}

// insts decodes a function, as far as it decodes.
func (s *search) insts(f symbols.FDE) []inst {
	b := s.m.Bytes(f.Start, int(min(f.End-f.Start, maxFunction)))
	var out []inst
	for at := f.Start; len(b) > 0; {
		in, err := x86.Decode(b)
		if err != nil {
			break
		}
		out = append(out, inst{in, at, b[:in.Len]})
		b, at = b[in.Len:], at+uint64(in.Len)
	}
	return out
}

// maxFunction is more than any function has that interests here.
const maxFunction = 64 << 10

// functionsWith are the functions in which the bytes occur and one of whose
// instructions is as wanted.
func (s *search) functionsWith(pattern []byte, wanted func(*inst) bool) []symbols.FDE {
	var out []symbols.FDE
	last := uint64(0)
	s.occurrences(pattern, func(at uint64) {
		f, ok := s.containing(at)
		if !ok || f.Start == last {
			return
		}
		for _, in := range s.insts(f) {
			if wanted(&in) {
				out = append(out, f)
				last = f.Start
				return
			}
		}
	})
	return out
}

func (s *search) occurrences(pattern []byte, each func(at uint64)) {
	for _, t := range s.code {
		for off := 0; ; off++ {
			i := bytes.Index(t.b[off:], pattern)
			if i < 0 {
				break
			}
			off += i
			each(t.at + uint64(off))
		}
	}
}

// headerReaders are the functions that check both fields of an .eh_frame_hdr that have
// one legal value for searching it: version, and encoding of the table.
func (s *search) headerReaders() []symbols.FDE {
	candidates := s.functionsWith([]byte{3, dataRel4}, comparesEncoding)
	return slices.DeleteFunc(candidates, func(f symbols.FDE) bool {
		return !slices.ContainsFunc(s.insts(f), func(in inst) bool { return comparesVersion(&in) })
	})
}

// readsHeaders tells of such a function where functions have no bounds.
func (s *search) readsHeaders() (reads bool) {
	s.occurrences([]byte{3, dataRel4}, func(at uint64) {
		const before = 128
		b := s.m.Bytes(at-before, before)
		for i := 0; i+3 <= len(b); i++ {
			in, _, ok := first(b[i:])
			reads = reads || ok && comparesVersion(&inst{in, 0, b[i:]})
		}
	})
	return reads
}

// findObjects finds whom the readers of .eh_frame_hdr call.
func (s *search) findObjects() []Entry {
	var out []Entry
	for _, f := range s.headerReaders() {
		s.unwinder = true
		if addr, ok := s.asked(s.insts(f)); ok {
			out = appendEntry(out, Entry{Addr: addr, Function: AsksFindObject})
		}
	}
	return out
}

func appendEntry(out []Entry, e Entry) []Entry {
	for _, o := range out {
		if o == e {
			return out
		}
	}
	return append(out, e)
}

// comparesEncoding is cmpb $0x3b, 3(reg).
func comparesEncoding(in *inst) bool { return comparesByte(in, 3, dataRel4) }

// comparesVersion is cmpb $1, (reg).
func comparesVersion(in *inst) bool { return comparesByte(in, 0, 1) }

func comparesByte(in *inst, off int32, value byte) bool {
	return in.Map == x86.Map1 && in.Opcode == 0x80 && in.Reg()&7 == 7 && in.Mod() < 2 &&
		!in.RIPRel && in.Disp == off && in.b[in.ImmOff] == value
}

// asked finds, before the comparison, a call whose second argument is a place on
// the stack and whose result is tested against zero.
func (s *search) asked(ins []inst) (uint64, bool) {
	onStack := 0 // how many instructions ago rsi became an address on the stack
	for i := range ins {
		in := &ins[i]
		onStack++
		switch {
		case comparesEncoding(in):
			return 0, false
		case in.Opcode == 0x8d && in.Map == x86.Map1 && in.Reg() == 6 && in.HasSIB() && in.SIB&0x3f == 0x24:
			onStack = 0
		case in.Flow == x86.FlowCall && onStack <= 4 && i+1 < len(ins) && testsEAX(&ins[i+1]) && s.callable(in.Target(in.at)):
			return in.Target(in.at), true
		case in.Flow == x86.FlowCall:
			onStack = 1000
		}
	}
	return 0, false
}

func testsEAX(in *inst) bool { return bytes.Equal(in.b, []byte{0x85, 0xc0}) }

// iteratePhdrs finds what is called with a function that compares program header
// types.
func (s *search) iteratePhdrs() []Entry {
	pattern := binary.LittleEndian.AppendUint32(nil, ptGNUEhFrame)
	var out []Entry
	for _, f := range s.functionsWith(pattern, comparesType) {
		for _, at := range s.handedTo(f.Start) {
			s.unwinder = true
			out = appendEntry(out, Entry{Addr: at, Function: AsksIteratePhdr})
		}
	}
	return out
}

// comparesType is cmp $PT_GNU_EH_FRAME, r/m32.
func comparesType(in *inst) bool {
	short := in.Opcode == 0x3d
	long := in.Opcode == 0x81 && in.Reg()&7 == 7
	return in.Map == x86.Map1 && (short || long) && in.ImmLen == 4 &&
		binary.LittleEndian.Uint32(in.b[in.ImmOff:]) == ptGNUEhFrame
}

// handedTo are the functions that are called with the address of fn in rdi.
func (s *search) handedTo(fn uint64) []uint64 {
	var out []uint64
	for _, t := range s.code {
		for off := 0; off+7 <= len(t.b); off++ {
			at := t.at + uint64(off)
			if n := loadsRDI(t.b[off:], at, fn); n > 0 {
				if callee, ok := s.callBehind(at); ok {
					out = append(out, callee)
				}
			}
		}
	}
	return out
}

// loadsRDI reports how long the instruction is if it puts fn into rdi.
func loadsRDI(b []byte, at, fn uint64) int {
	le := binary.LittleEndian
	rel := func(off int) uint64 { return uint64(int64(int32(le.Uint32(b[off:])))) }
	switch {
	case b[0] == 0x48 && b[1] == 0x8d && b[2] == 0x3d && at+7+rel(3) == fn: // lea fn(%rip), %rdi
		return 7
	case b[0] == 0x48 && b[1] == 0xc7 && b[2] == 0xc7 && rel(3) == fn: // mov $fn, %rdi
		return 7
	case b[0] == 0xbf && rel(1) == fn: // mov $fn, %edi
		return 5
	}
	return 0
}

// callBehind is the target of the first call behind at, if the function really has
// an instruction at that address and the call follows without a jump.
func (s *search) callBehind(at uint64) (uint64, bool) {
	f, ok := s.containing(at)
	if !ok {
		return 0, false
	}
	ins := s.insts(f)
	i := sort.Search(len(ins), func(i int) bool { return ins[i].at >= at })
	if i == len(ins) || ins[i].at != at {
		return 0, false
	}
	for _, in := range ins[i:min(i+12, len(ins))] {
		if in.Flow == x86.FlowCall {
			return in.Target(in.at), s.callable(in.Target(in.at))
		}
		if in.Flow != x86.FlowNone && in.Flow != x86.FlowJcc {
			return 0, false
		}
	}
	return 0, false
}
