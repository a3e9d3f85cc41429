package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// behind is a place below the return slot, which is right below the stack pointer when
// a function has returned. Callers have nothing there.
func behind(place int32) x86.Mem { return x86.At(x86.RSP, place-8) }

// leave is where the function returns to. Its results stay as they are: only three
// general registers and the flags are used, and restored. Flags too, although
// the psABI has no result in them: assembly does.
func (g *wrapGen) leave() {
	g.Bind(g.leaves)
	g.backAt = g.Len()
	g.saveResults()
	g.Lea(x86.RCX, x86.At(x86.RSP, -8))
	g.home(x86.RDX, x86.RCX, x86.RAX)
	g.CmpMemReg(x86.At(x86.RDX, arena.FrameSlot), x86.RCX)
	g.JccLabel(x86.CondNE, g.search)
	g.MovRegMem(x86.RAX, x86.At(x86.RDX, arena.FrameRA))
	g.MovMemReg(behind(0), x86.RAX)
	g.MovMemReg(behind(saveCells), x86.RDX)
	g.keepRing()
	g.CmpMemImm32(x86.At(x86.RDX, arena.FrameJoined), 0)
	g.JccLabel(x86.CondNE, g.joined)
	g.Bind(g.alone)
	g.MovRegReg(x86.RCX, x86.RDX)
	if g.keepsSelf() {
		g.readExit()
	} else {
		g.readTime()
	}
	g.SubRegMem(x86.RAX, x86.At(x86.RCX, arena.FrameTime))
	g.JccLabel(x86.CondB, g.negative)
	g.Bind(g.timed)
	if g.stats.Events != nil || g.keepsSelf() {
		g.keepTimes()
	}
	if g.areas {
		g.checkOwnerAgain(g.shared)
		g.MovRegMem(x86.RCX, x86.GSAt(g.env.AreaCells))
		g.TestRegReg(x86.RCX, x86.RCX)
		g.JccLabel(x86.CondE, g.silent)
		g.record()
	} else {
		g.JmpLabel(g.shared)
	}
	g.is(arena.CallLeft, resultsSaved)
	g.Bind(g.out)
	g.eventExit()
	g.Bind(g.left)
	g.restoreResults()
	g.Lea(x86.RSP, x86.At(x86.RSP, -8))
	g.is(arena.CallReturns, 0)
	g.Ret()
}

// resultsSaved is what saveResults has done.
const resultsSaved = arena.SavedFirst | arena.SavedFlags | arena.SavedSecond | arena.SavedThird

func (g *wrapGen) saveResults() {
	g.is(arena.CallBack, 0)
	g.MovMemReg(behind(saveFirst), x86.RAX)
	g.from(arena.SavedFirst, 0)
	g.Lahf()
	g.SetccReg8(x86.CondO, x86.RAX)
	g.MovMemReg(behind(saveFlags), x86.RAX)
	g.from(arena.SavedFirst|arena.SavedFlags, 0)
	g.MovMemReg(behind(saveSecond), x86.RCX)
	g.from(arena.SavedFirst|arena.SavedFlags|arena.SavedSecond, 0)
	g.MovMemReg(behind(saveThird), x86.RDX)
	g.from(resultsSaved, 0)
}

func (g *wrapGen) restoreResults() {
	g.is(arena.CallLeft, resultsSaved)
	g.restoreFlags(behind(saveFlags))
	g.MovRegMem(x86.RDX, behind(saveThird))
	g.MovRegMem(x86.RCX, behind(saveSecond))
	g.MovRegMem(x86.RAX, behind(saveFirst))
	g.from(0, 0)
}

// record adds the duration in rax to the thread's own statistics, whose address is in
// rcx, and frees the frame.
func (g *wrapGen) record() {
	g.bucket()
	bucket := g.own(x86.RCX, arena.StatBuckets)
	bucket.Index, bucket.Scale = x86.RDX, arena.CellSize
	g.IncMem(bucket)
	g.is(arena.CallRecorded, resultsSaved)
	g.freeFrame()
	g.is(arena.CallLeft, resultsSaved)
	g.AddMemReg(g.own(x86.RCX, arena.StatTotal), x86.RAX)
	if g.keepsSelf() {
		g.keepSelf()
	}
	g.CmpRegMem(x86.RAX, x86.RIPTo(g.stats.Shared+arena.StatMax*arena.CellSize))
	g.JccLabel(x86.CondA, g.newMax)
}

// bucket makes rdx the number of the highest bit of the duration in rax.
func (g *wrapGen) bucket() {
	g.MovRegReg(x86.RDX, x86.RAX)
	g.OrRegImm(x86.RDX, 1)
	g.BsrRegReg(x86.RDX, x86.RDX)
}

// countReturn counts the duration in rax in the shared statistics at rcx, of this or
// another function.
func (g *wrapGen) countReturn() {
	g.bucket()
	g.LockIncMem(x86.Mem{Base: x86.RCX, Index: x86.RDX, Scale: arena.CellSize, Disp: arena.StatBuckets * arena.CellSize})
}

// freeFrame frees the frame whose address was kept. At home the key stays.
func (g *wrapGen) freeFrame() {
	g.MovRegMem(x86.RDX, behind(saveCells))
	g.MovMemImm(x86.At(x86.RDX, arena.FrameStats), 0)
}

// giveBack frees one that is not at home. Statistics first: an entry without a key has
// none.
func (g *wrapGen) giveBack() {
	g.freeFrame()
	g.MovMemImm(x86.At(x86.RDX, arena.FrameSlot), 0)
}

