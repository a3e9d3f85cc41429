package symbols

import (
	"slices"
)

// FDE is one range of .eh_frame.
//
// The reader is our own: delve's frame.Parse keeps every entry's instructions and
// takes a section, where this needs only bounds, must be quick on 100,000 entries,
// and must work on files without section headers.
type FDE struct {
	Start, End uint64
	LSDA       uint64 // address of the exception table entry, 0 if none
	// Fragment is set when the rules at Start are not those of a function just
	// called: code that is jumped to with a frame already made.
	Fragment bool
}

// cie is what FDEs need of their common information entry.
type cie struct {
	fdeEnc, lsdaEnc uint8
	augmented       bool // augmentation data has a length ("z")
	signal          bool
	entryRules      bool // the initial rules are those at a call: CFA = rsp+8
}

// FDEs returns the ranges of .eh_frame, sorted by Start. A module without one has
// none.
func (m *Module) FDEs() ([]FDE, error) { return m.frames.get(m.readFDEs) }

func (m *Module) readFDEs() ([]FDE, error) {
	at, n, err := m.findEhFrame()
	if err != nil || n == 0 {
		return nil, err
	}
	b, err := m.readMem(at, n, ".eh_frame")
	if err != nil {
		return nil, err
	}
	fdes, err := parseEhFrame(b, at)
	if err != nil {
		return nil, err
	}
	fdes = slices.DeleteFunc(fdes, func(f FDE) bool {
		_, ok := m.segs.exec(f.Start)
		return !ok || f.Start == f.End
	})
	slices.SortStableFunc(fdes, func(a, b FDE) int { return cmpUint(a.Start, b.Start) })
	return fdes, nil
}

// findEhFrame is the address and length of .eh_frame. Without section headers
// the length is unknown: then it is the rest of the segment, and the zero-length
// record that ends the section ends the walk.
func (m *Module) findEhFrame() (at, n uint64, err error) {
	if s := m.section(".eh_frame"); s != nil && s.addr != 0 {
		return s.addr, s.size, nil
	}
	h := m.segs.ehHdr
	if h.Filesz < 8 {
		return 0, 0, nil
	}
	b, err := m.readMem(h.Vaddr, h.Filesz, ".eh_frame_hdr")
	if err != nil {
		return 0, 0, err
	}
	c := cursor{b: b, addr: h.Vaddr}
	version, enc := c.u8(), c.u8()
	c.skip(2)
	at = c.encoded(enc, h.Vaddr)
	if c.bad || version != 1 {
		return 0, 0, malformed(".eh_frame_hdr at %#x", h.Vaddr)
	}
	return at, min(m.restOfSegment(at), tableLimit), nil
}

// parseEhFrame walks the records of a section at addr.
func parseEhFrame(b []byte, addr uint64) ([]FDE, error) {
	var fdes []FDE
	cies := map[uint64]cie{}
	c := cursor{b: b, addr: addr}
	for c.left() >= 4 {
		start := c.here()
		rec, more := c.record()
		if !more {
			break
		}
		idAt := rec.here()
		id := uint64(rec.u32())
		if c.bad || rec.bad {
			return nil, malformed(".eh_frame record at %#x is cut short", start)
		}
		if id == 0 { // a CIE; read when an FDE asks for it
			continue
		}
		e, err := cieAt(cies, b, addr, idAt-id)
		if err != nil {
			return nil, err
		}
		f, ok := parseFDE(&rec, e)
		if !ok {
			return nil, malformed(".eh_frame FDE at %#x", start)
		}
		if len(fdes) == maxFDEs {
			return nil, malformed(".eh_frame has over %d entries", maxFDEs)
		}
		fdes = append(fdes, f)
	}
	return fdes, nil
}

// record takes one length-prefixed record off c; false at the end marker.
func (c *cursor) record() (cursor, bool) {
	n := uint64(c.u32())
	if n == 0xffffffff {
		n = c.u64()
	}
	if n == 0 {
		return cursor{}, false
	}
	at := c.here()
	return cursor{b: c.bytes(n), addr: at}, true
}

