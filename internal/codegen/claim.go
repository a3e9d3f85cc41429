package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ring"
	"github.com/functap/functap/internal/x86"
)

// bucketHash spreads FS bases (64-byte aligned, often a stack's size apart)
// over the buckets.
const (
	hashShiftIn  = 6
	hashFactor   = 0x61c88647
	hashShiftOut = 20
)

// Bucket is the index of the first area of the bucket in which a thread with
// this FS base has or gets its area. areas is a power of two, at least 4.
func Bucket(fsBase uint64, areas int) int {
	h := (fsBase >> hashShiftIn) * hashFactor >> hashShiftOut
	return int(h&uint64(areas/4-1)) * 4
}

// ClaimKind says for which programs a claim routine is: the registers it works
// in, and what it notes in the area.
type ClaimKind uint8

// Kinds of claim routines.
const (
	ClaimC   ClaimKind = iota // rax, rcx; notes where the stack is, and uses 8 bytes below rsp
	ClaimGo                   // r12, r13
	ClaimGoM                  // r12, r13; notes the goroutine's m
)

// Places below the stack pointer that the C routine uses. A context that is
// taken to another thread in the middle (user-level preemption) takes them along.
const (
	saveInherited = -32 // the GS base that it found; no exit needs it
	saveToken     = -40 // where it will return to
	saveArea      = -48 // while it notes who it is
	saveBirth     = -56
)

// maxStack bounds how far above the stack pointer a thread's TLS may be for it
// to get an area: pthreads have it at the top of their stack. Anything else at
// FS, such as a number that is no address, must not be read at.
const maxStack = 1 << 30

// claimGen generates one claim routine.
type claimGen struct {
	*gen
	c                                         arena.Consts
	kind                                      ClaimKind
	tid                                       int32 // the thread's id is there behind its FS base; 0: not known
	a, b                                      x86.Reg
	silent, shared, take, claimed, back, gone x86.Label
}

// Claim generates the routine that gives the running thread an area. It is
// entered by a jump with the return address in the second register, and
// returns by jumping there or to one of the blocks before it.
//
// Two registers are all there is, so while it compares owners the return
// address waits on the stack (C) or, since a goroutine's stack is not to be
// touched, in the GS base (Go). A signal handler that calls hooked functions
// then finds code bytes where an owner should be: no FS base equals them, GS
// lies outside the areas, and it counts in the shared cells.
//
// tid is where a thread's id is behind its FS base, 0 if that is not known.
func Claim(at uint64, c arena.Consts, areas int, kind ClaimKind, tid int32) (Code, error) {
	g := &claimGen{gen: newGen(at, at), c: c, kind: kind, tid: tid, a: x86.RAX, b: x86.RCX}
	if kind != ClaimC {
		g.a, g.b = x86.R12, x86.R13
	}
	for _, l := range []*x86.Label{&g.silent, &g.shared, &g.take, &g.claimed, &g.back, &g.gone} {
		*l = g.Label()
	}
	g.check()
	g.bucket(areas)
	g.search()
	g.full()
	g.found()
	return g.finish()
}

// holds says where the return address is from here on: in the register, or
// parked.
func (g *claimGen) holds(parked bool) {
	switch {
	case g.kind == ClaimC && parked:
		g.from(0, arena.TokenStack)
	case g.kind == ClaimC:
		g.from(0, arena.TokenRCX)
	case parked:
		g.from(0, arena.TokenGSBase)
	default:
		g.from(0, arena.TokenR13)
	}
}

// check leaves for fork children, foreign GS bases, and threads without TLS.
func (g *claimGen) check() {
	g.holds(false)
	g.CmpMemImm32(x86.RIPTo(g.c.ThisProcess), 0)
	g.JccLabel(x86.CondE, g.silent)
	g.Rdgsbase(g.a) // inherited from the parent thread, or not ours to change
	if g.kind == ClaimC {
		g.MovMemReg(x86.At(x86.RSP, saveInherited), g.a)
	}
	g.SubRegMem(g.a, x86.RIPTo(g.c.AreasBase))
	g.CmpRegMem(g.a, x86.RIPTo(g.c.AreasSize))
	g.JccLabel(x86.CondAE, g.shared)
	g.Rdfsbase(g.a)
	if g.kind == ClaimC {
		g.SubRegReg(g.a, x86.RSP)
		g.CmpRegImm(g.a, maxStack)
		g.JccLabel(x86.CondAE, g.shared)
		g.AddRegReg(g.a, x86.RSP)
		return
	}
	g.TestRegReg(g.a, g.a) // without an FS base there is no telling threads apart
	g.JccLabel(x86.CondE, g.shared)
}

// bucket makes the first register the address of the thread's bucket and the
// second its FS base.
func (g *claimGen) bucket(areas int) {
	g.ShrRegImm(g.a, hashShiftIn)
	g.ImulRegRegImm32(g.a, g.a, hashFactor)
	g.ShrRegImm(g.a, hashShiftOut)
	g.AndRegImm(g.a, int32(areas/4-1))
	g.ShlRegImm(g.a, 9) // times BucketSize
	g.AddRegMem(g.a, x86.RIPTo(g.c.AreasBase))
	if g.kind == ClaimC {
		g.MovMemReg(x86.At(x86.RSP, saveToken), g.b)
	} else {
		g.Wrgsbase(g.b)
	}
	g.holds(true)
	g.Rdfsbase(g.b)
}

