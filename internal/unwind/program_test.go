package unwind

import (
	"github.com/functap/functap/internal/x86"
)

// A program as small as one can be: it wraps calls of functions with up to two
// arguments, and has rax, rcx, rdx and r8 to r11 for itself. It counts nothing, and
// when it finds no place for a frame it says so with a trap.

type programGen struct {
	*x86.Asm
	frames Frames
	code   Config
	body   uint64
	join   x86.Label
	points []Point
}

// wrapper generates the program for at; body is where the function's address lies.
//
// The call has more than two bytes, as a program's must: a stack may be walked from where a
// wrapped body has jumped on to another function. Walkers that do not see our S take one
// off what is one less already, and still have to come to the row inside the call.
func wrapper(at uint64, c Config, body uint64) (code []byte, rows []Row, err error) {
	g := &programGen{Asm: x86.NewAsm(at), frames: c.Frames, code: c, body: body}
	g.join = g.Label()
	g.claim()
	g.Lea(x86.RSP, x86.At(x86.RSP, 8))
	g.is(Calling)
	g.CallMem(x86.RIPTo(body))
	g.leave()
	g.is(Before)
	g.Bind(g.join)
	g.JmpMem(x86.RIPTo(body))
	code, err = g.Bytes()
	return code, Wrapped(g.points), err
}

// claim takes a frame for the slot at rsp, or goes to join if a jump from a wrapped
// body has led here.
func (g *programGen) claim() {
	got, loop, next := g.Label(), g.Label(), g.Label()
	g.MovRegMem(x86.R10, x86.At(x86.RSP, 0))
	g.MovRegImm64(x86.RAX, g.code.Code)
	g.MovRegReg(x86.R11, x86.R10)
	g.SubRegReg(x86.R11, x86.RAX)
	g.CmpRegImm(x86.R11, int32(g.code.CodeSize))
	g.JccLabel(x86.CondB, g.join)
	g.MovRegReg(x86.R9, x86.RSP)
	g.hash()
	g.MovRegImm64(x86.RCX, Window)
	g.Bind(loop)
	g.MovRegMem(x86.RAX, x86.At(x86.R11, 0))
	g.CmpRegReg(x86.RAX, x86.RSP)
	g.JccLabel(x86.CondE, got) // a stale one of ours
	g.TestRegReg(x86.RAX, x86.RAX)
	g.JccLabel(x86.CondNE, next)
	g.LockCmpxchgMemReg(x86.At(x86.R11, 0), x86.RSP)
	g.JccLabel(x86.CondE, got)
	g.Bind(next)
	g.AddRegImm(x86.R11, FrameSize)
	g.SubRegImm(x86.RCX, 1)
	g.JccLabel(x86.CondNE, loop)
	g.Ud2()
	g.Bind(got)
	g.MovMemReg(x86.At(x86.R11, frameRA), x86.R10)
}

// hash makes r11 the entry where the search for the slot in r9 begins.
func (g *programGen) hash() {
	g.MovRegReg(x86.R11, x86.R9)
	g.ShrRegImm(x86.R11, hashShift)
	g.ImulRegRegImm32(x86.R11, x86.R11, hashFactor)
	g.MovRegReg(x86.RCX, x86.R9)
	g.ShrRegImm(x86.RCX, wordShift)
	g.AddRegReg(x86.R11, x86.RCX)
	g.AndRegImm(x86.R11, int32(g.frames.Mask))
	g.ShlRegImm(x86.R11, frameShift)
	g.MovRegImm64(x86.RCX, g.frames.Addr)
	g.AddRegReg(x86.R11, x86.RCX)
}

func (g *programGen) is(s Stage) { g.points = append(g.points, Point{Off: g.Len(), Stage: s}) }

// leave puts the original address back and returns there.
func (g *programGen) leave() {
	g.is(Returned)
	loop, found := g.Label(), g.Label()
	g.Lea(x86.R9, x86.At(x86.RSP, -8))
	g.hash()
	g.Bind(loop)
	g.CmpMemReg(x86.At(x86.R11, 0), x86.R9)
	g.JccLabel(x86.CondE, found)
	g.AddRegImm(x86.R11, FrameSize)
	g.JmpLabel(loop)
	g.Bind(found)
	g.MovRegMem(x86.R10, x86.At(x86.R11, frameRA))
	g.MovMemReg(x86.At(x86.RSP, -8), x86.R10)
	g.is(Restored)
	g.MovMemImm(x86.At(x86.R11, 0), 0)
	g.Lea(x86.RSP, x86.At(x86.RSP, -8))
	g.is(Leaving)
	g.Ret()
}
