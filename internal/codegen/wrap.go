package codegen

import (
	"errors"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ring"
	"github.com/functap/functap/internal/x86"
)

// ErrNotWrapped: a function of Go's, or one that is jumped to from its own body. Its
// first stack word may be something else than a return address.
var ErrNotWrapped = errors.New("codegen: this function cannot be wrapped")

// Stats is one site's duration statistics.
type Stats struct {
	Shared uint64  // address of their shared form
	Offset int32   // from an area's cells
	Events *Events // nil: none are recorded
	Self   bool    // self times are kept, too
}

// backAlign is the alignment of the addresses that wrapped functions return to. It
// lets a program see at once that nearly all callers are no wrapped function.
const backAlign = 64

// Places below the stack pointer at entry, and below the return slot at exit.
const (
	saveThird = -32 // where the claim routine has kept something before
	saveCells = -40 // address of the thread's cells, 0 if it has none; at exit: of the frame
	saveEnd   = -48 // of the window
	saveOut   = -56 // at entry: where the program goes on
	saveStats = -64 // at entry: address of the statistics
	saveBase  = -72 // address of the slot's frame, while another one is dealt with; at exit: of that one
	saveWant  = -80 // at entry: by which number the call is recorded, as FrameSite

	saveReturn = -64 // at exit: where the program goes on
)

// wrapGen generates a program that calls its function, with a frame, instead of
// jumping to it.
type wrapGen struct {
	countGen
	stats  Stats
	areas  bool     // threads have cells
	backAt int      // offset of back
	cold   []func() // parts that are generated at the end

	plain, framed                        x86.Label // no frame is wanted; it is
	claim, claimed, entered              x86.Label
	maybe, probe, stale                  x86.Label
	missed, slowCalls                    x86.Label
	leaves, search                       x86.Label
	timed, negative, shared, newMax, out x86.Label
	left, silent, alone, joined          x86.Label
	joins, told                          x86.Label // with events
}

// Wrap generates the program that counts as Count does, and measures how long the
// function takes. The entry is at the returned offset.
//
// At every instruction the caller's return address is in its slot, in the slot's
// frame, or in both. So what interrupts it, and whoever takes it away, can go on.
func Wrap(at uint64, d Displaced, env Env, cells []Cell, s Stats) (Code, int, error) {
	if d.Go || d.SelfLoop {
		return Code{}, 0, ErrNotWrapped
	}
	first := newWrap(at, d, env, cells, s)
	first.program()
	g := newWrap(at, d, env, cells, s)
	lead := int(-(at + uint64(first.backAt)) % backAlign)
	g.Nop(lead)
	entry := g.program()
	g.Nop(backAlign - 1 - lead) // the length is always the same
	c, err := g.finish()
	return c, entry, err
}

func newWrap(at uint64, d Displaced, env Env, cells []Cell, s Stats) *wrapGen {
	g := &wrapGen{stats: s, areas: env.Claim != 0}
	g.countGen = countGen{gen: newGen(at, d.Site), d: d, env: env, cells: cells, a: x86.RAX, b: x86.RCX}
	for _, l := range []*x86.Label{
		&g.plain, &g.framed, &g.claim, &g.claimed, &g.entered, &g.maybe, &g.probe, &g.stale, &g.slowCalls,
		&g.leaves, &g.search, &g.timed, &g.negative, &g.shared, &g.newMax, &g.out, &g.left, &g.silent,
		&g.alone, &g.joined, &g.joins, &g.told,
	} {
		*l = g.Label()
	}
	return g
}

// program generates all; what nearly every call runs comes first.
func (g *wrapGen) program() (entry int) {
	slow, silent, shared := g.Label(), g.Label(), g.Label()
	var counted x86.Label
	var claimed uint64
	if g.areas {
		g.from(g.saved()|arena.SavedSecond, 0)
		g.block(silent)
		g.block(shared)
		claimed, counted = g.PC(), g.Label()
		g.restoreSecond()
		g.JmpLabel(counted)
	}
	entry = g.Len()
	g.save()
	if g.areas {
		g.checkOwner(slow)
		g.Bind(counted)
		g.countInArea(slow)
	} else {
		g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
		g.JccLabel(x86.CondE, g.plain)
		g.countShared()
	}
	g.Bind(g.framed)
	g.enter()
	g.leave()

	g.call = arena.CallNone
	if g.areas {
		g.countSlowly(slow, silent, shared, claimed)
	}
	g.from(g.saved(), 0)
	g.Bind(g.plain)
	g.restore()
	g.Jmp(g.d.Copy)
	g.slowEntry()
	g.slowExit()
	for _, c := range g.cold {
		c()
	}
	return entry
}

