package hook

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// sparse is memory with holes.
type sparse map[uint64][]byte // by page

func (m sparse) ReadAt(p []byte, addr int64) (int, error) {
	for i := range p {
		at := uint64(addr) + uint64(i)
		page, ok := m[at&^(pageSize-1)]
		if !ok {
			return i, errors.New("unmapped")
		}
		p[i] = page[at%pageSize]
	}
	return len(p), nil
}

func (m sparse) WriteAt(p []byte, addr int64) (int, error) {
	for i := range p {
		at := uint64(addr) + uint64(i)
		m[at&^(pageSize-1)][at%pageSize] = p[i]
	}
	return len(p), nil
}

func mapped(pages ...uint64) sparse {
	m := sparse{}
	for _, p := range pages {
		m[p] = make([]byte, pageSize)
		for i := range m[p] {
			m[p][i] = byte(p>>12) + byte(i)
		}
	}
	return m
}

// TestTextWriterHoles: between mappings of one program there may be a page
// that is not mapped, close to code on both sides.
func TestTextWriterHoles(t *testing.T) {
	mem := mapped(0x1000, 0x2000, 0x4000, 0x9000)
	w := &textWriter{}
	for _, addr := range []uint64{0x1010, 0x1ffe, 0x2100, 0x4008, 0x9000} {
		old := make([]byte, 5)
		if _, err := mem.ReadAt(old, int64(addr)); err != nil {
			t.Fatal(err)
		}
		w.edits = append(w.edits, edit{addr: addr, old: old, new: bytes.Repeat([]byte{0xee}, 5)})
	}
	if err := w.verify(mem); err != nil {
		t.Fatal(err)
	}
	delete(mem, 0x4000)
	if err := w.readMapped(mem); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(w.edits, func(e edit) bool { return e.addr == 0x4008 }) || len(w.edits) != 4 {
		t.Errorf("edits left: %+v", w.edits)
	}
	for _, e := range w.edits {
		if !bytes.Equal(w.at(e.addr, 5), e.old) {
			t.Errorf("at %#x: % x, want % x", e.addr, w.at(e.addr, 5), e.old)
		}
	}
}
