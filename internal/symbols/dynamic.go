package symbols

import (
	"debug/elf"
	"encoding/binary"
)

// dynamic is PT_DYNAMIC: the first value of each tag.
type dynamic struct {
	tags map[elf.DynTag]uint64
}

func (m *Module) dynamic() (dynamic, error) { return m.dyn.get(m.readDynamic) }

func (m *Module) readDynamic() (dynamic, error) {
	d := dynamic{tags: map[elf.DynTag]uint64{}}
	s := m.segs.dynamic
	if s.Memsz == 0 || s.Filesz == 0 {
		return d, nil
	}
	b, err := m.readMem(s.Vaddr, s.Filesz, "dynamic section")
	if err != nil {
		return d, err
	}
	le := binary.LittleEndian
	for ; len(b) >= 16; b = b[16:] {
		tag := elf.DynTag(le.Uint64(b))
		if tag == elf.DT_NULL {
			break
		}
		if _, dup := d.tags[tag]; !dup {
			d.tags[tag] = le.Uint64(b[8:])
		}
	}
	return d, nil
}

// ptr is the address a tag holds. The C library's loader relocates these words
// in memory, so one that points nowhere in the file's own numbering is taken as
// absolute.
func (m *Module) ptr(d dynamic, tag elf.DynTag) uint64 {
	v := d.tags[tag]
	if m.inMemory && v != 0 && (v < m.segs.bounds[0] || v >= m.segs.bounds[1]) {
		return v - m.bias
	}
	return v
}

// dynamicSymbols is the length of .dynsym in entries. Symbols that relocations use
// count even when no hash table reaches them: a module that exports nothing has an
// empty one.
func (m *Module) dynamicSymbols(d dynamic) (uint64, error) {
	for i := range m.sections {
		if s := &m.sections[i]; s.typ == elf.SHT_DYNSYM {
			return s.size / symSize, nil
		}
	}
	n, err := m.hashedSymbols(d)
	if err != nil || d.tags[elf.DT_SYMTAB] == 0 {
		return 0, err
	}
	rels, err := m.relocations()
	for _, r := range rels {
		n = max(n, uint64(r.sym)+1)
	}
	return n, err
}

// hashedSymbols derives how many symbols there are, which no tag states, from
// whichever hash table there is.
func (m *Module) hashedSymbols(d dynamic) (uint64, error) {
	if at := m.ptr(d, elf.DT_HASH); at != 0 {
		b, err := m.readMem(at, 8, "hash table")
		if err != nil {
			return 0, err
		}
		return uint64(binary.LittleEndian.Uint32(b[4:])), nil
	}
	if at := m.ptr(d, elf.DT_GNU_HASH); at != 0 {
		return m.gnuHashCount(at)
	}
	return 0, nil
}

// gnuHashCount finds the highest symbol index in a DT_GNU_HASH table: the chain
// of the highest bucket, followed to the entry with bit 0 set.
func (m *Module) gnuHashCount(at uint64) (uint64, error) {
	b, err := m.readMem(at, min(m.restOfSegment(at), tableLimit), "GNU hash table")
	if err != nil {
		return 0, err
	}
	c := cursor{b: b}
	nbuckets, first, bloom := c.u32(), c.u32(), c.u32()
	c.skip(4 + 8*uint64(bloom))
	highest := uint32(0)
	for i := uint32(0); i < nbuckets && !c.bad; i++ {
		highest = max(highest, c.u32())
	}
	if c.bad || highest != 0 && highest < first {
		return 0, malformed("GNU hash table at %#x", at)
	}
	if highest == 0 {
		return uint64(first), nil
	}
	c.skip(4 * uint64(highest-first))
	for n := uint64(highest) + 1; !c.bad; n++ {
		if c.u32()&1 != 0 && !c.bad {
			return n, nil
		}
	}
	return 0, malformed("GNU hash chain at %#x does not end", at)
}
