package plan

import (
	"debug/elf"
	"errors"
	"fmt"

	"github.com/functap/functap/internal/symbols"
)

// ErrTooBig says that a module's segments hold more than maxImage bytes, or its
// code more branches and jump tables than maxRecords and maxEntries allow.
var ErrTooBig = errors.New("module too big to analyse")

// maxImage bounds the memory of an analysis, which needs at most six eighths of
// the bytes of code and a quarter of those of data.
const maxImage = 1 << 30

// segment is the file content of one PT_LOAD and what is known of its addresses.
type segment struct {
	base uint64
	b    []byte
	exec bool

	// named: something holds this address as a value: the target of a call, a lea,
	// a relocation's addend, an aligned word in the data of a program at fixed
	// addresses. In data it is lea and jump table bases only.
	named addrSet
	// words: data words that belong to an absolute jump table (data), or bytes that
	// instructions read relative to rip (code).
	refs addrSet

	// Code only. bounds: where the sweep found instructions to begin. jumped:
	// targets of jumps and returns. starts: first bytes of functions and unwind
	// ranges. near: the first few bytes of each function, for which sources of
	// branches are kept.
	bounds, jumped, starts, near addrSet
}

func (s *segment) end() uint64 { return s.base + uint64(len(s.b)) }

func (s *segment) contains(addr uint64) bool { return addr-s.base < uint64(len(s.b)) }

// image is the module's content, by ascending address.
type image struct {
	segs []segment
	// fixed: a program at fixed addresses, in which code and data may hold
	// absolute addresses that no relocation mentions.
	fixed bool
}

func loadImage(m *symbols.Module) (*image, error) {
	im := &image{fixed: m.Type() == symbols.Exec}
	total := uint64(0)
	for _, ld := range m.Segments() {
		if ld.Filesz == 0 {
			continue
		}
		if total += ld.Filesz; ld.Filesz > maxImage || total > maxImage {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooBig, maxImage)
		}
		b := m.Bytes(ld.Vaddr, int(ld.Filesz))
		if b == nil {
			return nil, fmt.Errorf("reading the segment at %#x: %w", ld.Vaddr, symbols.ErrMalformed)
		}
		im.segs = append(im.segs, newSegment(ld.Vaddr, b, ld.Flags&elf.PF_X != 0))
	}
	return im, nil
}

func newSegment(base uint64, b []byte, exec bool) segment {
	n := uint64(len(b))
	s := segment{base: base, b: b, exec: exec, named: newAddrSet(base, n), refs: newAddrSet(base, n)}
	if exec {
		s.bounds, s.jumped = newAddrSet(base, n), newAddrSet(base, n)
		s.starts, s.near = newAddrSet(base, n), newAddrSet(base, n)
	}
	return s
}

// find is the segment that holds addr, or nil.
func (im *image) find(addr uint64) *segment {
	for i := range im.segs {
		if im.segs[i].contains(addr) {
			return &im.segs[i]
		}
	}
	return nil
}

// code is the executable segment that holds addr, or nil.
func (im *image) code(addr uint64) *segment {
	if s := im.find(addr); s != nil && s.exec {
		return s
	}
	return nil
}
