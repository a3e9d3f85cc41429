package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// slowEntry is what comes of a first entry that is taken, of callers that may be
// wrapped functions, and of threads without cells.
func (g *wrapGen) slowEntry() {
	g.is(arena.CallNone, g.saved())
	g.Bind(g.maybe)
	g.saveOthers()
	g.lookForJoin()
	g.Bind(g.probe)
	g.probeWindow()

	g.is(arena.CallNone, g.allSaved())
	g.Bind(g.missed)
	g.LockIncMem(x86.RIPTo(g.stats.Shared + arena.StatMissed*arena.CellSize))
	g.is(arena.CallMissed, g.allSaved())
	g.restoreAll()
	g.Jmp(g.d.Copy)

	g.is(arena.CallClaimed, g.allSaved())
	g.Bind(g.slowCalls)
	g.countCallShared()
	g.is(arena.CallEntered, g.allSaved())
	g.JmpLabel(g.entered)
}

// lookForJoin looks through the whole window for a frame of this slot whose address
// is the word in the slot: the first one of a slot is always the newest.
func (g *wrapGen) lookForJoin() {
	g.hash(x86.RCX, x86.RSP, x86.RDX)
	g.Lea(x86.RDX, x86.At(x86.RCX, arena.FrameWindow*arena.FrameSize))
	next, candidate := g.Here(), g.Label()
	g.CmpMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RSP)
	g.JccLabel(x86.CondE, candidate)
	g.AddRegImm(x86.RCX, arena.FrameSize)
	g.CmpRegReg(x86.RCX, x86.RDX)
	g.JccLabel(x86.CondNE, next)
	g.JmpLabel(g.claim)
	g.Bind(candidate)
	g.MovRegMem(x86.RAX, x86.At(x86.RSP, 0))
	g.CmpRegMem(x86.RAX, x86.At(x86.RCX, arena.FrameBack))
	g.JccLabel(x86.CondNE, g.claim)
	g.JmpLabel(g.join)
}

// probeWindow tries the other entries of the window. rcx is at the first one, whose
// key is in rax. Taken are: one that is free; one of this very slot, which is stale,
// since the word in the slot is not ours; and one that can be seen to be stale, since
// its slot is below the stack pointer on the same page, which can be read, and what is
// there is not its address. Above the stack pointer may be a claim that the running
// handler has interrupted.
func (g *wrapGen) probeWindow() {
	next, stale := g.Label(), g.Label()
	g.Lea(x86.RDX, x86.At(x86.RCX, arena.FrameWindow*arena.FrameSize))
	g.MovMemReg(g.below(saveEnd), x86.RDX)
	judge := g.Here()
	g.CmpRegReg(x86.RAX, x86.RSP)
	g.JccLabel(x86.CondE, stale)
	g.JccLabel(x86.CondA, next)
	g.MovRegReg(x86.RDX, x86.RSP)
	g.XorRegReg(x86.RDX, x86.RAX)
	g.ShrRegImm(x86.RDX, 12)
	g.JccLabel(x86.CondNE, next)
	g.MovRegMem(x86.RDX, x86.At(x86.RAX, 0))
	g.CmpRegMem(x86.RDX, x86.At(x86.RCX, arena.FrameBack))
	g.JccLabel(x86.CondNE, stale)

	g.Bind(next)
	g.AddRegImm(x86.RCX, arena.FrameSize)
	g.CmpRegMem(x86.RCX, g.below(saveEnd))
	g.JccLabel(x86.CondE, g.missed)
	g.XorRegReg(x86.RAX, x86.RAX)
	g.claimEntry(judge)
	g.JmpLabel(g.claimed)

	g.is(arena.CallNone, g.allSaved())
	g.Bind(stale)
	g.claimEntry(judge)
	g.countUnwound(g.claimed, arena.CallClaimed)
	g.JmpLabel(g.claimed)
}

// claimEntry makes the entry at rcx this slot's if its key is still what rax is.
func (g *wrapGen) claimEntry(other x86.Label) {
	g.LockCmpxchgMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RSP)
	g.is(arena.CallMaybe, g.allSaved())
	g.JccLabel(x86.CondNE, other)
	g.is(arena.CallTaken, g.allSaved())
}

// countUnwound counts the call whose frame was taken; one that was left before it
// counted has no statistics. A fork child counts nothing.
func (g *wrapGen) countUnwound(done x86.Label, then arena.Call) {
	g.MovRegMem(x86.RDX, x86.At(x86.RCX, arena.FrameStats))
	g.TestRegReg(x86.RDX, x86.RDX)
	g.JccLabel(x86.CondE, done)
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, done)
	g.LockIncMem(x86.At(x86.RDX, arena.StatUnwound*arena.CellSize))
	g.is(then, g.allSaved())
	g.MovMemImm(x86.At(x86.RCX, arena.FrameStats), 0)
}
