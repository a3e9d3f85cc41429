package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ring"
	"github.com/functap/functap/internal/x86"
)

// What few calls need is in one routine for all programs of an arena. It is entered by a
// jump, with the address to go on at, and at entry that of the statistics too, below the
// stack pointer.

// Slow are the addresses at which it is entered.
type Slow struct {
	Maybe  uint64 // the caller may be a wrapped function
	Probe  uint64 // the entry in the home table, at rcx, is not the slot's
	Stale  uint64 // it is, and has another call's statistics
	Search uint64 // the frame of the function that has returned is not at home
	Joined uint64 // others have joined the call whose frame is at rdx
	Told   uint64 // the event of one of these is recorded
	Shared uint64 // a duration, in rax, for the shared statistics
	NewMax uint64 // it is the longest; the statistics are at rcx
}

// From an entry the routine goes on in the program at the address it was given, where the
// function is jumped to, or at one of the blocks before it. Behind a return, too, there is
// one, if the program records events.
const (
	joinsBlock   = 48 // before it, with events: record that the function whose frame is at rcx joins
	claimedBlock = 32 // before it: the frame at rcx is claimed
	claimBlock   = 16 // before it: claim one

	toldBlock = 16 // record the return of one that had joined
)

// goOn is where the routine finds the address, at entry; and behind a return.
func (g *wrapGen) goOn() x86.Mem      { return g.below(saveOut) }
func (g *wrapGen) goOnLeave() x86.Mem { return behind(saveReturn) }

// slowEntry are a program's ways there.
func (g *wrapGen) slowEntry() {
	out := g.Label()
	params := func() {
		g.LeaLabel(x86.RDX, out)
		g.MovMemReg(g.goOn(), x86.RDX)
		g.Lea(x86.RDX, x86.RIPTo(g.stats.Shared))
		g.MovMemReg(g.below(saveStats), x86.RDX)
		g.MovMemImm(g.below(saveWant), g.stats.site())
	}
	g.is(arena.CallNone, g.saved())
	g.Bind(g.maybe)
	g.saveOthers()
	params()
	g.Jmp(g.env.Slow.Maybe)
	g.Bind(g.probe)
	params()
	g.Jmp(g.env.Slow.Probe)
	g.Bind(g.stale)
	params()
	g.Jmp(g.env.Slow.Stale)

	if g.stats.Events != nil {
		g.is(arena.CallJoinEntered, g.allSaved())
		g.block(g.joins)
	}
	g.is(arena.CallClaimed, g.allSaved())
	g.block(g.claimed)
	g.is(arena.CallNone, g.allSaved())
	g.block(g.claim)
	g.Bind(out)
	g.restoreAll()
	g.Jmp(g.d.Copy)

	if g.areas {
		g.is(arena.CallClaimed, g.allSaved())
		g.Bind(g.slowCalls)
		g.enterAside()
		g.is(arena.CallEntered, g.allSaved())
		g.JmpLabel(g.entered)
	}
	if g.stats.Events != nil {
		g.is(arena.CallJoinEntered, g.allSaved())
		g.Bind(g.joins)
		g.eventEntry(ring.Join, arena.CallJoinEntered)
		g.countJoined()
		g.is(arena.CallNone, g.allSaved())
		g.JmpLabel(out)
	}
}

// FrameRoutine generates the routine.
func FrameRoutine(at uint64, env Env) (Code, Slow, error) {
	g := &wrapGen{countGen: countGen{gen: newGen(at, at), env: env, a: x86.RAX, b: x86.RCX}}
	g.token = arena.TokenOut
	for _, l := range []*x86.Label{&g.claimed, &g.claim, &g.missed, &g.joined, &g.alone} {
		*l = g.Label()
	}
	var s Slow
	s.Maybe = g.PC()
	g.lookForJoin()
	g.joinFrame()
	g.is(arena.CallNone, 0)
	s.Probe = g.PC()
	g.claimHome()
	g.probeWindow()
	g.is(arena.CallNone, 0)
	s.Stale = g.PC()
	g.countUnwound(g.claimed, arena.CallClaimed)
	g.JmpLabel(g.claimed)
	g.ways()

	g.token = arena.TokenNone
	g.is(arena.CallBack, resultsSaved)
	s.Search = g.PC()
	g.leaveWindow()
	g.is(arena.CallBack, resultsSaved)
	s.Joined, s.Told = g.leaveJoined()
	g.is(arena.CallBack, resultsSaved)
	s.Shared = g.PC()
	g.recordShared(g.freeFrame)
	s.NewMax = g.PC()
	g.raiseMax()
	c, err := g.finish()
	return c, s, err
}

