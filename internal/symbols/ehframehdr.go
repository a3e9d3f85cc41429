package symbols

import (
	"encoding/binary"
	"sort"
)

// fdeAt finds the FDE that starts at addr, by the sorted table of .eh_frame_hdr if
// there is one, reading no other entry.
func (m *Module) fdeAt(addr uint64) (FDE, bool, error) {
	table, base := m.searchTable()
	if table == nil || m.frames.done.Load() {
		return m.fdeFromAll(addr)
	}
	le := binary.LittleEndian
	at := func(i int) uint64 { return base + uint64(int64(int32(le.Uint32(table[8*i:])))) }
	n := len(table) / 8
	i := sort.Search(n, func(i int) bool { return at(i) >= addr })
	if i == n || at(i) != addr {
		return FDE{}, false, nil
	}
	f, err := m.readFDE(base + uint64(int64(int32(le.Uint32(table[8*i+4:])))))
	return f, err == nil && f.Start == addr && f.End > addr, err
}

func (m *Module) fdeFromAll(addr uint64) (FDE, bool, error) {
	fdes, err := m.FDEs()
	if err != nil {
		return FDE{}, false, err
	}
	i := fdeFrom(fdes, addr)
	if i == len(fdes) || fdes[i].Start != addr {
		return FDE{}, false, nil
	}
	return fdes[i], true, nil
}

// searchTable is the table of {start, FDE address} in the one encoding linkers
// write, 4-byte offsets from the header; nil for others.
func (m *Module) searchTable() (table []byte, base uint64) {
	h := m.segs.ehHdr
	if h.Filesz < 12 {
		return nil, 0
	}
	b := m.Bytes(h.Vaddr, int(min(h.Filesz, tableLimit)))
	c := cursor{b: b, addr: h.Vaddr}
	version, ptrEnc, countEnc, tableEnc := c.u8(), c.u8(), c.u8(), c.u8()
	c.value(ptrEnc)
	n := c.value(countEnc)
	if version != 1 || tableEnc != encDataRel|0xb || c.bad || n > c.left()/8 {
		return nil, 0
	}
	return c.bytes(8 * n), h.Vaddr
}

// readFDE reads the one record at an address and its CIE.
func (m *Module) readFDE(at uint64) (FDE, error) {
	rec, err := m.readRecord(at)
	if err != nil {
		return FDE{}, err
	}
	idAt := rec.here()
	id := uint64(rec.u32())
	cieRec, err := m.readRecord(idAt - id)
	if err != nil {
		return FDE{}, err
	}
	e, ok := parseCIE(&cieRec)
	if !ok {
		return FDE{}, malformed(".eh_frame CIE at %#x", idAt-id)
	}
	f, ok := parseFDE(&rec, e)
	if !ok {
		return FDE{}, malformed(".eh_frame FDE at %#x", at)
	}
	return f, nil
}

func (m *Module) readRecord(at uint64) (cursor, error) {
	head, err := m.readMem(at, min(12, m.restOfSegment(at)), ".eh_frame record")
	if err != nil {
		return cursor{}, err
	}
	c := cursor{b: head, addr: at}
	n := uint64(c.u32())
	if n == 0xffffffff {
		n = c.u64()
	}
	at = c.here()
	if c.bad || n == 0 {
		return cursor{}, malformed(".eh_frame record at %#x", at)
	}
	body, err := m.readMem(at, n, ".eh_frame record")
	return cursor{b: body, addr: at}, err
}
