package symbols

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
	"strings"
)

const (
	ehdrSize = 64
	phdrSize = 56
	shdrSize = 64
)

// header is the part of the ELF header that is used.
type header struct {
	typ      elf.Type
	entry    uint64
	phoff    uint64
	shoff    uint64
	phnum    int
	shnum    int
	shstrndx int
}

// section is one section header; name is filled once the name table is read.
type section struct {
	name    string
	nameOff uint32
	typ     elf.SectionType
	flags   elf.SectionFlag
	addr    uint64
	off     uint64
	size    uint64
	link    uint32
}

func (s *section) end() uint64 { return s.addr + s.size }

// parseHeader judges the first 64 bytes of a file.
func parseHeader(b []byte) (header, error) {
	if len(b) < 4 || string(b[:4]) != elf.ELFMAG {
		return header{}, ErrNotELF
	}
	if len(b) < 20 {
		return header{}, malformed("ELF header cut short at %d bytes", len(b))
	}
	le := binary.LittleEndian
	if elf.Class(b[4]) != elf.ELFCLASS64 || elf.Data(b[5]) != elf.ELFDATA2LSB ||
		elf.Machine(le.Uint16(b[18:])) != elf.EM_X86_64 {
		return header{}, ErrNotX86_64
	}
	if len(b) < ehdrSize {
		return header{}, malformed("ELF header cut short at %d of %d bytes", len(b), ehdrSize)
	}
	h := header{
		typ:      elf.Type(le.Uint16(b[16:])),
		entry:    le.Uint64(b[24:]),
		phoff:    le.Uint64(b[32:]),
		shoff:    le.Uint64(b[40:]),
		phnum:    int(le.Uint16(b[56:])),
		shnum:    int(le.Uint16(b[60:])),
		shstrndx: int(le.Uint16(b[62:])),
	}
	if h.phnum > 0 && le.Uint16(b[54:]) != phdrSize {
		return header{}, malformed("program header size %d", le.Uint16(b[54:]))
	}
	if h.shnum > 0 && le.Uint16(b[58:]) != shdrSize {
		return header{}, malformed("section header size %d", le.Uint16(b[58:]))
	}
	return h, nil
}

// readAt returns n bytes at off of a file that is size bytes long. what names
// them in the error.
func readAt(r io.ReaderAt, size, off, n uint64, what string) ([]byte, error) {
	if off > size || n > size-off {
		return nil, malformed("%s at %#x+%#x is past the end of the file (%d bytes)", what, off, n, size)
	}
	b := make([]byte, n)
	if k, err := r.ReadAt(b, int64(off)); uint64(k) < n {
		return nil, malformed("reading %s: %d of %d bytes: %v", what, k, n, err)
	}
	return b, nil
}

// readString is readAt for names, without holding them twice.
func readString(r io.ReaderAt, size, off, n uint64, what string) (string, error) {
	if off > size || n > size-off {
		return "", malformed("%s at %#x+%#x is past the end of the file (%d bytes)", what, off, n, size)
	}
	var b strings.Builder
	b.Grow(int(n))
	if k, err := io.Copy(&b, io.NewSectionReader(r, int64(off), int64(n))); uint64(k) < n {
		return "", malformed("reading %s: %d of %d bytes: %v", what, k, n, err)
	}
	return b.String(), nil
}

// readSections reads the section headers and their names. A file may have none.
func readSections(r io.ReaderAt, size uint64, h header) ([]section, error) {
	if h.shoff == 0 {
		return nil, nil
	}
	n, strndx, err := sectionCount(r, size, h)
	if err != nil || n == 0 {
		return nil, err
	}
	b, err := readAt(r, size, h.shoff, uint64(n)*shdrSize, "section headers")
	if err != nil {
		return nil, err
	}
	secs := make([]section, n)
	for i := range secs {
		secs[i] = parseSection(b[i*shdrSize:])
	}
	return secs, nameSections(r, size, secs, strndx)
}

// sectionCount resolves the escapes for files with 65280 sections or more: the
// counts are then in the otherwise unused section header 0.
func sectionCount(r io.ReaderAt, size uint64, h header) (n, strndx int, err error) {
	n, strndx = h.shnum, h.shstrndx
	if n != 0 && strndx != int(elf.SHN_XINDEX) {
		return n, strndx, nil
	}
	b, err := readAt(r, size, h.shoff, shdrSize, "section header 0")
	if err != nil {
		return 0, 0, err
	}
	zero := parseSection(b)
	if n == 0 {
		if zero.size > maxSections {
			return 0, 0, malformed("%d sections", zero.size)
		}
		n = int(zero.size)
	}
	if strndx == int(elf.SHN_XINDEX) {
		strndx = int(zero.link)
	}
	return n, strndx, nil
}

func parseSection(b []byte) section {
	le := binary.LittleEndian
	s := section{
		nameOff: le.Uint32(b),
		typ:     elf.SectionType(le.Uint32(b[4:])),
		flags:   elf.SectionFlag(le.Uint64(b[8:])),
		addr:    le.Uint64(b[16:]),
		off:     le.Uint64(b[24:]),
		size:    le.Uint64(b[32:]),
		link:    le.Uint32(b[40:]),
	}
	return s
}

func nameSections(r io.ReaderAt, size uint64, secs []section, strndx int) error {
	if strndx <= 0 || strndx >= len(secs) || secs[strndx].typ == elf.SHT_NOBITS {
		return nil // nameless sections are found by type only
	}
	s := secs[strndx]
	if s.size > tableLimit {
		return malformed("section names take %d bytes", s.size)
	}
	b, err := readAt(r, size, s.off, s.size, "section names")
	if err != nil {
		return err
	}
	names := string(b)
	for i := range secs {
		secs[i].name = cstring(names, uint64(secs[i].nameOff))
	}
	return nil
}

// codeSections are the sections with code, by address.
func codeSections(secs []section) []section {
	const code = elf.SHF_ALLOC | elf.SHF_EXECINSTR
	out := slices.DeleteFunc(slices.Clone(secs), func(s section) bool { return s.flags&code != code || s.size == 0 })
	slices.SortStableFunc(out, func(a, b section) int { return cmpUint(a.addr, b.addr) })
	return out
}

// cstring is the NUL-terminated string at off, or "" if there is none.
func cstring(s string, off uint64) string {
	if off >= uint64(len(s)) {
		return ""
	}
	s = s[off:]
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return ""
}
