package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// bucketHash spreads FS bases (64-byte aligned, often a stack's size apart)
// over the buckets.
const (
	hashShiftIn  = 6
	hashFactor   = 0x61c88647
	hashShiftOut = 20
)

// saveInherited is where the C routine keeps the GS base that it found. No exit
// needs it.
const saveInherited = -32

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

// Claim generates the routine that gives the running thread an area. It is
// entered by a jump with the return address in the second register, and
// returns by jumping there or to one of the blocks before it.
//
// Two registers are all there is, so while it compares owners the return
// address waits in the GS base. A signal handler that calls hooked functions
// then finds code bytes where an owner should be: no FS base equals them, GS
// lies outside the areas, and it counts in the shared cells.
func Claim(at uint64, c arena.Consts, areas int, kind ClaimKind) (Code, error) {
	g := newGen(at, at)
	a, b, token := x86.RAX, x86.RCX, arena.TokenRCX
	if kind != ClaimC {
		a, b, token = x86.R12, x86.R13, arena.TokenR13
	}
	silent, shared, take, claimed, back := g.Label(), g.Label(), g.Label(), g.Label(), g.Label()

	g.from(0, token)
	g.CmpMemImm32(x86.RIPTo(c.ThisProcess), 0)
	g.JccLabel(x86.CondE, silent)
	g.Rdgsbase(a) // inherited from the parent thread, or not ours to change
	if kind == ClaimC {
		g.MovMemReg(x86.At(x86.RSP, saveInherited), a)
	}
	g.SubRegMem(a, x86.RIPTo(c.AreasBase))
	g.CmpRegMem(a, x86.RIPTo(c.AreasSize))
	g.JccLabel(x86.CondAE, shared)
	g.Rdfsbase(a)
	g.TestRegReg(a, a) // without an FS base there is no telling threads apart
	g.JccLabel(x86.CondE, shared)
	g.ShrRegImm(a, hashShiftIn)
	g.ImulRegRegImm32(a, a, hashFactor)
	g.ShrRegImm(a, hashShiftOut)
	g.AndRegImm(a, int32(areas/4-1))
	g.ShlRegImm(a, 9) // times BucketSize
	g.AddRegMem(a, x86.RIPTo(c.AreasBase))
	g.Wrgsbase(b)

	g.from(0, arena.TokenGSBase)
	g.Rdfsbase(b)
	for range arena.BucketSize / arena.AreaSize {
		next := g.Label()
		g.CmpMemReg(x86.At(a, arena.AreaOwner), b)
		g.JccLabel(x86.CondE, take) // a dead thread's that had this FS base
		g.CmpMemImm(x86.At(a, arena.AreaOwner), 0)
		g.JccLabel(x86.CondNE, next)
		g.LockBtsMemImm8(x86.At(a, arena.AreaClaimed), 0)
		g.JccLabel(x86.CondAE, claimed)
		g.Bind(next)
		g.AddRegImm(a, arena.AreaSize)
	}
	g.Rdgsbase(b)
	g.from(0, token)
	g.MovRegMem(a, x86.RIPTo(c.Nobody)) // full: do not look again
	g.Wrgsbase(a)
	g.Bind(shared)
	g.Lea(a, x86.At(b, -sharedBlock))
	g.JmpReg(a)
	g.Bind(silent)
	g.Lea(a, x86.At(b, -silentBlock))
	g.JmpReg(a)

	g.from(0, arena.TokenGSBase)
	g.Bind(take)
	if kind == ClaimC {
		// An area with this thread's FS base that GS has named all along: the
		// thread is on another stack than its own, or is one that shares the
		// FS base with its maker. Nothing tells which, so the shared cells
		// count, and the area stays its owner's.
		g.CmpRegMem(a, x86.At(x86.RSP, saveInherited))
		g.JccLabel(x86.CondE, back)
	}
	g.Bind(claimed)
	g.MovMemReg(x86.At(a, arena.AreaOwner), b)
	g.MovRegMem(b, x86.At(a, arena.AreaClaims))
	g.MovMemImm(x86.At(b, 0), 1)
	switch kind {
	case ClaimC:
		g.Lea(b, x86.At(x86.RSP, -stackBelow))
		g.MovMemReg(x86.At(a, arena.AreaWindow), b)
		g.MovMemImm(x86.At(a, arena.AreaSpan), stackSpan)
	case ClaimGoM:
		g.MovRegMem(b, x86.At(x86.R14, goMOffset))
		g.MovMemReg(x86.At(a, arena.AreaM), b)
	}
	g.Rdgsbase(b)
	g.from(0, token)
	g.Wrgsbase(a)
	g.JmpReg(b)

	g.from(0, arena.TokenGSBase)
	g.Bind(back)
	g.Rdgsbase(b)
	g.from(0, token)
	g.Wrgsbase(a)
	g.JmpLabel(shared)
	return g.finish()
}
