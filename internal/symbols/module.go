package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Type says how a module is loaded.
type Type uint8

const (
	// Exec is a program at fixed addresses.
	Exec Type = iota
	// PIE is a program that may be loaded anywhere, static or dynamic.
	PIE
	// Shared is a library, the dynamic loader, or the vDSO.
	Shared
)

// String is "exec", "pie" or "shared".
func (t Type) String() string { return [...]string{"exec", "pie", "shared"}[t] }

// Module is one ELF image. Make one with Open, New or FromMemory.
type Module struct {
	name   string
	r      io.ReaderAt
	size   uint64
	closer io.Closer

	inMemory bool   // r is addressed by absolute address, not by file offset
	bias     uint64 // memory only: absolute address minus vaddr

	head     header
	sections []section
	code     []section // the executable ones, by address
	segs     phdrs
	contents []content
	kept     atomic.Uint64

	dyn     lazy[dynamic]
	symtab  lazy[*symTable]
	dynsym  lazy[*symTable]
	frames  lazy[[]FDE]
	funcs   lazy[[]Func]
	relocs  lazy[[]reloc]
	pads    lazy[[]uint64]
	addends lazy[[]uint64]
}

// lazy is a value computed on first use.
type lazy[T any] struct {
	once sync.Once
	done atomic.Bool
	v    T
	err  error
}

func (l *lazy[T]) get(f func() (T, error)) (T, error) {
	l.once.Do(func() {
		l.v, l.err = f()
		l.done.Store(true)
	})
	return l.v, l.err
}

// Open opens a file. A path that is not a regular file is refused without
// waiting (ErrNotRegular): opening a FIFO plainly would block for a writer.
func Open(path string) (*Module, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		if errors.Is(err, syscall.ENXIO) { // a socket, or a device without hardware
			return nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
		}
		return nil, err
	}
	m, err := OpenFile(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// OpenFile is Open for a file that is already open, such as one from /proc.
// The module closes f, unless an error is returned.
func OpenFile(name string, f *os.File) (*Module, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	m, err := New(name, f, fi.Size())
	if err != nil {
		return nil, err
	}
	m.closer = f
	return m, nil
}

// New makes a module of size bytes from r, which must allow parallel reads and
// stay usable until Close. name is only shown, and tells where separate debug
// information may lie.
func New(name string, r io.ReaderAt, size int64) (*Module, error) {
	m := &Module{name: name, r: r, size: uint64(max(size, 0))}
	if err := m.readHeaders(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func (m *Module) readHeaders() error {
	b := make([]byte, min(m.size, ehdrSize))
	if n, err := m.r.ReadAt(b, 0); n < len(b) {
		return malformed("reading the ELF header: %v", err)
	}
	var err error
	if m.head, err = parseHeader(b); err != nil {
		return err
	}
	if m.head.typ == elf.ET_REL {
		return ErrNotLinked
	}
	if m.head.typ != elf.ET_EXEC && m.head.typ != elf.ET_DYN {
		return malformed("%v is neither a program nor a library", m.head.typ)
	}
	if m.sections, err = readSections(m.r, m.size, m.head); err != nil {
		return err
	}
	m.code = codeSections(m.sections)
	if m.head.phnum > maxSegments {
		return malformed("%d program headers", m.head.phnum)
	}
	b, err = readAt(m.r, m.size, m.head.phoff, uint64(m.head.phnum)*phdrSize, "program headers")
	if err != nil {
		return err
	}
	if m.segs, err = parsePhdrs(b); err != nil {
		return err
	}
	m.contents = make([]content, len(m.segs.loads))
	return m.segs.checkFileRanges(m.size)
}

// Close releases the file. What the module has handed out stays valid; what it
// has not read yet can no longer be read.
func (m *Module) Close() error {
	if m.closer == nil {
		return nil
	}
	return m.closer.Close()
}

// Name is the name the module was opened with.
func (m *Module) Name() string { return m.name }

// Entry is the address execution begins at; 0 in most libraries.
func (m *Module) Entry() uint64 { return m.head.entry }

// Segments are the PT_LOAD headers in address order.
func (m *Module) Segments() []Segment { return m.segs.loads }

// Type tells programs from libraries. Both may be ET_DYN: a position independent
// program carries DF_1_PIE, or, from linkers before 2017, an interpreter and the
// DT_DEBUG slot that only programs have.
func (m *Module) Type() Type {
	if m.head.typ == elf.ET_EXEC {
		return Exec
	}
	d, err := m.dynamic()
	if err != nil {
		return Shared
	}
	_, debug := d.tags[elf.DT_DEBUG]
	if elf.DynFlag1(d.tags[elf.DT_FLAGS_1])&elf.DF_1_PIE != 0 || m.segs.interp && debug {
		return PIE
	}
	return Shared
}

// section is the first section of that name, or nil.
func (m *Module) section(name string) *section {
	for i := range m.sections {
		if m.sections[i].name == name {
			return &m.sections[i]
		}
	}
	return nil
}

// BuildID is the content of the GNU build-id note, or nil.
func (m *Module) BuildID() []byte {
	for _, s := range m.segs.notes {
		b, err := m.readMem(s.Vaddr, s.Filesz, "note")
		if err != nil {
			continue
		}
		if id := findBuildID(b); id != nil {
			return id
		}
	}
	return nil
}

// findBuildID walks ELF notes: name size, content size, type, then name and
// content, each padded to 4 bytes (the property notes padded to 8 come alone).
func findBuildID(b []byte) []byte {
	const ntGNUBuildID = 3
	c := cursor{b: b}
	for c.left() >= 12 {
		nameLen, descLen, typ := c.u32(), c.u32(), c.u32()
		name := c.bytes(uint64(nameLen))
		c.skip(-uint64(nameLen) & 3)
		desc := c.bytes(uint64(descLen))
		c.skip(-uint64(descLen) & 3)
		if c.bad {
			return nil
		}
		if typ == ntGNUBuildID && string(name) == "GNU\x00" {
			return bytes.Clone(desc)
		}
	}
	return nil
}

// word is the 8-byte value at vaddr.
func (m *Module) word(vaddr uint64) (uint64, error) {
	b, err := m.readMem(vaddr, 8, "word")
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}
