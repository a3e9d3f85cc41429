package symbols

import (
	"debug/elf"
	"fmt"
	"io"
)

// FromMemory makes a module of an image that is already loaded, such as the vDSO
// or a program whose file is out of reach. r reads by absolute address; base is
// where the image's ELF header lies. What a file keeps in sections is missing: the
// functions are those of the dynamic symbol table and of .eh_frame. Code reads as
// it is in memory, changes included. Close closes r if it can be closed.
func FromMemory(name string, r io.ReaderAt, base uint64) (*Module, error) {
	m := &Module{name: name, r: r, inMemory: true}
	if err := m.readLoadedHeaders(base); err != nil {
		return nil, fmt.Errorf("%s at %#x: %w", name, base, err)
	}
	m.closer, _ = r.(io.Closer)
	return m, nil
}

func (m *Module) readLoadedHeaders(base uint64) error {
	b, err := m.readAbsolute(base, ehdrSize, "ELF header")
	if err != nil {
		return err
	}
	if m.head, err = parseHeader(b); err != nil {
		return err
	}
	if m.head.typ != elf.ET_EXEC && m.head.typ != elf.ET_DYN {
		return malformed("%v is neither a program nor a library", m.head.typ)
	}
	if m.head.phnum > maxSegments {
		return malformed("%d program headers", m.head.phnum)
	}
	b, err = m.readAbsolute(base+m.head.phoff, uint64(m.head.phnum)*phdrSize, "program headers")
	if err != nil {
		return err
	}
	if m.segs, err = parsePhdrs(b); err != nil {
		return err
	}
	if len(m.segs.loads) == 0 {
		return malformed("no segments")
	}
	first := m.segs.loads[0]
	m.bias = base + first.Off - first.Vaddr
	m.contents = make([]content, len(m.segs.loads))
	return nil
}

// readAbsolute reads from a memory image.
func (m *Module) readAbsolute(addr, n uint64, what string) ([]byte, error) {
	b := make([]byte, n)
	if k, err := m.r.ReadAt(b, int64(addr)); uint64(k) < n {
		return nil, malformed("reading %s from memory at %#x: %d of %d bytes: %v", what, addr, k, n, err)
	}
	return b, nil
}

// Bias is what FromMemory found to lie between the image's addresses and where it
// is loaded; 0 for files.
func (m *Module) Bias() uint64 { return m.bias }
