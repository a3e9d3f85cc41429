package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ring"
	"github.com/functap/functap/internal/x86"
)

// Events says what a program that wraps its function records, in the ring of the
// running thread, or in one that all share where it has none.
type Events struct {
	Site    uint32 // told in each record
	Records uint64 // how many a ring has, a power of two
	Shared  uint64 // address of the shared ring
	// Longer: record returns alone, and only of calls that took so many ticks. 0: of
	// all, and entries too.
	Longer uint64
}

// Further places below the return slot that the exit part of an event needs.
const (
	saveDuration = saveEnd
	saveStart    = -80
	saveRing     = -88 // the ring; 0: the shared one
	saveSite     = -96 // of one that had joined, as FrameSite
)

// noteSite tells in the frame at rcx whether and by which number its call is recorded, and
// that none has joined it.
func (g *wrapGen) noteSite() {
	both := x86.At(x86.RCX, arena.FrameJoined)
	if n := g.stats.site(); n != 0 {
		g.MovRegImm64(x86.RAX, uint64(n)<<32)
		g.MovMemReg(both, x86.RAX)
		return
	}
	g.MovMemImm(both, 0)
}

// site is the frame's number.
func (s *Stats) site() int32 {
	if s.Events == nil {
		return 0
	}
	return int32(s.Events.Site + 1)
}

// eventEntry records the entry, or the joining. rcx is at the frame, and free afterwards.
func (g *wrapGen) eventEntry(kind ring.Kind, at arena.Call) {
	e := g.stats.Events
	if e == nil || e.Longer > 0 {
		return
	}
	here := func() { g.is(at, g.allSaved()) }
	g.MovMemReg(g.below(saveEnd), x86.RCX)
	g.event(here, func() {
		g.MovRegMem(x86.RDX, g.below(saveCells))
		g.TestRegReg(x86.RDX, x86.RDX)
	}, func(shared x86.Label) {
		g.MovRegMem(x86.RDX, x86.GSAt(arena.AreaRing))
		g.TestRegReg(x86.RDX, x86.RDX) // 0: a handler has just forked
		g.JccLabel(x86.CondE, shared)
	}, func(shared bool) {
		g.MovMemImm32(x86.At(x86.RDX, ring.What), what(kind, e.Site))
		g.MovRegMem(x86.RAX, g.below(saveEnd))
		g.MovRegMem(x86.RAX, x86.At(x86.RAX, arena.FrameTime))
		g.MovMemReg(x86.At(x86.RDX, ring.Time), x86.RAX)
		g.MovMemReg(x86.At(x86.RDX, ring.Slot), x86.RSP)
		g.caller(shared, x86.At(x86.RSP, 0))
	})
}

func what(kind ring.Kind, site uint32) int32 { return int32(uint32(kind)<<ring.KindShift | site) }

// caller writes who called, or in the shared ring which thread did.
func (g *wrapGen) caller(shared bool, ra x86.Mem) {
	if shared {
		g.thread()
		return
	}
	g.MovRegMem(x86.RAX, ra)
	g.MovMemReg(x86.At(x86.RDX, ring.Start), x86.RAX)
}

// thread writes the running thread's id, if it can be read: where the FS base is on this
// very stack, as a pthread's is. Otherwise the FS base.
func (g *wrapGen) thread() {
	far, done := g.Label(), g.Label()
	g.Rdfsbase(x86.RAX)
	if g.env.TID != 0 {
		g.SubRegReg(x86.RAX, x86.RSP)
		g.CmpRegImm(x86.RAX, maxStack)
		g.JccLabel(x86.CondAE, far)
		g.MovRegMem32(x86.RAX, x86.FSAt(g.env.TID))
		g.MovMemReg(x86.At(x86.RDX, ring.Start), x86.RAX)
		g.MovMemImm32(x86.At(x86.RDX, ring.Start+4), ring.IsTID)
		g.JmpLabel(done)
		g.Bind(far)
		g.AddRegReg(x86.RAX, x86.RSP)
	}
	g.MovMemReg(x86.At(x86.RDX, ring.Start), x86.RAX)
	g.Bind(done)
}

// keepRing keeps the ring of a thread that is the owner of the area at GS.
func (g *wrapGen) keepRing() {
	if g.stats.Events == nil {
		return
	}
	g.MovMemImm(behind(saveRing), 0)
	if g.areas {
		other := g.Label()
		g.checkOwnerIn(x86.RCX, other)
		g.MovRegMem(x86.RCX, x86.GSAt(arena.AreaRing))
		g.MovMemReg(behind(saveRing), x86.RCX)
		g.Bind(other)
	}
}

// checkOwnerAgain goes to other unless the area at GS is the thread's.
func (g *wrapGen) checkOwnerAgain(other x86.Label) {
	if g.stats.Events == nil {
		g.checkOwnerIn(x86.RCX, other)
		return
	}
	g.CmpMemImm(behind(saveRing), 0)
	g.JccLabel(x86.CondE, other)
}