// cieAt is the CIE at an address, from cies if it was read before.
func cieAt(cies map[uint64]cie, b []byte, addr, at uint64) (cie, error) {
	if e, ok := cies[at]; ok {
		return e, nil
	}
	if at < addr || at-addr > uint64(len(b)) {
		return cie{}, malformed(".eh_frame refers to a CIE at %#x outside of it", at)
	}
	c := cursor{b: b, addr: addr, pos: at - addr}
	rec, ok := c.record()
	e, fine := parseCIE(&rec)
	if !ok || !fine || c.bad {
		return cie{}, malformed(".eh_frame CIE at %#x", at)
	}
	cies[at] = e
	return e, nil
}

// parseCIE reads a CIE from its id on.
func parseCIE(c *cursor) (cie, bool) {
	e := cie{lsdaEnc: encOmit}
	if id, version := c.u32(), c.u8(); id != 0 || version != 1 && version != 3 {
		return e, false
	}
	aug := c.cstr()
	c.uleb() // code alignment
	c.sleb() // data alignment
	c.uleb() // return address register; one byte in version 1, the same below 128
	if aug == "" || aug[0] != 'z' {
		e.entryRules = startsAtCall(c.b[c.pos:])
		return e, !c.bad && aug == ""
	}
	e.augmented = true
	n := c.uleb()
	data := cursor{b: c.bytes(n)}
	for _, r := range aug[1:] {
		switch r {
		case 'R':
			e.fdeEnc = data.u8()
		case 'L':
			e.lsdaEnc = data.u8()
		case 'P':
			enc := data.u8()
			data.value(enc)
		case 'S':
			e.signal = true
		case 'B': // not x86
		default:
			return e, false
		}
	}
	e.entryRules = startsAtCall(c.b[c.pos:])
	return e, !c.bad && !data.bad
}

// startsAtCall reports whether CIE instructions begin with CFA = rsp+8, which is
// how every compiler writes the state right after a call.
func startsAtCall(b []byte) bool {
	const defCFA, rsp = 0x0c, 7
	return len(b) >= 3 && b[0] == defCFA && b[1] == rsp && b[2] == 8
}

// parseFDE reads an FDE from after its CIE pointer on.
func parseFDE(c *cursor, e cie) (FDE, bool) {
	var f FDE
	f.Start = c.encoded(e.fdeEnc, 0)
	f.End = f.Start + c.value(e.fdeEnc)
	if e.augmented {
		n := c.uleb()
		at := c.here()
		data := cursor{b: c.bytes(n), addr: at}
		f.LSDA = data.encoded(e.lsdaEnc, 0)
		if data.bad {
			return f, false
		}
	}
	if c.bad || f.End < f.Start {
		return f, false
	}
	f.Fragment = e.signal || !e.entryRules || movesCFA(c)
	return f, true
}

// movesCFA reports whether call frame instructions change the CFA before the
// first advance of the location: the code then starts with a frame in place.
func movesCFA(c *cursor) bool {
	for c.left() > 0 {
		switch op := c.u8(); {
		case op == 0x00: // nop
		case op>>6 == 2: // offset register, factored offset
			c.uleb()
		case op == 0x07: // undefined register: outermost frames, such as _start
			c.uleb()
		case op == 0x2e: // GNU_args_size
			c.uleb()
		case op == 0x0c, op == 0x0d, op == 0x0e, op == 0x0f, op == 0x12, op == 0x13:
			return !sameCFA(op, c)
		default: // an advance, or a rule that says nothing about the CFA
			return false
		}
	}
	return false
}

// sameCFA reports whether a CFA-defining instruction states rsp+8 again.
func sameCFA(op uint8, c *cursor) bool {
	switch op {
	case 0x0c: // def_cfa register, offset
		return c.uleb() == 7 && c.uleb() == 8
	case 0x0d: // def_cfa_register
		return c.uleb() == 7
	case 0x0e: // def_cfa_offset
		return c.uleb() == 8
	}
	return false
}
