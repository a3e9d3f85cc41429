package symbols

import (
	"debug/elf"
	"slices"
)

// rankOf orders names of one address: exported default version, exported other
// version, local.
func rankOf(s sym, hidden bool) uint8 {
	switch {
	case s.bind == elf.STB_LOCAL:
		return 3
	case hidden:
		return 2
	}
	return 1
}

// goCandidates are the functions of Go's table, with sizes up to the padding.
func (m *Module) goCandidates() ([]candidate, error) {
	t, err := m.goTable()
	if err != nil || t == nil {
		return nil, err
	}
	if t.nfunc > maxFunctions {
		return nil, malformed("over %d Go functions", maxFunctions)
	}
	out := make([]candidate, 0, t.nfunc)
	err = t.each(func(g goFunc) {
		if _, ok := m.segs.exec(g.addr); ok && g.end > g.addr && g.name != "" && !isGoMark(g.name) {
			out = append(out, candidate{addr: g.addr, size: m.withoutPadding(g.addr, g.end-g.addr),
				limit: g.end, name: g.name, source: Pclntab, assembly: g.assembly})
		}
	})
	return out, err
}

// withoutPadding is n less the int3 bytes that Go's linker fills gaps with.
func (m *Module) withoutPadding(addr, n uint64) uint64 {
	b := m.Bytes(addr, int(min(n, tableLimit)))
	for len(b) > 1 && b[len(b)-1] == 0xcc {
		b = b[:len(b)-1]
	}
	if len(b) > 0 {
		return uint64(len(b))
	}
	return n
}

// isGoMark knows what Go's linker puts into the tables to mark places in code.
func isGoMark(name string) bool {
	switch name {
	case "runtime.text", "runtime.etext", "go:textfipsstart", "go:textfipsend", "go:buildid", "go.buildid":
		return true
	}
	return false
}

// mergeGo puts Go's table and the symbols together. Within the range of Go code
// the table is complete: symbols there are other names of its entries, or marks
// that are no functions. C code lies outside.
func mergeGo(gofuncs, syms []candidate) []candidate {
	if len(gofuncs) == 0 {
		return syms
	}
	lo, hi := gofuncs[0].addr, gofuncs[len(gofuncs)-1].limit
	entries := make(map[uint64]bool, len(gofuncs))
	for _, g := range gofuncs {
		entries[g.addr] = true
	}
	syms = slices.DeleteFunc(syms, func(c candidate) bool {
		return c.addr >= lo && c.addr < hi && !entries[c.addr] || isGoMark(c.name)
	})
	for i := range syms {
		if entries[syms[i].addr] {
			syms[i].size = 0
		}
	}
	return append(syms, gofuncs...)
}