// keepTimes keeps the duration, in rax, and the start, in the frame at rcx.
func (g *wrapGen) keepTimes() {
	g.MovMemReg(behind(saveDuration), x86.RAX)
	g.MovRegMem(x86.RDX, x86.At(x86.RCX, arena.FrameTime))
	g.MovMemReg(behind(saveStart), x86.RDX)
}

// keepSite keeps the number in the frame at rcx.
func (g *wrapGen) keepSite() {
	g.MovRegMem32(x86.RDX, x86.At(x86.RCX, arena.FrameSite))
	g.MovMemReg(behind(saveSite), x86.RDX)
}

// eventExit records the return.
func (g *wrapGen) eventExit() {
	if e := g.stats.Events; e != nil {
		g.exit(arena.CallLeft, func() { g.MovMemImm32(x86.At(x86.RDX, ring.What), what(ring.Exit, e.Site)) })
	}
}

// eventJoinedExit records the return of a function that had joined.
func (g *wrapGen) eventJoinedExit() {
	g.exit(arena.CallBack, func() {
		g.MovRegMem(x86.RAX, behind(saveSite))
		g.AddRegImm(x86.RAX, what(ring.Exit, 0)-1)
		g.MovMemReg32(x86.At(x86.RDX, ring.What), x86.RAX)
	})
}

func (g *wrapGen) exit(at arena.Call, what func()) {
	done := g.Label()
	if l := g.stats.Events.Longer; l > 0 {
		g.MovRegImm64(x86.RAX, l)
		g.CmpRegMem(x86.RAX, behind(saveDuration))
		g.JccLabel(x86.CondA, done)
	}
	load := func() {
		g.MovRegMem(x86.RDX, behind(saveRing))
		g.TestRegReg(x86.RDX, x86.RDX)
	}
	g.event(func() { g.is(at, resultsSaved) }, load, func(x86.Label) {}, func(bool) {
		what()
		g.MovRegMem(x86.RAX, behind(saveStart))
		g.MovMemReg(x86.At(x86.RDX, ring.Start), x86.RAX)
		g.AddRegMem(x86.RAX, behind(saveDuration))
		g.MovMemReg(x86.At(x86.RDX, ring.Time), x86.RAX)
		g.Lea(x86.RAX, x86.At(x86.RSP, -8))
		g.MovMemReg(x86.At(x86.RDX, ring.Slot), x86.RAX)
	})
	g.Bind(done)
}

// event writes a record to the own ring, if have clears the zero flag and own finds
// one, or else to the shared one. What is seldom needed comes behind the program's
// end; here says where in the call that is.
func (g *wrapGen) event(here, have func(), own func(shared x86.Label), fill func(shared bool)) {
	shared, full, done := g.Label(), g.Label(), g.Label()
	if g.areas {
		have()
		g.JccLabel(x86.CondE, shared)
		own(shared)
		g.writeEvent(false, full, fill)
	} else {
		g.JmpLabel(shared)
	}
	g.Bind(done)
	g.cold = append(g.cold, func() {
		here()
		g.sharedEvent(shared, done, fill)
		if g.areas {
			g.Bind(full)
			g.IncMem(x86.At(x86.RDX, ring.LostCount))
			g.JmpLabel(done)
		}
	})
}

// sharedEvent writes a record to the ring that threads share. A fork child's records
// are nobody's.
func (g *wrapGen) sharedEvent(shared, done x86.Label, fill func(shared bool)) {
	full := g.Label()
	g.Bind(shared)
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, done)
	g.MovRegImm64(x86.RDX, g.stats.Events.Shared)
	g.writeEvent(true, full, fill)
	g.JmpLabel(done)
	g.Bind(full)
	g.LockIncMem(x86.At(x86.RDX, ring.LostCount))
	g.JmpLabel(done)
}

// writeEvent reserves a record in the ring at rdx, fills it and says that it is
// finished; see package ring. A handler of the same thread that comes between two
// instructions reserves its own. fill writes all but the stamp to the record at
// rdx, through rax.
func (g *wrapGen) writeEvent(shared bool, full x86.Label, fill func(shared bool)) {
	e := g.stats.Events
	again := g.Here()
	g.MovRegMem(x86.RAX, x86.At(x86.RDX, ring.Head))
	g.CmpRegMem(x86.RAX, x86.At(x86.RDX, ring.Limit))
	g.JccLabel(x86.CondAE, full)
	g.Lea(x86.RCX, x86.At(x86.RAX, 1))
	if shared {
		g.LockCmpxchgMemReg(x86.At(x86.RDX, ring.Head), x86.RCX)
	} else {
		g.CmpxchgMemReg(x86.At(x86.RDX, ring.Head), x86.RCX)
	}
	g.JccLabel(x86.CondNE, again)
	g.AndRegImm(x86.RAX, int32(e.Records-1))
	g.ShlRegImm(x86.RAX, 5) // times RecordSize
	g.Lea(x86.RDX, x86.Mem{Base: x86.RDX, Index: x86.RAX, Scale: 1, Disp: ring.Records})
	fill(shared)
	g.MovMemReg32(x86.At(x86.RDX, ring.Stamp), x86.RCX)
}
