package symbols

import (
	"debug/elf"
	"slices"
	"strings"
)

// Lookup returns the functions that have exactly this name, as it is in the file
// (mangled) or versioned as "name@VERSION", sorted by address; none is no error.
// Several share a name when local functions of different sources do, or several
// versions exist. It agrees with Functions but does not build that list unless it
// must: for Go programs, made-up names, and functions whose size nobody states.
func (m *Module) Lookup(name string) ([]Func, error) {
	if name == "" {
		return nil, nil
	}
	quick := !m.funcs.done.Load() && !strings.HasPrefix(name, "sub_") && !m.IsGo()
	if quick {
		found, ok, err := m.lookupSymbols(name)
		if ok || err != nil {
			return found, err
		}
	}
	all, err := m.Functions()
	return withName(all, name), err
}

func withName(funcs []Func, name string) []Func {
	var out []Func
	for _, f := range funcs {
		if f.Has(name) {
			out = append(out, f)
		}
	}
	return out
}

// span is a range of addresses.
type span struct{ lo, hi uint64 }

// lookupSymbols does Lookup with symbol tables and single unwind entries; false
// when that does not settle a size.
func (m *Module) lookupSymbols(name string) ([]Func, bool, error) {
	tables, err := m.tables()
	if err != nil {
		return nil, false, err
	}
	var fdes []FDE
	var spans []span
	addrs, other := m.addressesOf(tables, name)
	if other || len(addrs) > manyAddresses {
		return nil, false, nil
	}
	for _, addr := range addrs {
		s := span{addr, addr + 1}
		e, ok, err := m.fdeAt(addr)
		if err != nil {
			return nil, false, err
		}
		if ok {
			fdes = append(fdes, e)
			s.hi = max(s.hi, e.End)
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		return nil, true, nil
	}
	cands, err := m.symbolCandidates(tables, func(s sym) bool { return within(spans, s.value) })
	if err != nil {
		return nil, false, err
	}
	funcs := m.join(cands)
	m.setSizes(funcs, fdes)
	funcs = withName(funcs, name)
	settled := !slices.ContainsFunc(funcs, func(f Func) bool { return !f.SizeKnown })
	return funcs, settled, nil
}

func within(spans []span, addr uint64) bool {
	for _, s := range spans {
		if addr >= s.lo && addr < s.hi {
			return true
		}
	}
	return false
}

// manyAddresses is where building the full list becomes cheaper than comparing every
// symbol with each address.
const manyAddresses = 64

// addressesOf scans for functions called name, with or without a version; sorted.
// other tells of an untyped symbol of that name, which may be a function all the same.
func (m *Module) addressesOf(tables []*symTable, name string) (addrs []uint64, other bool) {
	base, _, _ := splitVersion(name)
	for _, t := range tables {
		for i := range t.len() {
			s := t.at(i)
			if !t.isNamed(s, base) {
				continue
			}
			if m.isFunction(s) {
				addrs = append(addrs, s.value)
			}
			other = other || s.typ == elf.STT_NOTYPE && s.shndx != elf.SHN_UNDEF
		}
	}
	slices.Sort(addrs)
	return slices.Compact(addrs), other
}

// isNamed reports whether s is called base, perhaps followed by a version.
func (t *symTable) isNamed(s sym, base string) bool {
	end := uint64(s.name) + uint64(len(base))
	return end < uint64(len(t.strs)) && (t.strs[end] == 0 || t.strs[end] == '@') && t.strs[s.name:end] == base
}
