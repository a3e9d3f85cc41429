package symbols

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// candidate is one name at one address, before names are joined.
type candidate struct {
	addr, size uint64
	limit      uint64 // end of the section or segment
	name       string
	version    string
	source     Source
	rank       uint8 // of the name: lower is better
	ifunc      bool
	assembly   bool
}

// Functions returns the module's functions sorted by address, one for each
// address: those of all symbol tables, of Go's function table, and what unwind
// information shows beside them. PLT stubs are not functions. The result is
// computed once and shared: do not change it.
func (m *Module) Functions() ([]Func, error) { return m.funcs.get(m.readFunctions) }

func (m *Module) readFunctions() ([]Func, error) {
	cands, err := m.candidates()
	if err != nil {
		return nil, err
	}
	fdes, err := m.FDEs()
	if err != nil {
		return nil, err
	}
	funcs := m.join(cands)
	m.setSizes(funcs, fdes)
	return m.addUncovered(funcs, fdes), nil
}

// candidates collects the names of all sources.
func (m *Module) candidates() ([]candidate, error) {
	tables, err := m.tables()
	if err != nil {
		return nil, err
	}
	syms, err := m.symbolCandidates(tables, func(sym) bool { return true })
	if err != nil {
		return nil, err
	}
	gofuncs, err := m.goCandidates()
	if err != nil {
		return nil, err
	}
	return mergeGo(gofuncs, syms), nil
}

