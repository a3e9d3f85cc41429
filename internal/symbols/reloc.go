package symbols

import (
	"debug/elf"
	"encoding/binary"
	"math/bits"
	"slices"
)

// reloc is one dynamic relocation. RELR ones appear as RELATIVE.
type reloc struct {
	off    uint64
	typ    elf.R_X86_64
	sym    uint32
	addend int64
}

const relaSize = 24

// Tags of the generic ABI that debug/elf does not name.
const (
	dtRelrSize elf.DynTag = 35
	dtRelr     elf.DynTag = 36
)

// relocations are all dynamic relocations, read once.
func (m *Module) relocations() ([]reloc, error) { return m.relocs.get(m.readRelocations) }

func (m *Module) readRelocations() ([]reloc, error) {
	d, err := m.dynamic()
	if err != nil {
		return nil, err
	}
	var rels []reloc
	for _, t := range m.relaTables(d) {
		b, err := m.readMem(t[0], t[1], "relocations")
		if err != nil {
			return nil, err
		}
		if len(rels)+len(b)/relaSize > maxRelocs {
			return nil, malformed("over %d relocations", maxRelocs)
		}
		for ; len(b) >= relaSize; b = b[relaSize:] {
			rels = append(rels, parseRela(b))
		}
	}
	if n := d.tags[dtRelrSize]; n != 0 {
		return m.appendRelr(rels, m.ptr(d, dtRelr), n)
	}
	return rels, nil
}

// relaTables are address and size of each RELA table, none twice. A static program
// without PT_DYNAMIC still has IRELATIVE relocations, known by section only.
func (m *Module) relaTables(d dynamic) [][2]uint64 {
	var ts [][2]uint64
	if n := d.tags[elf.DT_RELASZ]; n != 0 {
		ts = append(ts, [2]uint64{m.ptr(d, elf.DT_RELA), n})
	}
	if n := d.tags[elf.DT_PLTRELSZ]; n != 0 {
		at := m.ptr(d, elf.DT_JMPREL)
		if len(ts) == 0 || at < ts[0][0] || at >= ts[0][0]+ts[0][1] {
			ts = append(ts, [2]uint64{at, n})
		}
	}
	if len(ts) > 0 {
		return ts
	}
	for _, s := range m.sections {
		if s.typ == elf.SHT_RELA && s.flags&elf.SHF_ALLOC != 0 && s.addr != 0 {
			ts = append(ts, [2]uint64{s.addr, s.size})
		}
	}
	return ts
}

func parseRela(b []byte) reloc {
	le := binary.LittleEndian
	info := le.Uint64(b[8:])
	return reloc{
		off:    le.Uint64(b),
		typ:    elf.R_X86_64(uint32(info)),
		sym:    uint32(info >> 32),
		addend: int64(le.Uint64(b[16:])),
	}
}

// appendRelr expands DT_RELR: an even word is the address of a relocated word, an
// odd one a bitmap of the 63 words after the last; addends are in place.
func (m *Module) appendRelr(rels []reloc, at, n uint64) ([]reloc, error) {
	b, err := m.readMem(at, n, "RELR relocations")
	if err != nil {
		return nil, err
	}
	where := uint64(0)
	add := func(off uint64) {
		rels = append(rels, reloc{off: off, typ: elf.R_X86_64_RELATIVE, addend: m.inPlace(off)})
	}
	for ; len(b) >= 8; b = b[8:] {
		if len(rels) > maxRelocs {
			return nil, malformed("over %d relocations", maxRelocs)
		}
		w := binary.LittleEndian.Uint64(b)
		if w&1 == 0 {
			add(w)
			where = w + 8
			continue
		}
		for w >>= 1; w != 0; w &= w - 1 {
			add(where + 8*uint64(bits.TrailingZeros64(w)))
		}
		where += 63 * 8
	}
	return rels, nil
}

// inPlace is the addend that a word holds; in memory it is relocated already.
func (m *Module) inPlace(off uint64) int64 {
	b := m.Bytes(off, 8)
	if b == nil {
		return 0
	}
	v := binary.LittleEndian.Uint64(b)
	if m.inMemory {
		v -= m.bias
	}
	return int64(v)
}

// RelativeAddends returns the addresses of code that data words of the module are
// relocated to hold, sorted, none twice: function pointers, vtable entries, jump
// tables of absolute addresses, IFUNC resolvers.
func (m *Module) RelativeAddends() ([]uint64, error) { return m.addends.get(m.readAddends) }

func (m *Module) readAddends() ([]uint64, error) {
	rels, err := m.relocations()
	if err != nil {
		return nil, err
	}
	dynsym, err := m.dynsym.get(m.readDynsym)
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, r := range rels {
		v := uint64(r.addend)
		switch r.typ {
		case elf.R_X86_64_RELATIVE, elf.R_X86_64_IRELATIVE:
		case elf.R_X86_64_64:
			v += symbolValue(dynsym, r.sym)
		default:
			continue
		}
		if _, ok := m.segs.exec(v); ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// symbolValue is the address of a symbol that the module defines, else 0.
func symbolValue(t *symTable, i uint32) uint64 {
	if t == nil || int(i) >= t.len() || i == 0 {
		return 0
	}
	s := t.at(int(i))
	if s.shndx == elf.SHN_UNDEF {
		return 0
	}
	return s.value
}