// ways are the ways back to programs.
func (g *wrapGen) ways() {
	g.is(arena.CallNone, 0)
	g.Bind(g.claim)
	g.back(claimBlock)
	g.is(arena.CallClaimed, 0)
	g.Bind(g.claimed)
	g.back(claimedBlock)
	g.is(arena.CallNone, 0)
	g.Bind(g.missed)
	g.MovRegMem(x86.RDX, g.below(saveStats))
	g.LockIncMem(x86.At(x86.RDX, arena.StatMissed*arena.CellSize))
	g.is(arena.CallMissed, 0)
	g.JmpMem(g.goOn())
}

// back goes to a block so far before where the program goes on.
func (g *wrapGen) back(block int32) {
	g.MovRegMem(x86.RDX, g.goOn())
	g.SubRegImm(x86.RDX, block)
	g.JmpReg(x86.RDX)
}

// lookForJoin looks for a frame of this slot whose address is the word in the slot, and
// leaves it in rcx: at home, or in the whole window, where the first one of a slot is always
// the newest.
func (g *wrapGen) lookForJoin() {
	candidate := g.Label()
	g.is(arena.CallNone, 0)
	g.home(x86.RCX, x86.RSP, x86.RDX)
	g.CmpMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RSP)
	g.JccLabel(x86.CondE, candidate)
	g.hash(x86.RCX, x86.RSP, x86.RDX)
	g.Lea(x86.RDX, x86.At(x86.RCX, arena.FrameWindow*arena.FrameSize))
	next := g.Here()
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
	g.CmpMemImm(x86.At(x86.RCX, arena.FrameStats), 0) // at home: of a call that has returned
	g.JccLabel(x86.CondE, g.claim)
}

// claimHome makes the entry at rcx the slot's for good, if it is nobody's.
func (g *wrapGen) claimHome() {
	g.XorRegReg(x86.RAX, x86.RAX)
	g.LockCmpxchgMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RSP)
	g.is(arena.CallMaybe, 0)
	g.JccLabel(x86.CondE, g.claimed)
	g.is(arena.CallNone, 0)
}

// probeWindow tries the entries of the slot's window in the frame table. Taken are: one that is free; one of this very slot, which is stale,
// since the word in the slot is not ours; and one that can be seen to be stale, since
// its slot is below the stack pointer on the same page, which can be read, and what is
// there is not its address. Above the stack pointer may be a claim that the running
// handler has interrupted.
func (g *wrapGen) probeWindow() {
	next, stale, judge := g.Label(), g.Label(), g.Label()
	g.hash(x86.RCX, x86.RSP, x86.RDX)
	g.Lea(x86.RDX, x86.At(x86.RCX, arena.FrameWindow*arena.FrameSize))
	g.MovMemReg(g.below(saveEnd), x86.RDX)
	again := g.Here()
	g.XorRegReg(x86.RAX, x86.RAX)
	g.claimEntry(judge)
	g.JmpLabel(g.claimed)

	g.is(arena.CallNone, 0)
	g.Bind(judge)
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
	g.JmpLabel(again)

	g.Bind(stale)
	g.claimEntry(judge)
	g.countUnwound(g.claimed, arena.CallClaimed)
	g.JmpLabel(g.claimed)
}

// claimEntry makes the entry at rcx this slot's if its key is still what rax is.
func (g *wrapGen) claimEntry(other x86.Label) {
	g.LockCmpxchgMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RSP)
	g.is(arena.CallMaybe, 0)
	g.JccLabel(x86.CondNE, other)
	g.is(arena.CallTaken, 0)
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
	g.is(then, 0)
	g.MovMemImm(x86.At(x86.RCX, arena.FrameStats), 0)
}
