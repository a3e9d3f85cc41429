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
// behind, and is found in its caller's place.
//
// No instruction is one that a signal handler must not come before: its calls put `current`
// back, and add to `spent`. A time stamp belongs to one value of `spent`, so it is read
// again if that has changed meanwhile. If the handler never returns, its name or the
// interrupted call's is left; therefore `current` is set first at entry and last at the end.

// saveSpent and saveSelf are further places below the return slot.
const (
	saveSpent = saveOut
	saveSelf  = saveBase
)

// nameShift makes room for the low bits of an address that each area has one of, in a table
// of 64 KiB at most.
const nameShift = 16

func (g *wrapGen) keepsSelf() bool { return g.stats.Self && g.areas }

// readEntry makes rax the time stamp, and keeps spent in the frame at rcx.
func (g *wrapGen) readEntry() {
	again := g.Here()
	g.MovRegMem(x86.RAX, x86.GSAt(arena.AreaSpent))
	g.MovMemReg(x86.At(x86.RCX, arena.FrameSpent), x86.RAX)
	g.readTime()
	g.MovRegMem(x86.RDX, x86.At(x86.RCX, arena.FrameSpent))
	g.CmpRegMem(x86.RDX, x86.GSAt(arena.AreaSpent))
	g.JccLabel(x86.CondNE, again)
}

// readExit does the same at the end, where spent is kept below the slot.
func (g *wrapGen) readExit() {
	again := g.Here()
	g.MovRegMem(x86.RAX, x86.GSAt(arena.AreaSpent))
	g.MovMemReg(behind(saveSpent), x86.RAX)
	g.readTime()
	g.MovRegMem(x86.RDX, behind(saveSpent))
	g.CmpRegMem(x86.RDX, x86.GSAt(arena.AreaSpent))
	g.JccLabel(x86.CondNE, again)
}

// name makes rax the name of the call whose frame is at the register: the time at which it
// began, and which area's it is, since two threads may read the same time.
func (g *wrapGen) name(frame x86.Reg) {
	g.MovRegMem(x86.RAX, x86.At(frame, arena.FrameTime))
	g.ShlRegImm(x86.RAX, nameShift)
	g.AddRegMem(x86.RAX, x86.GSAt(arena.AreaClaims))
}

// becomeCurrent makes the call whose frame is at rcx the one that is running.
func (g *wrapGen) becomeCurrent() {
	g.MovRegMem(x86.RAX, x86.GSAt(arena.AreaCurrent))
	g.MovMemReg(x86.At(x86.RCX, arena.FrameOuter), x86.RAX)
	g.name(x86.RCX)
	g.MovMemReg(x86.GSAt(arena.AreaCurrent), x86.RAX)
}

// keepSelf adds the self time to the thread's statistics, whose address is in rcx, if it is
// known, and to spent. The frame is at rdx; it is free, but only a later call of this slot
// will use it. The duration is in rax, before and after.
func (g *wrapGen) keepSelf() {
	unknown := g.Label()
	g.SubRegMem(x86.RAX, behind(saveSpent))
	g.AddRegMem(x86.RAX, x86.At(x86.RDX, arena.FrameSpent))
	g.MovMemReg(behind(saveSelf), x86.RAX)
	g.name(x86.RDX)
	g.CmpRegMem(x86.RAX, x86.GSAt(arena.AreaCurrent))
	g.MovRegMem(x86.RAX, behind(saveSelf))
	g.JccLabel(x86.CondNE, unknown)
	g.AddMemReg(g.own(x86.RCX, arena.StatSelf), x86.RAX)
	g.IncMem(g.own(x86.RCX, arena.StatKnown))
	g.Bind(unknown)
	g.AddMemReg(x86.GSAt(arena.AreaSpent), x86.RAX)
	g.MovRegMem(x86.RDX, x86.At(x86.RDX, arena.FrameOuter))
	g.MovMemReg(x86.GSAt(arena.AreaCurrent), x86.RDX)
	g.MovRegMem(x86.RAX, behind(saveDuration))
}

// disturb says of the call whose frame is at rcx that spent does not have it: it and its
// caller are not known. Threads that are on another stack than their own have their area at
// GS all the same. Destroys rdx.
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
	g.MovMemImm(x86.GSAt(arena.AreaCurrent), 0)
	g.Bind(others)
}
