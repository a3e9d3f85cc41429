package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// A function that a wrapped one jumps to, as compilers make of a call at the end, finds our
// address on the stack. It gets a frame for its time and statistics, but is not called: it
// returns to where the first one does. A second call would put a second frame on one
// return slot, and unwinders would never get past it.

// joinFrame adds a frame to the slot's, whose address is in rcx. There is an end to it: two
// functions that jump to each other can do that a million times.
func (g *wrapGen) joinFrame() {
	g.is(arena.CallNone, 0)
	g.MovMemReg(g.below(saveBase), x86.RCX)
	g.MovRegMem32(x86.RAX, x86.At(x86.RCX, arena.FrameJoined))
	g.AddRegImm(x86.RAX, 1)
	g.CmpRegImm(x86.RAX, arena.MaxJoined)
	g.JccLabel(x86.CondA, g.missed)
	g.needEvents()
	g.hashJoin(x86.RCX, x86.RSP, x86.RDX)
	g.MovRegReg(x86.RDX, x86.RAX)
	g.ShlRegImm(x86.RDX, arena.JoinShift)
	g.OrRegReg(x86.RDX, x86.RSP)
	claimed := g.Label()
	g.claimJoin(claimed)

	g.is(arena.CallJoinClaimed, 0)
	g.Bind(claimed)
	g.disturb()
	g.MovRegMem(x86.RAX, g.goOn()) // as a sign of which program wrote it
	g.MovMemReg(x86.At(x86.RCX, arena.FrameBack), x86.RAX)
	g.readTime()
	g.MovMemReg(x86.At(x86.RCX, arena.FrameTime), x86.RAX)
	g.MovRegMem(x86.RAX, g.below(saveWant))
	g.MovMemReg32(x86.At(x86.RCX, arena.FrameSite), x86.RAX)
	g.MovRegMem(x86.RAX, g.below(saveStats))
	g.countCallShared()
	g.is(arena.CallJoinEntered, 0)
	events := g.Label()
	g.CmpMemImm(g.below(saveWant), 0)
	g.JccLabel(x86.CondNE, events)
	g.countJoined()
	g.is(arena.CallNone, 0)
	g.JmpMem(g.goOn())
	g.is(arena.CallJoinEntered, 0)
	g.Bind(events)
	g.back(joinsBlock)
}

// needEvents: a function whose events are recorded joins none whose are not, since it is
// the other's program that sees both return. The other's frame is at rcx.
func (g *wrapGen) needEvents() {
	unwanted := g.Label()
	g.CmpMemImm(g.below(saveWant), 0)
	g.JccLabel(x86.CondE, unwanted)
	g.CmpMemImm32(x86.At(x86.RCX, arena.FrameSite), 0)
	g.JccLabel(x86.CondE, g.missed)
	g.Bind(unwanted)
}

// countJoined says in the slot's frame that one more has joined: it is complete.
func (g *wrapGen) countJoined() {
	g.MovRegMem(x86.RCX, g.below(saveBase))
	g.IncMem32(x86.At(x86.RCX, arena.FrameJoined))
}

// hashJoin makes dst the first entry for the function whose number is in rax.
func (g *wrapGen) hashJoin(dst, slot, tmp x86.Reg) {
	g.hashStack(dst, slot)
	g.MovRegReg(tmp, x86.RAX)
	g.ShlRegImm(tmp, 4) // times FrameWindow
	g.AddRegReg(dst, tmp)
	g.hashWord(dst, slot, tmp)
}

// claimJoin finds an entry for the key in rdx: a free one, or one with this key, which is
// stale.
func (g *wrapGen) claimJoin(claimed x86.Label) {
	stale := g.Label()
	g.Lea(x86.RAX, x86.At(x86.RCX, arena.FrameWindow*arena.FrameSize))
	g.MovMemReg(g.below(saveEnd), x86.RAX)
	next := g.Here()
	g.XorRegReg(x86.RAX, x86.RAX)
	g.LockCmpxchgMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RDX)
	g.is(arena.CallJoinMaybe, 0)
	g.JccLabel(x86.CondE, claimed)
	g.is(arena.CallNone, 0)
	g.CmpRegReg(x86.RAX, x86.RDX)
	g.JccLabel(x86.CondE, stale)
	g.AddRegImm(x86.RCX, arena.FrameSize)
	g.CmpRegMem(x86.RCX, g.below(saveEnd))
	g.JccLabel(x86.CondNE, next)
	g.JmpLabel(g.missed)

	g.is(arena.CallJoinTaken, 0)
	g.Bind(stale)
	g.countUnwound(claimed, arena.CallJoinClaimed)
}

