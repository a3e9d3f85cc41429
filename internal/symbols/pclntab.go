package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
)

// The header magics of Go's function table by the release that introduced them,
// from the runtime's symtab.go. Older tables are not read: such programs show the
// functions of .symtab.
const (
	magicGo116 = 0xfffffffa
	magicGo118 = 0xfffffff0
	magicGo120 = 0xfffffff1
)

// pclntab is a decoded header with the parts it points to.
type pclntab struct {
	magic     uint32
	nfunc     uint64
	textStart uint64
	names     string
	cuOffsets []byte
	files     string
	pctab     []byte
	functab   []byte // from the function table to the end
}

// goFunc is one entry.
type goFunc struct {
	name     string
	addr     uint64
	end      uint64 // where the next entry starts
	assembly bool
}

// goTable reads the module's table, nil when it is no Go program.
func (m *Module) goTable() (*pclntab, error) {
	b, at, err := m.findPclntab()
	if err != nil || b == nil {
		return nil, err
	}
	t, err := parsePclntab(b)
	if err != nil || t == nil || t.magic == magicGo116 {
		return t, err
	}
	if !m.charge(uint64(len(t.names))) {
		return nil, malformed(".gopclntab has %d bytes of names", len(t.names))
	}
	t.textStart, err = m.goTextStart(at, t)
	return t, err
}

// pclntabSection is the table's own section, nil if it has none.
func (m *Module) pclntabSection() *section {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := m.section(name); s != nil && s.addr != 0 && s.typ != elf.SHT_NOBITS {
			return s
		}
	}
	return nil
}

// findPclntab returns the table and its address; nil if there is none. In files
// without section headers, and in those of linkers that merge it into another
// section (lld does), it is looked for by its header.
func (m *Module) findPclntab() ([]byte, uint64, error) {
	if s := m.pclntabSection(); s != nil {
		b, err := m.readMem(s.addr, s.size, ".gopclntab")
		return b, s.addr, err
	}
	if m.inMemory || len(m.sections) > 0 && m.section(".go.buildinfo") == nil {
		return nil, 0, nil
	}
	for _, s := range m.segs.loads {
		if s.Flags&elf.PF_X != 0 || s.Filesz > tableLimit {
			continue
		}
		if b := m.Bytes(s.Vaddr, int(s.Filesz)); b != nil {
			if i := pclntabIndex(b); i >= 0 {
				return b[i:], s.Vaddr + uint64(i), nil
			}
		}
	}
	return nil, 0, nil
}

// pclntabIndex finds a header: magic, two zeros, quantum 1, pointer size 8, and
// offsets that make sense. -1 if there is none.
func pclntabIndex(b []byte) int {
	tail := []byte{0xff, 0xff, 0xff, 0, 0, 1, 8}
	for base := 1; base < len(b); {
		i := bytes.Index(b[base:], tail)
		if i < 0 {
			break
		}
		base += i
		if t, err := parsePclntab(b[base-1:]); err == nil && t != nil {
			return base - 1
		}
		base++
	}
	return -1
}

// parsePclntab reads the header; nil for a magic it does not know.
func parsePclntab(b []byte) (*pclntab, error) {
	c := cursor{b: b}
	t := &pclntab{magic: c.u32()}
	pad, quantum, ptr := c.u16(), c.u8(), c.u8()
	switch t.magic {
	case magicGo116, magicGo118, magicGo120:
	default:
		return nil, nil
	}
	if pad != 0 || quantum != 1 || ptr != 8 {
		return nil, malformed(".gopclntab header")
	}
	t.nfunc = c.u64()
	c.skip(8) // number of files
	if t.magic != magicGo116 {
		t.textStart = c.u64()
	}
	var off [5]uint64 // names, units, files, pc tables, functions
	for i := range off {
		off[i] = c.u64()
	}
	for i := range off {
		if c.bad || off[i] > uint64(len(b)) || i > 0 && off[i] < off[i-1] {
			return nil, malformed(".gopclntab offsets")
		}
	}
	if t.nfunc > uint64(len(b)-int(off[4]))/t.entrySize() {
		return nil, malformed(".gopclntab has %d functions in %d bytes", t.nfunc, len(b)-int(off[4]))
	}
	t.names = string(b[off[0]:off[1]])
	t.cuOffsets = b[off[1]:off[2]]
	t.files = string(b[off[2]:off[3]])
	t.pctab = b[off[3]:off[4]]
	t.functab = b[off[4]:]
	return t, nil
}

// entrySize is that of a function table entry: address and offset.
func (t *pclntab) entrySize() uint64 {
	if t.magic == magicGo116 {
		return 16
	}
	return 8
}

// pc reads an address as the table stores it.
func (t *pclntab) pc(c *cursor) uint64 {
	if t.magic == magicGo116 {
		return c.u64()
	}
	return t.textStart + uint64(c.u32())
}

// each calls f for every function in address order.
func (t *pclntab) each(f func(goFunc)) error {
	c := cursor{b: t.functab}
	for i := uint64(0); i < t.nfunc; i++ {
		g := goFunc{addr: t.pc(&c)}
		off := t.offset(&c)
		next := cursor{b: t.functab, pos: c.pos}
		g.end = t.pc(&next)
		if next.bad || g.end < g.addr || !t.describe(&g, off) {
			return malformed(".gopclntab function %d", i)
		}
		f(g)
	}
	return nil
}

func (t *pclntab) offset(c *cursor) uint64 {
	if t.magic == magicGo116 {
		return c.u64()
	}
	return uint64(c.u32())
}

// describe fills in name and kind from the record at off: entry, name, args,
// deferreturn, pcsp, pcfile, pcln, npcdata, unit.
func (t *pclntab) describe(g *goFunc, off uint64) bool {
	if off > uint64(len(t.functab)) {
		return false
	}
	c := cursor{b: t.functab, pos: off}
	t.pc(&c)
	name := c.u32()
	c.skip(4 + 4 + 4)
	pcfile := c.u32()
	c.skip(4 + 4)
	unit := c.u32()
	if c.bad {
		return false
	}
	g.name = cstring(t.names, uint64(name))
	g.assembly = strings.HasSuffix(t.file(pcfile, unit), ".s")
	return true
}

// file is the name of the source file at a function's first instruction: the
// first delta of its file table counts from -1 and is zigzag coded.
func (t *pclntab) file(pcfile, unit uint32) string {
	if pcfile == 0 || uint64(pcfile) >= uint64(len(t.pctab)) || unit == ^uint32(0) {
		return ""
	}
	c := cursor{b: t.pctab, pos: uint64(pcfile)}
	delta := uint32(c.uleb())
	value := int32(delta>>1) ^ -int32(delta&1)
	index := 4 * (uint64(unit) + uint64(uint32(value-1)))
	if index+4 > uint64(len(t.cuOffsets)) {
		return ""
	}
	return cstring(t.files, uint64(binary.LittleEndian.Uint32(t.cuOffsets[index:])))
}