// symbolCandidates collects the names of the functions that keep wants.
func (m *Module) symbolCandidates(tables []*symTable, keep func(sym) bool) ([]candidate, error) {
	var out []candidate
	var err error
	for _, t := range tables {
		if out, err = m.appendSymbols(out, t, keep); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *Module) appendSymbols(out []candidate, t *symTable, keep func(sym) bool) ([]candidate, error) {
	for i := range t.len() {
		s := t.at(i)
		if !keep(s) || !m.isFunction(s) {
			continue
		}
		if len(out) == maxFunctions {
			return nil, malformed("over %d function symbols", maxFunctions)
		}
		if c, ok := m.candidate(t, i, s); ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// candidate describes symbol i of t. Names such as "$x" mark code of a kind, not
// functions.
func (m *Module) candidate(t *symTable, i int, s sym) (candidate, bool) {
	name := t.name(s)
	if name == "" || name[0] == '$' {
		return candidate{}, false
	}
	seg, _ := m.segs.exec(s.value)
	c := candidate{addr: s.value, size: s.size, limit: seg.Vaddr + seg.Filesz, source: t.source}
	var hidden bool
	c.name, c.version, hidden = splitVersion(name)
	if t.source == Dynsym {
		c.name = name
		c.version, hidden = t.version(i)
	}
	c.ifunc = s.typ == elf.STT_GNU_IFUNC
	c.rank = rankOf(s, hidden)
	if n := int(s.shndx); n < len(t.sections) && t.sections[n].end() > s.value {
		c.limit = min(c.limit, t.sections[n].end())
	}
	c.size = min(c.size, c.limit-c.addr)
	return c, true
}

// join makes one function of all candidates at one address.
func (m *Module) join(cands []candidate) []Func {
	slices.SortFunc(cands, func(a, b candidate) int {
		return cmp.Or(cmpUint(a.addr, b.addr), cmp.Compare(a.rank, b.rank),
			cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	})
	var funcs []Func
	for len(cands) > 0 {
		n := 1
		for n < len(cands) && cands[n].addr == cands[0].addr {
			n++
		}
		funcs = append(funcs, joinOne(cands[:n]))
		cands = cands[n:]
	}
	return funcs
}

// joinOne joins candidates with one address, best name first.
func joinOne(cs []candidate) Func {
	f := Func{Name: cs[0].name, Addr: cs[0].addr, Source: cs[0].source, Cold: isColdName(cs[0].name)}
	for _, c := range cs {
		f.Source = min(f.Source, c.source)
		f.IFunc = f.IFunc || c.ifunc
		f.Go = f.Go || c.source == Pclntab
		f.Assembly = f.Assembly || c.assembly
		f.Size = max(f.Size, c.size)
		if c.name != f.Name {
			f.Aliases = append(f.Aliases, c.name)
		}
		if c.version != "" {
			f.Aliases = append(f.Aliases, c.name+"@"+c.version)
		}
	}
	if len(f.Aliases) > 1 {
		slices.Sort(f.Aliases)
		f.Aliases = slices.Compact(f.Aliases)
	}
	f.SizeKnown = f.Size != 0
	return f
}

// setSizes settles sizes: the unwind range that starts at a function decides over
// its symbol, unless other functions lie inside that range (hand-written code with
// one range for several entries). What has neither reaches up to the next thing.
func (m *Module) setSizes(funcs []Func, fdes []FDE) {
	for i := range funcs {
		f := &funcs[i]
		next := ^uint64(0)
		if i+1 < len(funcs) {
			next = funcs[i+1].Addr
		}
		k := fdeFrom(fdes, f.Addr)
		if k < len(fdes) && fdes[k].Start == f.Addr {
			m.sizeByFDE(f, fdes[k], next)
			k++
		}
		if f.SizeKnown {
			continue
		}
		if k < len(fdes) {
			next = min(next, fdes[k].Start)
		}
		if k > 0 && fdes[k-1].End > f.Addr { // a range that begins earlier
			next, f.SizeKnown = min(next, fdes[k-1].End), true
		}
		f.Size = min(next, m.codeEnd(f.Addr)) - f.Addr
	}
}

func (m *Module) sizeByFDE(f *Func, e FDE, next uint64) {
	f.Cold = f.Cold || e.Fragment && f.Source == EhFrame
	switch {
	case e.End > m.codeEnd(f.Addr):
	case e.End <= next:
		f.Size, f.SizeKnown = e.End-e.Start, true
	case !f.SizeKnown:
		f.Size, f.SizeKnown = next-f.Addr, true
	}
}

// fdeFrom is the index of the first range that starts at addr or later.
func fdeFrom(fdes []FDE, addr uint64) int {
	return sort.Search(len(fdes), func(i int) bool { return fdes[i].Start >= addr })
}

// codeEnd is the end of the section, or failing that the segment, around addr.
func (m *Module) codeEnd(addr uint64) uint64 {
	seg, ok := m.segs.exec(addr)
	if !ok {
		return addr
	}
	end := seg.Vaddr + seg.Filesz
	if s := m.codeSection(addr); s != nil {
		end = min(end, s.end())
	}
	return end
}

// codeSection is the executable section around addr, nil if there is none.
func (m *Module) codeSection(addr uint64) *section {
	i := sort.Search(len(m.code), func(i int) bool { return m.code[i].addr > addr })
	if i == 0 || addr >= m.code[i-1].end() {
		return nil
	}
	return &m.code[i-1]
}

// addUncovered adds a nameless function for each unwind range that lies in none.
func (m *Module) addUncovered(funcs []Func, fdes []FDE) []Func {
	var extra []Func
	i, covered := 0, uint64(0)
	for _, e := range fdes {
		for ; i < len(funcs) && funcs[i].Addr <= e.Start; i++ {
			covered = max(covered, funcs[i].End())
		}
		if e.Start < covered || m.isPLT(e.Start) {
			continue
		}
		end := min(e.End, m.codeEnd(e.Start))
		if i < len(funcs) && funcs[i].Addr < end {
			if e.Fragment { // such as the byte before a signal trampoline
				continue
			}
			end = funcs[i].Addr
		}
		covered = end
		extra = append(extra, Func{Name: fmt.Sprintf("sub_%x", e.Start), Addr: e.Start, Size: end - e.Start,
			Source: EhFrame, SizeKnown: true, Cold: e.Fragment})
	}
	if len(extra) == 0 {
		return funcs
	}
	m.nameUncovered(extra)
	funcs = append(funcs, extra...)
	slices.SortFunc(funcs, func(a, b Func) int { return cmpUint(a.Addr, b.Addr) })
	return funcs
}

// nameUncovered names functions that have a symbol without a type, as labels in
// assembly are.
func (m *Module) nameUncovered(extra []Func) {
	tables, err := m.tables()
	if err != nil {
		return
	}
	index := make(map[uint64]int, len(extra))
	for i, f := range extra {
		index[f.Addr] = i
	}
	for _, t := range tables {
		for i := range t.len() {
			s := t.at(i)
			k, ok := index[s.value]
			if !ok || s.typ != elf.STT_NOTYPE || s.shndx == elf.SHN_UNDEF {
				continue
			}
			if name := t.name(s); name != "" && name[0] != '$' {
				extra[k].addName(name)
			}
		}
	}
}

// isPLT reports whether addr is in a procedure linkage table: by section, or, in a
// file without sections, by the jump through a memory word that a stub begins with.
func (m *Module) isPLT(addr uint64) bool {
	if len(m.sections) > 0 {
		s := m.codeSection(addr)
		return s != nil && strings.HasPrefix(s.name, ".plt")
	}
	b := m.Bytes(addr, 16)
	b = bytes.TrimPrefix(b, []byte{0xf3, 0x0f, 0x1e, 0xfa}) // endbr64
	if bytes.HasPrefix(b, []byte{0xff, 0x35}) {             // push the link map
		b = b[6:]
	}
	b = bytes.TrimPrefix(b, []byte{0xf2}) // bnd
	return bytes.HasPrefix(b, []byte{0xff, 0x25})
}