// slowExit are a program's ways to the routine, and what it needs not.
func (g *wrapGen) slowExit() {
	leave := func(from, to x86.Label, tmp x86.Reg) {
		g.Bind(from)
		g.LeaLabel(tmp, to)
		g.MovMemReg(g.goOnLeave(), tmp)
	}
	after := func(routine uint64, to x86.Label, by arena.Call, then x86.Label) {
		g.Jmp(routine)
		if g.stats.Events != nil {
			g.block(g.told)
		}
		g.is(by, resultsSaved)
		g.Bind(to)
		g.JmpLabel(then)
	}
	recorded, alone := g.Label(), g.Label()
	g.is(arena.CallBack, resultsSaved)
	leave(g.search, recorded, x86.RAX)
	g.keepRing()
	after(g.env.Slow.Search, recorded, arena.CallLeft, g.out)
	g.is(arena.CallBack, resultsSaved)
	leave(g.joined, alone, x86.RAX)
	after(g.env.Slow.Joined, alone, arena.CallBack, g.alone)
	leave(g.shared, g.out, x86.RCX)
	g.Jmp(g.env.Slow.Shared)

	g.Bind(g.negative)
	g.XorRegReg(x86.RAX, x86.RAX)
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, g.silent)
	g.LockIncMem(x86.RIPTo(g.stats.Shared + arena.StatClamped*arena.CellSize))
	if g.keepsSelf() {
		g.disturb()
	}
	g.JmpLabel(g.timed)

	g.Bind(g.silent)
	g.freeFrame()
	g.is(arena.CallLeft, resultsSaved)
	g.JmpLabel(g.left)

	if g.areas {
		leave(g.newMax, g.out, x86.RCX)
		g.Lea(x86.RCX, x86.RIPTo(g.stats.Shared))
		g.Jmp(g.env.Slow.NewMax)
	}
	if g.stats.Events != nil {
		g.is(arena.CallBack, resultsSaved)
		g.Bind(g.told)
		g.eventJoinedExit()
		g.Jmp(g.env.Slow.Told)
	}
}

// recordShared is record for a thread without cells, where free frees the frame; a fork
// child records nothing. The frame knows its statistics.
func (g *wrapGen) recordShared(free func()) {
	silent := g.Label()
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, silent)
	g.MovRegMem(x86.RCX, behind(saveCells))
	g.MovRegMem(x86.RCX, x86.At(x86.RCX, arena.FrameStats))
	g.countReturn()
	g.is(arena.CallRecorded, resultsSaved)
	free()
	g.is(arena.CallLeft, resultsSaved)
	g.LockAddMemReg(x86.At(x86.RCX, arena.StatTotal*arena.CellSize), x86.RAX)
	g.raiseMax()
	g.is(arena.CallBack, resultsSaved)
	g.Bind(silent)
	free()
	g.is(arena.CallLeft, resultsSaved)
	g.JmpMem(g.goOnLeave())
}

// leaveWindow does all for a frame that is not at home, but for the event.
func (g *wrapGen) leaveWindow() {
	negative, timed := g.Label(), g.Label()
	g.searchWindow()
	g.MovRegMem(x86.RAX, x86.At(x86.RDX, arena.FrameRA))
	g.MovMemReg(behind(0), x86.RAX)
	g.MovMemReg(behind(saveCells), x86.RDX)
	g.CmpMemImm32(x86.At(x86.RDX, arena.FrameJoined), 0)
	g.JccLabel(x86.CondNE, g.joined)
	g.Bind(g.alone)
	g.MovRegReg(x86.RCX, x86.RDX)
	g.readTime()
	g.SubRegMem(x86.RAX, x86.At(x86.RCX, arena.FrameTime))
	g.JccLabel(x86.CondB, negative)
	g.Bind(timed)
	g.keepTimes()
	g.recordShared(g.giveBack)

	g.is(arena.CallBack, resultsSaved)
	g.Bind(negative)
	g.XorRegReg(x86.RAX, x86.RAX)
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, timed)
	g.MovRegMem(x86.RDX, x86.At(x86.RCX, arena.FrameStats))
	g.LockIncMem(x86.At(x86.RDX, arena.StatClamped*arena.CellSize))
	g.JmpLabel(timed)
}

// searchWindow makes rdx the slot's frame. It is there: the word in the slot was ours.
func (g *wrapGen) searchWindow() {
	g.Lea(x86.RCX, x86.At(x86.RSP, -8))
	g.hash(x86.RDX, x86.RCX, x86.RAX)
	g.Lea(x86.RAX, x86.At(x86.RDX, arena.FrameWindow*arena.FrameSize))
	next, found := g.Here(), g.Label()
	g.CmpMemReg(x86.At(x86.RDX, arena.FrameSlot), x86.RCX)
	g.JccLabel(x86.CondE, found)
	g.AddRegImm(x86.RDX, arena.FrameSize)
	g.CmpRegReg(x86.RDX, x86.RAX)
	g.JccLabel(x86.CondNE, next)
	g.Ud2()
	g.Bind(found)
}

// raiseMax makes the duration in rax the longest of the statistics at rcx. There is one
// for all threads, as longest ones are rare; they, or a handler, may be about the same.
func (g *wrapGen) raiseMax() {
	done := g.Label()
	g.raise(done)
	g.Bind(done)
	g.JmpMem(g.goOnLeave())
}

// raise does it and goes on.
func (g *wrapGen) raise(done x86.Label) {
	g.MovRegReg(x86.RDX, x86.RAX)
	longest := x86.At(x86.RCX, arena.StatMax*arena.CellSize)
	g.MovRegMem(x86.RAX, longest)
	again := g.Here()
	g.CmpRegReg(x86.RDX, x86.RAX)
	g.JccLabel(x86.CondBE, done)
	g.LockCmpxchgMemReg(longest, x86.RDX)
	g.JccLabel(x86.CondNE, again)
}