// search looks for the thread's area in the bucket, or for a free one.
func (g *claimGen) search() {
	for range arena.BucketSize / arena.AreaSize {
		next := g.Label()
		g.CmpMemReg(x86.At(g.a, arena.AreaOwner), g.b)
		g.JccLabel(x86.CondE, g.take) // a dead thread's that had this FS base
		g.CmpMemImm(x86.At(g.a, arena.AreaOwner), 0)
		g.JccLabel(x86.CondNE, next)
		g.LockBtsMemImm8(x86.At(g.a, arena.AreaClaimed), 0)
		g.JccLabel(x86.CondAE, g.claimed)
		g.Bind(next)
		g.AddRegImm(g.a, arena.AreaSize)
	}
}

// unpark gets the return address back into the second register.
func (g *claimGen) unpark() {
	if g.kind == ClaimC {
		g.MovRegMem(g.b, x86.At(x86.RSP, saveToken))
	} else {
		g.Rdgsbase(g.b)
	}
	g.holds(false)
}

// full is where no area is to be had: the thread does not look again. The ways
// out to the blocks before the return address follow.
func (g *claimGen) full() {
	g.unpark()
	g.MovRegMem(g.a, x86.RIPTo(g.c.Nobody))
	g.Wrgsbase(g.a)
	g.Bind(g.shared)
	g.Lea(g.a, x86.At(g.b, -sharedBlock))
	g.JmpReg(g.a)
	g.Bind(g.silent)
	g.Lea(g.a, x86.At(g.b, -silentBlock))
	g.JmpReg(g.a)

	// A signal handler has forked in the middle of this routine, and this is the
	// child: the area in hand is wiped.
	g.holds(true)
	g.Bind(g.gone)
	g.unpark()
	g.MovRegMem(g.a, x86.RIPTo(g.c.Nobody))
	g.Wrgsbase(g.a)
	g.JmpLabel(g.silent)
}

// found makes the area the thread's.
func (g *claimGen) found() {
	g.holds(true)
	g.Bind(g.take)
	if g.kind == ClaimC {
		// An area with this thread's FS base that GS has named all along: the
		// thread is on another stack than its own, or is one that shares the
		// FS base with its maker. Nothing tells which, so the shared cells
		// count, and the area stays its owner's.
		g.CmpRegMem(g.a, x86.At(x86.RSP, saveInherited))
		g.JccLabel(x86.CondE, g.back)
	}
	g.Bind(g.claimed)
	if g.kind == ClaimC {
		g.noteBirth()
	}
	g.MovMemReg(x86.At(g.a, arena.AreaOwner), g.b)
	g.MovRegMem(g.b, x86.At(g.a, arena.AreaClaims))
	g.TestRegReg(g.b, g.b)
	g.JccLabel(x86.CondE, g.gone)
	g.MovMemImm(x86.At(g.b, 0), 1)
	switch g.kind {
	case ClaimC:
		g.Lea(g.b, x86.At(x86.RSP, -stackBelow))
		g.MovMemReg(x86.At(g.a, arena.AreaWindow), g.b)
		g.MovMemImm(x86.At(g.a, arena.AreaSpan), stackSpan)
	case ClaimGoM:
		g.MovRegMem(g.b, x86.At(x86.R14, goMOffset))
		g.MovMemReg(x86.At(g.a, arena.AreaM), g.b)
	}
	g.unpark()
	g.Wrgsbase(g.a)
	g.JmpReg(g.b)

	g.holds(true)
	g.Bind(g.back)
	g.unpark()
	g.Wrgsbase(g.a)
	g.JmpLabel(g.shared)
}

// noteBirth tells the reader of the area's ring, if there is one, whose records follow. A
// signal handler that claims the same area meanwhile notes the same under a number of its
// own; then one of the two may stay unfinished, or be this one again.
func (g *claimGen) noteBirth() {
	none := g.Label()
	g.MovRegMem(g.b, x86.At(g.a, arena.AreaRing))
	g.TestRegReg(g.b, g.b)
	g.JccLabel(x86.CondE, none)
	g.MovMemReg(x86.At(x86.RSP, saveArea), g.a)
	g.IncMem(x86.At(g.b, ring.Births))
	g.MovRegMem(g.a, x86.At(g.b, ring.Births))
	g.MovMemReg(x86.At(x86.RSP, saveBirth), g.a)
	g.AndRegImm(g.a, ring.BirthsKept-1)
	g.ShlRegImm(g.a, 4) // times BirthSize
	g.AddRegReg(g.a, g.b)
	g.MovRegMem(g.b, x86.At(g.b, ring.Head))
	g.MovMemReg(x86.At(g.a, ring.BirthLog+ring.BirthHead), g.b)
	if g.tid != 0 {
		g.MovRegMem32(g.b, x86.FSAt(g.tid))
		g.MovMemReg32(x86.At(g.a, ring.BirthLog+ring.BirthTID), g.b)
	} else {
		g.MovMemImm32(x86.At(g.a, ring.BirthLog+ring.BirthTID), 0)
	}
	g.MovRegMem(g.b, x86.At(x86.RSP, saveBirth))
	g.CmpMemImm32(x86.RIPTo(g.c.ThisProcess), 0)
	g.JccLabel(x86.CondE, g.gone) // a child's, after all: it must not say so in its parent's ring
	g.MovMemReg32(x86.At(g.a, ring.BirthLog+ring.BirthStamp), g.b)
	g.MovRegMem(g.a, x86.At(x86.RSP, saveArea))
	g.Bind(none)
	g.Rdfsbase(g.b)
}