// leaveJoined records the functions that have joined, the last one first, and goes on
// with the first, in the program if that is at home. They may be of any arena, so it is their shared statistics that count.
// told is where a program goes on that has recorded one's event.
func (g *wrapGen) leaveJoined() (joined, told uint64) {
	counted, freed, nobody, raised := g.Label(), g.Label(), g.Label(), g.Label()
	g.is(arena.CallBack, resultsSaved)
	joined = g.PC()
	g.Bind(g.joined)
	next := g.Here()
	g.findJoined(nobody)
	g.MovMemReg(behind(saveBase), x86.RDX)
	g.readTime()
	g.MovRegMem(x86.RCX, behind(saveBase))
	g.SubRegMem(x86.RAX, x86.At(x86.RCX, arena.FrameTime))
	positive := g.Label()
	g.JccLabel(x86.CondAE, positive)
	g.XorRegReg(x86.RAX, x86.RAX)
	g.Bind(positive)
	g.keepTimes()
	g.keepSite()
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, freed)
	g.MovRegMem(x86.RCX, x86.At(x86.RCX, arena.FrameStats))
	g.countReturn()
	g.is(arena.CallJoinLeft, resultsSaved)
	g.freeJoined()
	g.JmpLabel(counted)
	g.is(arena.CallBack, resultsSaved)
	g.Bind(freed)
	g.freeJoined()
	g.JmpLabel(nobody)
	g.Bind(counted)
	g.LockAddMemReg(x86.At(x86.RCX, arena.StatTotal*arena.CellSize), x86.RAX)
	g.raise(raised)
	g.Bind(raised)
	g.CmpMemImm(behind(saveSite), 0)
	g.JccLabel(x86.CondE, nobody)
	g.MovRegMem(x86.RDX, g.goOnLeave())
	g.SubRegImm(x86.RDX, toldBlock)
	g.JmpReg(x86.RDX)
	told = g.PC()
	g.Bind(nobody)
	g.MovRegMem(x86.RDX, behind(saveCells))
	g.DecMem32(x86.At(x86.RDX, arena.FrameJoined))
	g.JccLabel(x86.CondNE, next)
	g.MovRegImm64(x86.RAX, g.env.Frames+arena.HomeOff)
	g.CmpRegReg(x86.RDX, x86.RAX)
	g.JccLabel(x86.CondB, g.alone)
	g.JmpMem(g.goOnLeave())
	return joined, told
}

// freeJoined frees the frame that was kept.
func (g *wrapGen) freeJoined() {
	g.MovRegMem(x86.RDX, behind(saveBase))
	g.MovMemImm(x86.At(x86.RDX, arena.FrameStats), 0)
	g.is(arena.CallBack, resultsSaved)
	g.MovMemImm(x86.At(x86.RDX, arena.FrameSlot), 0)
}

// findJoined makes rdx the frame of the last function that has joined the one at rdx.
func (g *wrapGen) findJoined(none x86.Label) {
	g.MovRegMem32(x86.RAX, x86.At(x86.RDX, arena.FrameJoined))
	g.Lea(x86.RCX, x86.At(x86.RSP, -8))
	g.hashStack(x86.RDX, x86.RCX)
	g.ShlRegImm(x86.RAX, 4) // times FrameWindow
	g.AddRegReg(x86.RDX, x86.RAX)
	g.hashWord(x86.RDX, x86.RCX, x86.RAX)
	g.MovRegMem(x86.RCX, behind(saveCells))
	g.MovRegMem32(x86.RCX, x86.At(x86.RCX, arena.FrameJoined))
	g.ShlRegImm(x86.RCX, arena.JoinShift)
	g.Lea(x86.RAX, x86.At(x86.RSP, -8))
	g.OrRegReg(x86.RCX, x86.RAX)
	g.Lea(x86.RAX, x86.At(x86.RDX, arena.FrameWindow*arena.FrameSize))
	search, found := g.Here(), g.Label()
	g.CmpMemReg(x86.At(x86.RDX, arena.FrameSlot), x86.RCX)
	g.JccLabel(x86.CondE, found)
	g.AddRegImm(x86.RDX, arena.FrameSize)
	g.CmpRegReg(x86.RDX, x86.RAX)
	g.JccLabel(x86.CondNE, search)
	g.JmpLabel(none)
	g.Bind(found)
}
