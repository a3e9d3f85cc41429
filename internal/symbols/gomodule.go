package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// goTextStart is the address that a Go function table counts from. The header
// holds it up to Go 1.25; newer linkers leave 0 there, and then the runtime's
// module record tells.
func (m *Module) goTextStart(at uint64, t *pclntab) (uint64, error) {
	if t.textStart != 0 {
		return t.textStart, nil
	}
	const headerTextStart = 24
	if v, err := m.pointer(at + headerTextStart); err == nil && v != 0 {
		return v, nil
	}
	if md, ok := m.moduledata(at); ok {
		const text = 8 + 6*24 + 3*8 // header, six slices, findfunctab, minpc, maxpc
		return m.pointer(md + text)
	}
	return 0, malformed("Go program without a module record")
}

// moduledata finds runtime.firstmoduledata: it has a section of its own since Go
// 1.26, and begins with a pointer to the function table, which is otherwise found
// as a relocation or as a word of a writable segment.
func (m *Module) moduledata(pclntab uint64) (uint64, bool) {
	if s := m.section(".go.module"); s != nil {
		return s.addr, true
	}
	rels, err := m.relocations()
	if err != nil {
		return 0, false
	}
	for _, r := range rels {
		if r.typ == elf.R_X86_64_RELATIVE && uint64(r.addend) == pclntab {
			return r.off, true
		}
	}
	var want [8]byte
	binary.LittleEndian.PutUint64(want[:], pclntab)
	for _, s := range m.segs.loads {
		if s.Flags&elf.PF_X != 0 || s.Filesz > tableLimit {
			continue
		}
		b := m.Bytes(s.Vaddr, int(s.Filesz))
		for base := 0; ; {
			i := bytes.Index(b[base:], want[:])
			if i < 0 {
				break
			}
			if base += i; base%8 == 0 {
				return s.Vaddr + uint64(base), true
			}
			base++
		}
	}
	return 0, false
}

// pointer is the address stored at vaddr once relocated.
func (m *Module) pointer(vaddr uint64) (uint64, error) {
	rels, err := m.relocations()
	if err != nil {
		return 0, err
	}
	for _, r := range rels {
		if r.off == vaddr && r.typ == elf.R_X86_64_RELATIVE {
			return uint64(r.addend), nil
		}
	}
	return m.word(vaddr)
}

// IsGo reports whether the module holds Go code with its runtime.
func (m *Module) IsGo() bool {
	if m.section(".go.buildinfo") != nil || m.pclntabSection() != nil {
		return true
	}
	b, _, err := m.findPclntab()
	return err == nil && b != nil
}

// GoVersion is the toolchain's version as in "go1.26.8", or "" when unknown: no
// Go program, or one built before Go 1.18.
func (m *Module) GoVersion() string {
	s := m.section(".go.buildinfo")
	if s == nil {
		return ""
	}
	const headerSize, inline = 32, 2
	b, err := m.readMem(s.addr, s.size, ".go.buildinfo")
	if err != nil || len(b) < headerSize || !bytes.HasPrefix(b, []byte("\xff Go buildinf:")) || b[15]&inline == 0 {
		return ""
	}
	c := cursor{b: b, pos: headerSize}
	return string(c.bytes(c.uleb()))
}
