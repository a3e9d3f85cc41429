package unwind

import (
	"encoding/binary"
	"slices"
)

// Rule is how the table says that a wrapped call is a frame of its own, although
// it takes no stack: its CFA is that of the function it called.
type Rule uint8

const (
	// RuleSignal calls it a signal frame. libgcc tells frames apart by their
	// CFA, and then takes one less for what a signal frame has called, so ours
	// and the callee's differ. The caller of a signal frame is looked up at its
	// very address, therefore the rules give return addresses less one. The
	// letter B before the S hides it from nongnu libunwind, which would look
	// for the kernel's frame; others skip the B.
	RuleSignal Rule = iota
	// RuleOffset makes the CFA one byte higher than it is, and the stack
	// pointer the CFA less one. For libgcc before version 9, which stops reading
	// at the B. nongnu libunwind before 1.8 goes astray with it.
	RuleOffset
)

// DWARF call frame instructions (DWARF 5, section 7.24).
const (
	cfaAdvance       = 0x40 // with the distance in the low six bits
	cfaOffset        = 0x80 // with the register in the low six bits
	cfaRestore       = 0xc0 // the same
	cfaAdvance1      = 0x02
	cfaAdvance2      = 0x03
	cfaAdvance4      = 0x04
	cfaUndefined     = 0x07
	cfaSameValue     = 0x08
	cfaRemember      = 0x0a
	cfaRestoreState  = 0x0b
	cfaDefCFA        = 0x0c
	cfaDefCFAOffset  = 0x0e
	cfaValExpression = 0x16
)

const (
	codeAlign = 1
	dataAlign = 0x78 // -8
	pcRel4    = 0x1b // DW_EH_PE_pcrel | DW_EH_PE_sdata4
	dataRel4  = 0x3b // DW_EH_PE_datarel | DW_EH_PE_sdata4
	udata4    = 0x03
)

// cie returns a CIE without its length: with the rule for wrapped calls, or for
// code that has none.
func cie(r Rule, f Frames, framed bool) []byte {
	aug := "zR"
	if framed && r == RuleSignal {
		aug = "zRBS"
	}
	b := []byte{0, 0, 0, 0, 1}
	b = append(append(b, aug...), 0)
	b = append(b, codeAlign, dataAlign, raColumn, 1, pcRel4)
	b = append(b, cfaDefCFA, byte(RSP), entryCFA)
	if !framed {
		return append(b, cfaOffset|raColumn, 1)
	}
	search := searchExpr(f, 8, 1)
	if r == RuleOffset {
		search = searchExpr(f, 9, 0)
	}
	return valExpression(b, raColumn, search)
}

func valExpression(b []byte, reg Reg, x []byte) []byte {
	b = append(b, cfaValExpression, byte(reg))
	b = binary.AppendUvarint(b, uint64(len(x)))
	return append(b, x...)
}

// encoder turns rows into call frame instructions.
type encoder struct {
	b      []byte
	rule   Rule
	framed bool
	at     int // offset reached
	cfa    int
	ra     Place
	kept   []Kept
	left   int // changes to InFrame still to come
}

// instructions are those of an FDE with these rows, in the order of Off. The CIE's
// initial state is CFA = rsp+8, with the return address in a frame if framed.
func instructions(rows []Row, rule Rule, framed bool) []byte {
	e := encoder{rule: rule, framed: framed, cfa: entryCFA, left: framesIn(rows)}
	if framed {
		e.ra = InFrame
		if e.left > 0 {
			e.b = append(e.b, cfaRemember)
		}
	}
	for _, r := range rows {
		e.advance(r.Off)
		e.row(r)
	}
	return e.b
}

// framesIn counts the rows at which a search begins after other rules.
func framesIn(rows []Row) (n int) {
	for i, r := range rows {
		if r.RA == InFrame && i > 0 && rows[i-1].RA != InFrame {
			n++
		}
	}
	return n
}

func (e *encoder) advance(to int) {
	switch d := to - e.at; {
	case d == 0:
	case d < 0x40:
		e.b = append(e.b, cfaAdvance|byte(d))
	case d < 0x100:
		e.b = append(e.b, cfaAdvance1, byte(d))
	case d < 0x10000:
		e.b = append(e.b, cfaAdvance2, byte(d), byte(d>>8))
	default:
		e.b = binary.LittleEndian.AppendUint32(append(e.b, cfaAdvance4), uint32(d))
	}
	e.at = to
}

func (e *encoder) row(r Row) {
	if r.RA != e.ra {
		e.place(r.RA)
	}
	cfa := r.CFA
	if r.RA == InFrame && e.rule == RuleOffset {
		cfa++
	}
	if cfa != e.cfa {
		e.b = append(e.b, cfaDefCFAOffset)
		e.b = binary.AppendUvarint(e.b, uint64(cfa))
		e.cfa = cfa
	}
	e.keep(r.Kept)
}

// place changes the rule of the return address.
func (e *encoder) place(p Place) {
	switch {
	case p == Lost:
		e.b = append(e.b, cfaUndefined, raColumn)
	case p == InFrame:
		e.inFrame()
	case e.framed && e.rule == RuleSignal:
		e.b = valExpression(e.b, raColumn, slotExpr())
	default:
		e.b = append(e.b, cfaOffset|raColumn, 1)
		if e.ra == InFrame && e.at > 0 {
			e.b = append(e.b, cfaRestore|byte(RSP))
		}
	}
	e.ra = p
}

// inFrame goes back to the CIE's search, which a single rule cannot name again.
func (e *encoder) inFrame() {
	e.b = append(e.b, cfaRestoreState)
	e.left--
	if e.left > 0 {
		e.b = append(e.b, cfaRemember)
	}
	e.cfa, e.kept = entryCFA, nil
	if e.rule == RuleOffset {
		e.b = valExpression(e.b, RSP, []byte{opLit1, opMinus})
	}
}

// keep changes the rules of the registers that differ.
func (e *encoder) keep(kept []Kept) {
	for _, k := range e.kept {
		if !slices.ContainsFunc(kept, func(n Kept) bool { return n.Reg == k.Reg }) {
			e.b = append(e.b, cfaSameValue, byte(k.Reg))
		}
	}
	for _, k := range kept {
		if !slices.Contains(e.kept, k) {
			e.b = append(e.b, cfaOffset|byte(k.Reg))
			e.b = binary.AppendUvarint(e.b, uint64(k.Off/8))
		}
	}
	e.kept = kept
}
