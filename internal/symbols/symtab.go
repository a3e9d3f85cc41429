package symbols

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
	"strings"
)

const symSize = 24

// sym is one symbol table entry.
type sym struct {
	name  uint32
	typ   elf.SymType
	bind  elf.SymBind
	shndx elf.SectionIndex
	value uint64
	size  uint64
}

// symTable is a symbol table as stored; symbols are decoded one at a time.
type symTable struct {
	source   Source
	syms     []byte
	strs     string
	versions []byte            // .gnu.version: 2 bytes a symbol, or empty
	verNames map[uint16]string // version index to name, from .gnu.version_d
	sections []section         // what shndx counts in; nil if unknown
}

func (t *symTable) len() int { return len(t.syms) / symSize }

func (t *symTable) at(i int) sym {
	b := t.syms[i*symSize : (i+1)*symSize]
	le := binary.LittleEndian
	return sym{
		name:  le.Uint32(b),
		typ:   elf.ST_TYPE(b[4]),
		bind:  elf.ST_BIND(b[4]),
		shndx: elf.SectionIndex(le.Uint16(b[6:])),
		value: le.Uint64(b[8:]),
		size:  le.Uint64(b[16:]),
	}
}

func (t *symTable) name(s sym) string { return cstring(t.strs, uint64(s.name)) }

// nameIs compares without looking for the end of the stored name.
func (t *symTable) nameIs(s sym, name string) bool {
	end := uint64(s.name) + uint64(len(name))
	return end < uint64(len(t.strs)) && t.strs[end] == 0 && t.strs[s.name:end] == name
}

const versionHidden = 0x8000 // not the default version of its name

// version is the version name of symbol i, and whether `name` without version
// means another symbol.
func (t *symTable) version(i int) (name string, hidden bool) {
	if len(t.versions) < 2*(i+1) {
		return "", false
	}
	v := binary.LittleEndian.Uint16(t.versions[2*i:])
	return t.verNames[v&^versionHidden], v&versionHidden != 0
}

// isFunction reports whether s is a function that the module defines.
func (m *Module) isFunction(s sym) bool {
	if s.typ != elf.STT_FUNC && s.typ != elf.STT_GNU_IFUNC {
		return false
	}
	if s.shndx == elf.SHN_UNDEF || s.shndx == elf.SHN_ABS || s.shndx == elf.SHN_COMMON {
		return false
	}
	_, ok := m.segs.exec(s.value)
	return ok
}

// tables are the symbol tables there are, the richer first.
func (m *Module) tables() ([]*symTable, error) {
	st, err := m.symtab.get(m.readSymtab)
	if err != nil {
		return nil, err
	}
	dt, err := m.dynsym.get(m.readDynsym)
	if err != nil {
		return nil, err
	}
	var ts []*symTable
	for _, t := range []*symTable{st, dt} {
		if t != nil && t.len() > 0 {
			ts = append(ts, t)
		}
	}
	return ts, nil
}

// readSymtab reads .symtab of the file itself or of its separate debug file.
func (m *Module) readSymtab() (*symTable, error) {
	if m.inMemory {
		return nil, nil
	}
	t, err := m.fileTable(m.r, m.size, m.sections)
	if t != nil || err != nil {
		return t, err
	}
	return m.debugSymtab(), nil
}

// fileTable reads the symbol table among the sections of a file, nil if it has
// none.
func (m *Module) fileTable(r io.ReaderAt, size uint64, secs []section) (*symTable, error) {
	i := slices.IndexFunc(secs, func(s section) bool { return s.typ == elf.SHT_SYMTAB })
	if i < 0 {
		return nil, nil
	}
	s := secs[i]
	if s.link == 0 || int(s.link) >= len(secs) {
		return nil, malformed("symbol table's string table is section %d of %d", s.link, len(secs))
	}
	strs := secs[s.link]
	if !m.charge(s.size) || !m.charge(strs.size) {
		return nil, malformed("symbol table of %d and %d bytes", s.size, strs.size)
	}
	syms, err := readAt(r, size, s.off, s.size, "symbol table")
	if err != nil {
		return nil, err
	}
	names, err := readString(r, size, strs.off, strs.size, "string table")
	if err != nil {
		return nil, err
	}
	return &symTable{source: Symtab, syms: syms, strs: names, sections: secs}, nil
}

// readDynsym finds .dynsym through PT_DYNAMIC, as the loader does: that works
// without section headers and in memory.
func (m *Module) readDynsym() (*symTable, error) {
	d, err := m.dynamic()
	if err != nil {
		return nil, err
	}
	symAt, strAt, strLen := m.ptr(d, elf.DT_SYMTAB), m.ptr(d, elf.DT_STRTAB), d.tags[elf.DT_STRSZ]
	n, err := m.dynamicSymbols(d)
	if err != nil || n == 0 || symAt == 0 || strAt == 0 {
		return nil, err
	}
	if !m.charge(n*symSize) || !m.charge(strLen) {
		return nil, malformed("%d dynamic symbols with %d bytes of names", n, strLen)
	}
	syms, err := m.readMem(symAt, n*symSize, "dynamic symbols")
	if err != nil {
		return nil, err
	}
	strs, err := m.readMem(strAt, strLen, "dynamic strings")
	if err != nil {
		return nil, err
	}
	t := &symTable{source: Dynsym, syms: syms, strs: string(strs), sections: m.sections}
	return t, m.readVersions(d, t, n)
}

// readVersions fills in what versions t's symbols have.
func (m *Module) readVersions(d dynamic, t *symTable, n uint64) error {
	at, defs, count := m.ptr(d, elf.DT_VERSYM), m.ptr(d, elf.DT_VERDEF), d.tags[elf.DT_VERDEFNUM]
	if at == 0 || defs == 0 {
		return nil
	}
	var err error
	if t.versions, err = m.readMem(at, 2*n, "symbol versions"); err != nil {
		return err
	}
	b, err := m.readMem(defs, min(m.restOfSegment(defs), tableLimit), "version definitions")
	if err != nil {
		return err
	}
	t.verNames = versionNames(b, t.strs, count)
	return nil
}

// versionNames walks Elf64_Verdef records. Version 1, the file itself, names no
// symbol's version.
func versionNames(b []byte, strs string, count uint64) map[uint16]string {
	names := map[uint16]string{}
	for off, i := uint64(0), uint64(0); i < count && off < uint64(len(b)); i++ {
		c := cursor{b: b, pos: off}
		c.skip(4)
		index := c.u16()
		c.skip(2 + 4)
		aux, next := c.u32(), c.u32()
		if a := off + uint64(aux); a < uint64(len(b)) && !c.bad {
			c.pos = a
			if index > 1 {
				names[index] = cstring(strs, uint64(c.u32()))
			}
		}
		if next == 0 || c.bad {
			break
		}
		off += uint64(next)
	}
	return names
}

// splitVersion takes "name@VERSION" or "name@@VERSION" of a .symtab apart.
func splitVersion(name string) (base, version string, hidden bool) {
	i := strings.IndexByte(name, '@')
	if i <= 0 {
		return name, "", false
	}
	version = name[i+1:]
	if def, ok := strings.CutPrefix(version, "@"); ok {
		return name[:i], def, false
	}
	return name[:i], version, true
}
