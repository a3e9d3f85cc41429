package symbols

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"sync"
)

// Segment is a PT_LOAD program header: Filesz bytes of the file at Off are mapped
// at Vaddr, followed by zeros up to Memsz.
type Segment struct {
	Vaddr, Memsz uint64
	Off, Filesz  uint64
	Flags        elf.ProgFlag
}

// Contains reports whether the mapped file content covers [vaddr, vaddr+n).
func (s Segment) Contains(vaddr, n uint64) bool {
	return vaddr >= s.Vaddr && n <= s.Filesz && vaddr-s.Vaddr <= s.Filesz-n
}

// content is the lazily read bytes of one segment.
type content struct {
	once sync.Once
	b    []byte
}

// phdrs is what the program headers say.
type phdrs struct {
	loads    []Segment // by Vaddr
	dynamic  Segment   // PT_DYNAMIC, zero if absent
	ehHdr    Segment   // PT_GNU_EH_FRAME
	notes    []Segment
	interp   bool
	bounds   [2]uint64 // lowest and highest address of any PT_LOAD
	execOnly []Segment // the executable ones among loads
}

// parsePhdrs reads a program header table and checks each PT_LOAD.
func parsePhdrs(b []byte) (phdrs, error) {
	var p phdrs
	le := binary.LittleEndian
	for ; len(b) >= phdrSize; b = b[phdrSize:] {
		s := Segment{
			Flags:  elf.ProgFlag(le.Uint32(b[4:])),
			Off:    le.Uint64(b[8:]),
			Vaddr:  le.Uint64(b[16:]),
			Filesz: le.Uint64(b[32:]),
			Memsz:  le.Uint64(b[40:]),
		}
		if s.Vaddr+s.Memsz < s.Vaddr || s.Vaddr+s.Filesz < s.Vaddr || s.Off+s.Filesz < s.Off {
			return p, malformed("segment at %#x with %#x bytes wraps around", s.Vaddr, s.Memsz)
		}
		switch elf.ProgType(le.Uint32(b)) {
		case elf.PT_LOAD:
			p.loads = append(p.loads, s)
		case elf.PT_DYNAMIC:
			p.dynamic = s
		case elf.PT_NOTE:
			p.notes = append(p.notes, s)
		case elf.PT_INTERP:
			p.interp = true
		case elf.PT_GNU_EH_FRAME:
			p.ehHdr = s
		}
	}
	return p, p.arrange()
}

// arrange sorts the loads and derives what depends on all of them.
func (p *phdrs) arrange() error {
	slices.SortStableFunc(p.loads, func(a, b Segment) int { return cmpUint(a.Vaddr, b.Vaddr) })
	for i, s := range p.loads {
		if s.Filesz > s.Memsz {
			return malformed("segment at %#x has %#x file bytes in %#x of memory", s.Vaddr, s.Filesz, s.Memsz)
		}
		if i > 0 && p.loads[i-1].Vaddr+p.loads[i-1].Memsz > s.Vaddr {
			return malformed("segments at %#x and %#x overlap", p.loads[i-1].Vaddr, s.Vaddr)
		}
		if s.Flags&elf.PF_X != 0 {
			p.execOnly = append(p.execOnly, s)
		}
	}
	if n := len(p.loads); n > 0 {
		p.bounds = [2]uint64{p.loads[0].Vaddr, p.loads[n-1].Vaddr + p.loads[n-1].Memsz}
	}
	return nil
}

// checkFileRanges says whether every PT_LOAD lies inside the file.
func (p *phdrs) checkFileRanges(size uint64) error {
	for _, s := range p.loads {
		if s.Off > size || s.Filesz > size-s.Off {
			return malformed("segment at file offset %#x+%#x is past the end of the file (%d bytes)",
				s.Off, s.Filesz, size)
		}
	}
	return nil
}

// exec is the executable segment that holds vaddr, if any.
func (p *phdrs) exec(vaddr uint64) (Segment, bool) {
	for _, s := range p.execOnly {
		if s.Contains(vaddr, 1) {
			return s, true
		}
	}
	return Segment{}, false
}

func cmpUint(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// readMem returns n bytes at vaddr: from the file through the segment that holds
// them, or from memory. what names them in the error.
func (m *Module) readMem(vaddr, n uint64, what string) ([]byte, error) {
	i := m.segmentOf(vaddr, n)
	if i < 0 {
		return nil, malformed("%s at %#x+%#x is in no segment", what, vaddr, n)
	}
	if n > tableLimit {
		return nil, malformed("%s takes %d bytes", what, n)
	}
	return m.read(m.segs.loads[i], vaddr, n, what)
}

// read does readMem's reading, for a range known to be in s.
func (m *Module) read(s Segment, vaddr, n uint64, what string) ([]byte, error) {
	if !m.inMemory {
		return readAt(m.r, m.size, s.Off+(vaddr-s.Vaddr), n, what)
	}
	return m.readAbsolute(m.bias+vaddr, n, what)
}

// segmentOf is the index of the segment whose content covers the range, or -1.
func (m *Module) segmentOf(vaddr, n uint64) int {
	for i := range m.segs.loads {
		if m.segs.loads[i].Contains(vaddr, n) {
			return i
		}
	}
	return -1
}

// restOfSegment is how many bytes of content follow vaddr in its segment.
func (m *Module) restOfSegment(vaddr uint64) uint64 {
	i := m.segmentOf(vaddr, 1)
	if i < 0 {
		return 0
	}
	s := m.segs.loads[i]
	return s.Filesz - (vaddr - s.Vaddr)
}

// Bytes returns the n bytes at vaddr without copying, or nil when they are not
// wholly inside the file content of one PT_LOAD (or cannot be read). The first call
// for a segment reads all of it. The caller must not change them; they stay valid
// after Close.
func (m *Module) Bytes(vaddr uint64, n int) []byte {
	if n < 0 {
		return nil
	}
	i := m.segmentOf(vaddr, uint64(n))
	if i < 0 {
		return nil
	}
	s, c := m.segs.loads[i], &m.contents[i]
	c.once.Do(func() {
		if m.charge(s.Filesz) {
			c.b, _ = m.read(s, s.Vaddr, s.Filesz, "segment")
		}
	})
	if c.b == nil {
		return nil
	}
	off := vaddr - s.Vaddr
	return c.b[off : off+uint64(n) : off+uint64(n)]
}

// charge takes n bytes from what this module may keep in memory.
func (m *Module) charge(n uint64) bool {
	if n > keepLimit {
		return false
	}
	return m.kept.Add(n) <= keepLimit
}
