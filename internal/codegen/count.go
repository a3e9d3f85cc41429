package codegen

import (
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// Env is what a program must know of its arena.
type Env struct {
	arena.Consts
	// Claim is the address of the routine for threads without an area; 0
	// means that areas cannot be used in this target (no FSGSBASE, or GS is
	// in use there), and every count takes the shared cell.
	Claim uint64
	// AreaCells is the offset, from the GS base, of the pointer to this
	// arena's cells.
	AreaCells int32
	// Frames is the address of the frame table, and Slow the routine that serves it.
	Frames uint64
	Slow   Slow
	// Areas: threads of this target have areas, so the GS base may be read.
	Areas bool
	// Owner is how a program tells whether the area at GS is its thread's.
	Owner OwnerCheck
	// TID is where a thread's id is behind its FS base, 0 if that is not known.
	TID int32
}

// OwnerCheck is how a program tells its thread's area from one that a thread
// inherited from its parent.
//
// C programs first compare the stack pointer with the stack that the owner was
// given its area on. That alone tells apart threads that share an FS base
// (made by clone without CLONE_SETTLS), and a thread that was just born from
// its parent, so that fs:0 is read only by a thread that has TLS. On another
// stack, such as a fiber's or a signal handler's own, calls count in the
// shared cells: exact too, but slower.
type OwnerCheck uint8

const (
	// ByFSBase compares rdfsbase with the owner: right everywhere, but that
	// instruction takes 2.3 ns on some processors.
	ByFSBase OwnerCheck = iota
	// ByTLSWord compares the word at fs:0, which the psABI makes the FS base
	// (System V psABI for x86-64, "Thread-local storage"): 0.4 ns in all.
	ByTLSWord
	// ByGoM compares the m of the goroutine that r14 names. Only behind a
	// stack check, which has used r14 as the goroutine itself.
	ByGoM
)

// A new thread's stack is taken to reach this far down and up from where the
// thread was when it got its area.
const (
	stackBelow = 48 << 10
	stackSpan  = 64 << 10
)

// goMOffset is where runtime.g has its m, in Go 1.4 to 1.26 (runtime2.go: behind
// stack, two guards, _panic and _defer).
const goMOffset = 48

// Cell is one counter.
type Cell struct {
	Shared uint64 // address of its shared form
	Offset int32  // from an area's cells
}

// The claim routine returns to the address it was given, where the thread's
// area counts, or to one of the two blocks before it.
const (
	silentBlock = 32 // before it: this is a fork child, count nothing
	sharedBlock = 16 // before it: no area to be had, use the shared cells
)

// Places below the stack pointer where C programs save registers.
const (
	saveFirst  = -8
	saveFlags  = -16
	saveSecond = -24
	redZone    = 128
)

// countGen generates one counting program.
type countGen struct {
	*gen
	d     Displaced
	env   Env
	cells []Cell
	a, b  x86.Reg // the two registers it works in
	done  x86.Label
}

// Count generates the program that adds one to each cell at every call of the
// function, then runs it. The entry is at the returned offset.
func Count(at uint64, d Displaced, env Env, cells []Cell) (c Code, entry int, err error) {
	g := &countGen{gen: newGen(at, d.Site), d: d, env: env, cells: cells, a: x86.RAX, b: x86.RCX}
	if d.Go {
		g.a, g.b = x86.R12, x86.R13
	}
	g.done = g.Label()
	if env.Claim == 0 {
		err = g.sharedOnly()
	} else {
		entry, err = g.perArea()
	}
	if err != nil {
		return Code{}, 0, err
	}
	c, err = g.finish()
	return c, entry, err
}

// perArea: the thread's own cell by one plain inc.
func (g *countGen) perArea() (entry int, err error) {
	slow, silent, shared := g.Label(), g.Label(), g.Label()
	inSlow := g.saved() | g.secondSaved()

	if g.d.SelfLoop && !g.d.Go {
		g.pop = redZone // as in all that comes from slow
	}
	g.from(inSlow, 0)
	g.block(silent)
	g.block(shared)
	counted := g.Label()
	claimed := g.PC()
	g.restoreSecond()
	g.JmpLabel(counted)

	entry = g.Len()
	g.pop = 0
	g.from(0, 0)
	if err := g.head(); err != nil {
		return 0, err
	}
	g.save()
	g.checkOwner(slow)
	g.Bind(counted)
	g.MovRegMem(g.a, x86.GSAt(g.env.AreaCells))
	// 0 in a fork child: a handler has forked since the owner was checked.
	g.TestRegReg(g.a, g.a)
	g.JccLabel(x86.CondE, slow)
	for _, c := range g.cells {
		g.IncMem(x86.At(g.a, c.Offset))
	}
	g.Bind(g.done)
	g.restore()
	if err := g.tail(); err != nil {
		return 0, err
	}

	if g.d.SelfLoop && !g.d.Go {
		g.pop = redZone
	}
	g.from(g.saved(), 0)
	g.Bind(slow)
	g.saveSecond()
	g.from(inSlow, 0)
	g.Lea(g.b, x86.RIPTo(claimed))
	g.Jmp(g.env.Claim)
	g.Bind(shared)
	g.countShared()
	g.Bind(silent)
	g.restoreSecond()
	g.JmpLabel(g.done)
	return entry, nil
}

// checkOwner goes to slow unless the area at GS is the running thread's.
func (g *countGen) checkOwner(slow x86.Label) { g.checkOwnerIn(g.a, slow) }

// checkOwnerIn does it in another register.
func (g *countGen) checkOwnerIn(r x86.Reg, slow x86.Label) {
	owner := int32(arena.AreaOwner)
	if !g.d.Go {
		g.MovRegReg(r, x86.RSP)
		g.SubRegMem(r, x86.GSAt(arena.AreaWindow))
		g.CmpRegMem(r, x86.GSAt(arena.AreaSpan))
		g.JccLabel(x86.CondAE, slow)
	}
	switch g.env.Owner {
	case ByTLSWord:
		g.MovRegMem(r, x86.FSAt(0))
	case ByGoM:
		g.MovRegMem(r, x86.At(x86.R14, goMOffset))
		owner = arena.AreaM
	default:
		g.Rdfsbase(r)
	}
	g.CmpRegMem(r, x86.GSAt(owner))
	g.JccLabel(x86.CondNE, slow)
}

// block is 16 bytes that jump to l: the claim routine finds it by distance.
func (g *countGen) block(l x86.Label) {
	start := g.Len()
	g.JmpLabel(l)
	g.Nop(sharedBlock - (g.Len() - start))
}

// sharedOnly: no register is needed unless flags must be saved.
func (g *countGen) sharedOnly() error {
	if err := g.head(); err != nil {
		return err
	}
	if g.d.FlagsLive && !g.d.Go {
		g.save()
	} else {
		g.from(0, 0)
	}
	g.CmpMemImm32(x86.RIPTo(g.env.ThisProcess), 0)
	g.JccLabel(x86.CondE, g.done)
	g.countShared()
	g.Bind(g.done)
	if g.d.FlagsLive && !g.d.Go {
		g.restore()
	}
	return g.tail()
}

func (g *countGen) countShared() {
	for _, c := range g.cells {
		g.LockIncMem(x86.RIPTo(c.Shared))
	}
}

// head is Go's stack check, run before the probe: where it fails, morestack
// jumps back to the function's first byte and the call comes here again.
func (g *countGen) head() error {
	if g.d.GoCheck == 0 {
		return nil
	}
	return g.displaced(g.d.Bytes[:g.d.GoCheck], g.d.Site, false)
}

// tail is the rest of the window and the jump to what follows it.
func (g *countGen) tail() error {
	n := g.d.GoCheck
	return g.displaced(g.d.Bytes[n:], g.d.Site+uint64(n), true)
}

// below is a place below the stack pointer. Nothing above it is written, and no
// more than the 128 bytes that signal handlers leave alone are used.
func (g *countGen) below(off int32) x86.Mem { return x86.At(x86.RSP, off) }

// saved is what save has done.
func (g *countGen) saved() arena.Saved {
	if g.d.Go {
		return 0
	}
	s := arena.SavedFirst
	if g.d.FlagsLive {
		s |= arena.SavedFlags
	}
	return s
}

func (g *countGen) secondSaved() arena.Saved {
	if g.d.Go {
		return 0
	}
	return arena.SavedSecond
}

// save frees the first register and, where they are live, the flags. lahf and
// seto do not change flags, so until they are stored the real ones are right.
// Where the red zone may be live, the stack pointer steps over it first.
func (g *countGen) save() {
	g.from(0, 0)
	if g.d.Go {
		return
	}
	if g.d.SelfLoop {
		g.Lea(x86.RSP, x86.At(x86.RSP, -redZone))
		g.pop = redZone
		g.from(0, 0)
	}
	g.MovMemReg(g.below(saveFirst), g.a)
	if g.d.FlagsLive {
		g.from(arena.SavedFirst, 0)
		g.Lahf()
		g.SetccReg8(x86.CondO, x86.RAX)
		g.MovMemReg(g.below(saveFlags), g.a)
	}
	g.from(g.saved(), 0)
}

// restore undoes save. 0x7f + 1 overflows, 0x7f + 0 does not: OF is back; then
// sahf brings the others.
func (g *countGen) restore() {
	g.from(g.saved(), 0)
	if g.d.Go {
		return
	}
	if g.d.FlagsLive {
		g.MovRegMem(g.a, g.below(saveFlags))
		g.AddReg8Imm8(x86.RAX, 0x7f)
		g.Sahf()
	}
	g.MovRegMem(g.a, g.below(saveFirst))
	g.from(0, 0)
	if g.d.SelfLoop {
		g.Lea(x86.RSP, x86.At(x86.RSP, redZone))
		g.pop = 0
		g.from(0, 0)
	}
}

func (g *countGen) saveSecond() {
	if !g.d.Go {
		g.MovMemReg(g.below(saveSecond), g.b)
	}
}

func (g *countGen) restoreSecond() {
	if !g.d.Go {
		g.MovRegMem(g.b, g.below(saveSecond))
	}
}
