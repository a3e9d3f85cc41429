package unwind

import "github.com/functap/functap/internal/x86"

// Offsets in glibc's struct dl_find_object (dlfcn.h; since 2.35). The words
// behind are reserved, and glibc does not write them.
const (
	dlfoFlags   = 0
	dlfoStart   = 8
	dlfoEnd     = 16
	dlfoMap     = 24
	dlfoEhFrame = 32 // of the .eh_frame_hdr, in spite of its name
)

// FindObject generates the stand-in for glibc's
//
//	int _dl_find_object(void *pc, struct dl_find_object *result)
//
// which is asked by libgcc since version 12 and by LLVM's unwinder since 19. It
// answers for the ranges in data and hands every other address on to the
// original of that number. It uses no stack and takes no lock: like the original it may be
// called from a signal handler. There is no struct link_map to show, so that
// field is null; nobody is known to look at it.
func FindObject(at, data uint64, original int) (Code, error) {
	g := newGen(at)
	next, found, pass := g.Label(), g.Label(), g.Label()
	g.exit(Restart, 0)
	g.Endbr64() // it is jumped to through memory
	g.MovRegMem(x86.RCX, x86.RIPTo(data+dataCount))
	g.Lea(x86.RDX, x86.RIPTo(data+dataRanges))
	g.Bind(next)
	g.SubRegImm(x86.RCX, 1)
	g.JccLabel(x86.CondB, pass)
	g.MovRegReg(x86.RAX, x86.RDI)
	g.SubRegMem(x86.RAX, x86.At(x86.RDX, rangeCode))
	g.CmpRegMem(x86.RAX, x86.At(x86.RDX, rangeLen))
	g.JccLabel(x86.CondB, found)
	g.AddRegImm(x86.RDX, rangeSize)
	g.JmpLabel(next)
	g.Bind(pass)
	g.JmpMem(x86.RIPTo(data + dataOriginal + 8*uint64(original)))
	g.Bind(found)
	g.answer()
	return g.finish()
}

// answer fills the result from the range at rdx.
func (g *gen) answer() {
	g.exit(DrainAnswer, 0)
	g.MovMemImm(x86.At(x86.RSI, dlfoFlags), 0)
	g.MovRegMem(x86.RAX, x86.At(x86.RDX, rangeCode))
	g.MovMemReg(x86.At(x86.RSI, dlfoStart), x86.RAX)
	g.AddRegMem(x86.RAX, x86.At(x86.RDX, rangeLen))
	g.MovMemReg(x86.At(x86.RSI, dlfoEnd), x86.RAX)
	g.MovMemImm(x86.At(x86.RSI, dlfoMap), 0)
	g.MovRegMem(x86.RAX, x86.At(x86.RDX, rangeHeader))
	g.MovMemReg(x86.At(x86.RSI, dlfoEhFrame), x86.RAX)
	g.XorRegReg(x86.RAX, x86.RAX)
	g.Ret()
}