// countInArea counts in the thread's own cells, and keeps their address.
func (g *wrapGen) countInArea(slow x86.Label) {
	g.MovRegMem(g.a, x86.GSAt(g.env.AreaCells))
	g.TestRegReg(g.a, g.a)
	g.JccLabel(x86.CondE, slow)
	for _, c := range g.cells {
		g.IncMem(x86.At(g.a, c.Offset))
	}
	g.MovMemReg(g.below(saveCells), g.a)
}

// countSlowly is the part of counting programs for threads that have no area, or not
// yet.
func (g *wrapGen) countSlowly(slow, silent, shared x86.Label, claimed uint64) {
	g.from(g.saved(), 0)
	g.Bind(slow)
	g.saveSecond()
	g.from(g.saved()|arena.SavedSecond, 0)
	g.Lea(g.b, x86.RIPTo(claimed))
	g.Jmp(g.env.Claim)
	g.Bind(shared)
	g.countShared()
	g.MovMemImm(g.below(saveCells), 0)
	g.restoreSecond()
	g.JmpLabel(g.framed)
	g.Bind(silent)
	g.restoreSecond()
	g.JmpLabel(g.plain)
}

// home makes dst the address of the slot's entry in the home table. A slot is a multiple
// of 8, and an entry 8 times as large.
func (g *wrapGen) home(dst, slot, tmp x86.Reg) {
	g.MovRegReg(dst, slot)
	g.ShrRegImm(dst, arena.HomeShift)
	g.ImulRegRegImm32(dst, dst, arena.HomeFactor*arena.FrameSize)
	g.MovRegReg(tmp, slot)
	g.Lea(dst, x86.Mem{Base: dst, Index: tmp, Scale: arena.FrameSize >> arena.FrameWordShift})
	g.AndRegImm(dst, arena.HomeMask*arena.FrameSize)
	g.MovRegImm64(tmp, g.env.Frames+arena.HomeOff)
	g.AddRegReg(dst, tmp)
}

// hash makes dst the address of the first entry of a slot's window.
func (g *wrapGen) hash(dst, slot, tmp x86.Reg) {
	g.hashStack(dst, slot)
	g.hashWord(dst, slot, tmp)
}

func (g *wrapGen) hashStack(dst, slot x86.Reg) {
	g.MovRegReg(dst, slot)
	g.ShrRegImm(dst, arena.FrameHashShift)
	g.ImulRegRegImm32(dst, dst, arena.FrameHashFactor)
}

func (g *wrapGen) hashWord(dst, slot, tmp x86.Reg) {
	g.MovRegReg(tmp, slot)
	g.ShrRegImm(tmp, arena.FrameWordShift)
	g.AddRegReg(dst, tmp)
	g.AndRegImm(dst, arena.FrameMask)
	g.ShlRegImm(dst, 6) // times FrameSize
	g.MovRegImm64(tmp, g.env.Frames)
	g.AddRegReg(dst, tmp)
}

// at says how far the call is from here on, and what is saved.
func (g *wrapGen) is(c arena.Call, s arena.Saved) {
	g.call = c
	g.from(s, 0)
}

// allSaved: three registers, and flags if they are live.
func (g *wrapGen) allSaved() arena.Saved {
	return g.saved() | arena.SavedSecond | arena.SavedThird
}

