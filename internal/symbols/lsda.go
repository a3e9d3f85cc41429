package symbols

import "slices"

// LandingPads returns the addresses at which code is resumed when an exception
// passes through, sorted, none twice: from the call-site tables that FDEs refer to.
func (m *Module) LandingPads() ([]uint64, error) { return m.pads.get(m.readLandingPads) }

func (m *Module) readLandingPads() ([]uint64, error) {
	fdes, err := m.FDEs()
	if err != nil {
		return nil, err
	}
	var pads []uint64
	var t lsdaTable
	for _, f := range fdes {
		if f.LSDA == 0 {
			continue
		}
		c, ok := t.at(m, f.LSDA)
		if !ok {
			return nil, malformed("exception table of %#x at %#x is in no segment", f.Start, f.LSDA)
		}
		if pads, ok = t.appendPads(pads, &c, f.Start); !ok {
			return nil, malformed("exception table of %#x at %#x", f.Start, f.LSDA)
		}
		if len(pads) > maxPads {
			return nil, malformed("over %d landing pads", maxPads)
		}
	}
	slices.Sort(pads)
	return slices.Compact(pads), nil
}

// lsdaTable holds the bytes from the lowest exception table to the end of its
// segment; tables follow each other, so one read serves all.
type lsdaTable struct {
	b    []byte
	addr uint64
	read uint64 // bytes of call-site tables so far
}

func (t *lsdaTable) at(m *Module, addr uint64) (cursor, bool) {
	if addr < t.addr || addr-t.addr >= uint64(len(t.b)) {
		i := m.segmentOf(addr, 1)
		if i < 0 {
			return cursor{}, false
		}
		s := m.segs.loads[i]
		t.addr, t.b = s.Vaddr, m.Bytes(s.Vaddr, int(s.Filesz))
		if t.b == nil {
			return cursor{}, false
		}
	}
	return cursor{b: t.b, addr: t.addr, pos: addr - t.addr}, true
}

// appendPads reads one table, in gcc's layout that all x86-64 compilers share: base
// of landing pads, type table, call sites of {start, length, pad, action}. A pad of
// 0 means none.
func (t *lsdaTable) appendPads(pads []uint64, c *cursor, fn uint64) ([]uint64, bool) {
	base := fn
	if enc := c.u8(); enc != encOmit {
		base = c.encoded(enc, 0)
	}
	if enc := c.u8(); enc != encOmit {
		c.uleb()
	}
	enc := c.u8()
	sites := cursor{b: c.bytes(c.uleb())}
	// Tables are apart, a few perhaps shared: only a file made to keep us busy lets
	// thousands of them overlap.
	if t.read += sites.left(); t.read > 8*uint64(len(t.b)) {
		return pads, false
	}
	for sites.left() > 0 && !sites.bad {
		sites.value(enc)
		sites.value(enc)
		if pad := sites.value(enc); pad != 0 {
			pads = append(pads, base+pad)
		}
		sites.uleb()
	}
	return pads, !c.bad && !sites.bad
}
