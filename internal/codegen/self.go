package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// A call's self time is what is left of its duration when the time is taken off that calls
// below it spent. The thread's area adds up the self times of all calls that have returned,
// as `spent`; a call keeps what that was when it began. Whatever it finds when it returns,
// it leaves `spent` larger by its duration than it was then: so its caller is right, even if
// it was not itself.
//
// It was right if the calls that were begun meanwhile have returned, the last one first.
// `current` tells: a call's name while it runs, and before and after that its caller's, which
// the frame keeps meanwhile. A call that is left by longjmp, or suspended, leaves its own
// behind, and is found in its caller's place. Calls of which `spent` does not learn, such as
// those of a handler on another stack, disturb `current`.
//
// A signal handler may come before any instruction. Its calls put `current` back, and add to
// `spent`. A time stamp belongs to one value of `spent`, so it is read again if that has
// changed meanwhile. `current` is read before the time, and changed by one instruction that
// finds out whether it was disturbed since: then neither call nor caller is known. If the
// handler never returns, the interrupted call's name is left, or the handler's; therefore
// `current` is set before the call counts, and put back behind the addition.

// Further places below the return slot.
const (
	saveSpent = saveOut
	saveSelf  = saveBase
	saveSeen  = saveSite // current before the time was read
)

// nameShift makes room for the low bits of an address that each area has one of, in a table
// of 64 KiB at most.
const nameShift = 16

func (g *wrapGen) keepsSelf() bool { return g.stats.Self && g.areas }

// readEntry makes rax the time stamp, and keeps spent and current in the frame at rcx.
func (g *wrapGen) readEntry() {
	g.MovRegMem(x86.RAX, x86.GSAt(arena.AreaCurrent))
	g.MovMemReg(x86.At(x86.RCX, arena.FrameOuter), x86.RAX)
	g.readWithSpent(x86.At(x86.RCX, arena.FrameSpent))
}

// readExit does the same at the end, and keeps them below the slot.
func (g *wrapGen) readExit() {
	g.MovRegMem(x86.RAX, x86.GSAt(arena.AreaCurrent))
	g.MovMemReg(behind(saveSeen), x86.RAX)
	g.readWithSpent(behind(saveSpent))
}

func (g *wrapGen) readWithSpent(spent x86.Mem) {
	again := g.Here()
	g.MovRegMem(x86.RAX, x86.GSAt(arena.AreaSpent))
	g.MovMemReg(spent, x86.RAX)
	g.readTime()
	g.MovRegMem(x86.RDX, spent)
	g.CmpRegMem(x86.RDX, x86.GSAt(arena.AreaSpent))
	g.JccLabel(x86.CondNE, again)
}

// name makes dst the name of the call whose frame is at the other register: the time at which
// it began, and which area's it is, since two threads may read the same time.
func (g *wrapGen) name(dst, frame x86.Reg) {
	g.MovRegMem(dst, x86.At(frame, arena.FrameTime))
	g.ShlRegImm(dst, nameShift)
	g.AddRegMem(dst, x86.GSAt(arena.AreaClaims))
}

// becomeCurrent makes the call whose frame is at rcx the one that is running. Destroys rdx.
func (g *wrapGen) becomeCurrent() {
	disturbed, done := g.Label(), g.Label()
	outer := x86.At(x86.RCX, arena.FrameOuter)
	g.name(x86.RDX, x86.RCX)
	g.MovRegMem(x86.RAX, outer)
	g.CmpxchgMemReg(x86.GSAt(arena.AreaCurrent), x86.RDX)
	g.JccLabel(x86.CondNE, disturbed)
	g.Bind(done)
	g.cold = append(g.cold, func() {
		g.is(arena.CallClaimed, g.allSaved())
		g.Bind(disturbed)
		g.MovMemImm(outer, arena.OuterNone)
		g.JmpLabel(done)
	})
}

// keepSelf adds the self time to spent, and if it is known to the thread's statistics, whose
// address is in rcx. The frame is at rdx; it is free, but only a later call of this slot
// will use it. The duration is in rax, before and after.
func (g *wrapGen) keepSelf() {
	unknown, disturbed, done := g.Label(), g.Label(), g.Label()
	current := x86.GSAt(arena.AreaCurrent)
	g.SubRegMem(x86.RAX, behind(saveSpent))
	g.AddRegMem(x86.RAX, x86.At(x86.RDX, arena.FrameSpent))
	g.MovMemReg(behind(saveSelf), x86.RAX)
	g.AddMemReg(x86.GSAt(arena.AreaSpent), x86.RAX)
	g.name(x86.RAX, x86.RDX)
	g.MovRegMem(x86.RDX, x86.At(x86.RDX, arena.FrameOuter))
	g.CmpRegMem(x86.RAX, behind(saveSeen))
	g.JccLabel(x86.CondNE, unknown)
	g.CmpxchgMemReg(current, x86.RDX)
	g.JccLabel(x86.CondNE, disturbed)
	g.MovRegMem(x86.RAX, behind(saveSelf))
	g.AddMemReg(g.own(x86.RCX, arena.StatSelf), x86.RAX)
	g.IncMem(g.own(x86.RCX, arena.StatKnown))
	g.Bind(done)
	g.MovRegMem(x86.RAX, behind(saveDuration))
	g.cold = append(g.cold, func() {
		g.is(arena.CallLeft, resultsSaved)
		g.Bind(unknown)
		g.MovRegMem(x86.RAX, behind(saveSeen))
		g.CmpxchgMemReg(current, x86.RDX)
		g.JccLabel(x86.CondE, done)
		g.Bind(disturbed)
		g.IncMem(current)
		g.JmpLabel(done)
	})
}

// disturb says of the call whose frame is at rcx that spent does not learn of it: it and its
// caller are not known. Threads that are on another stack than their own have their area at
// GS all the same. No name is another one plus a small number. Destroys rdx.
func (g *wrapGen) disturb() {
	g.MovMemImm(x86.At(x86.RCX, arena.FrameOuter), arena.OuterNone)
	if !g.env.Areas {
		return
	}
	others := g.Label()
	g.Rdgsbase(x86.RDX)
	g.SubRegMem(x86.RDX, x86.RIPTo(g.env.AreasBase))
	g.CmpRegMem(x86.RDX, x86.RIPTo(g.env.AreasSize))
	g.JccLabel(x86.CondAE, others)
	g.IncMem(x86.GSAt(arena.AreaCurrent))
	g.Bind(others)
}