// enter finds the slot's frame and calls the function. The entry that has the slot as its
// key belongs to whoever runs on this stack, and is free: the word in the slot is not ours,
// or the function was reached by a jump from one that is wrapped already. So a return
// address that is aligned as ours are is looked at closely.
func (g *wrapGen) enter() {
	g.is(arena.CallNone, g.saved())
	g.TestMem8Imm8(x86.At(x86.RSP, 0), backAlign-1)
	g.JccLabel(x86.CondE, g.maybe)
	g.saveOthers()
	g.Bind(g.claim)
	g.home(x86.RCX, x86.RSP, x86.RDX)
	g.CmpMemReg(x86.At(x86.RCX, arena.FrameSlot), x86.RSP)
	g.JccLabel(x86.CondNE, g.probe)
	g.CmpMemImm(x86.At(x86.RCX, arena.FrameStats), 0)
	g.JccLabel(x86.CondNE, g.stale)

	g.is(arena.CallClaimed, g.allSaved())
	g.Bind(g.claimed)
	g.fill()
	g.countCall()
	g.Bind(g.entered)
	g.eventEntry(ring.Entry, arena.CallEntered)
	g.restoreAll()
	g.Lea(x86.RSP, x86.At(x86.RSP, 8))
	g.is(arena.CallDropped, 0)
	g.Call(g.d.Copy)
}

func (g *wrapGen) saveOthers() {
	g.saveSecond()
	g.from(g.saved()|arena.SavedSecond, 0)
	g.MovMemReg(g.below(saveThird), x86.RDX)
	g.from(g.allSaved(), 0)
}

// fill writes the frame at rcx, but for its statistics. Nobody else looks at it
// before the word in the slot is ours.
func (g *wrapGen) fill() {
	g.MovRegMem(x86.RAX, x86.At(x86.RSP, 0))
	g.MovMemReg(x86.At(x86.RCX, arena.FrameRA), x86.RAX)
	g.LeaLabel(x86.RAX, g.leaves)
	g.MovMemReg(x86.At(x86.RCX, arena.FrameBack), x86.RAX)
	g.noteSite()
	if g.keepsSelf() {
		g.readEntry()
	} else {
		g.readTime()
	}
	g.MovMemReg(x86.At(x86.RCX, arena.FrameTime), x86.RAX)
}

// countCall makes the frame one that counts and counts the call, in two instructions:
// a handler that leaves by longjmp before them leaves nothing that counts, and behind
// them a frame whose call was entered and will be found unwound.
func (g *wrapGen) countCall() {
	if g.areas {
		g.MovRegMem(x86.RDX, g.below(saveCells))
		g.TestRegReg(x86.RDX, x86.RDX)
		g.JccLabel(x86.CondE, g.slowCalls)
		if g.keepsSelf() {
			g.becomeCurrent()
			g.MovRegMem(x86.RDX, g.below(saveCells))
		}
		g.Lea(x86.RAX, x86.RIPTo(g.stats.Shared))
		g.MovMemReg(x86.At(x86.RCX, arena.FrameStats), x86.RAX)
		g.IncMem(g.own(x86.RDX, arena.StatCalls))
	} else {
		g.enterAside()
	}
	g.is(arena.CallEntered, g.allSaved())
}

// enterAside counts the call of a thread without cells.
func (g *wrapGen) enterAside() {
	if g.stats.Self {
		g.disturb()
	}
	g.Lea(x86.RAX, x86.RIPTo(g.stats.Shared))
	g.countCallShared()
}

func (g *wrapGen) countCallShared() {
	g.MovMemReg(x86.At(x86.RCX, arena.FrameStats), x86.RAX)
	g.LockIncMem(x86.At(x86.RAX, arena.StatCalls*arena.CellSize))
}

// own is one of the statistics, cells being the address of the thread's.
func (g *wrapGen) own(cells x86.Reg, stat int32) x86.Mem {
	return x86.At(cells, g.stats.Offset+stat*arena.CellSize)
}

// readTime makes rax the time stamp, and destroys rdx.
func (g *wrapGen) readTime() {
	g.Rdtsc()
	g.ShlRegImm(x86.RDX, 32)
	g.OrRegReg(x86.RAX, x86.RDX)
}

// restoreAll undoes save and saveOthers.
func (g *wrapGen) restoreAll() {
	g.from(g.allSaved(), 0)
	if g.d.FlagsLive {
		g.restoreFlags(x86.At(x86.RSP, saveFlags))
	}
	g.MovRegMem(x86.RDX, g.below(saveThird))
	g.MovRegMem(x86.RCX, g.below(saveSecond))
	g.MovRegMem(x86.RAX, g.below(saveFirst))
	g.from(0, 0)
}

func (g *wrapGen) restoreFlags(m x86.Mem) {
	g.MovRegMem(x86.RAX, m)
	g.AddReg8Imm8(x86.RAX, 0x7f)
	g.Sahf()
}
