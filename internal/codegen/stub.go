package codegen

import "github.com/functap/functap/internal/x86"

// CopyOffset is where in a stub the displaced copy starts: an idle slot holds
// the stub's address plus this.
const CopyOffset = 6

// Stub generates a site's stub for address at:
//
//	ff 25 rel32   jmp *slot(%rip)
//	copy:         the displaced instructions
//	e9 rel32      jmp to what follows them
//
// A thread between the site's jump and the stub's has done nothing yet.
func Stub(at, slot uint64, d Displaced) (Code, error) {
	g := newGen(at, d.Site)
	g.JmpMem(x86.RIPTo(slot))
	if g.Len() != CopyOffset {
		panic("BUG: stub's jump has another length")
	}
	if err := g.displaced(d.Bytes, d.Site, true); err != nil {
		return Code{}, err
	}
	return g.finish()
}

// Jump encodes the 5 bytes that go from addr to a stub.
func Jump(addr, stub uint64) ([]byte, error) {
	a := x86.NewAsm(addr)
	a.Jmp(stub)
	return a.Bytes()
}
