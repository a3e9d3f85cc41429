package unwind

import "github.com/functap/functap/internal/x86"

// IteratePhdr generates the stand-in for
//
//	int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
//
// which is asked by every unwinder that knows no _dl_find_object. The original
// of that number does the work, with a callback of ours that hands out the first object, which
// is the program, then those of data, and then the rest untouched.
//
// Second and not first, because programs take the first object for the
// executable, and some stop there. From inside the first callback and not after
// the original has returned, because libgcc before version 12 keeps a cache that
// only the loader's lock protects, and the loader holds that during callbacks.
//
// A callback may throw. The routine has its rows like any function.
func IteratePhdr(at, data uint64, original int) (Code, error) {
	g := newGen(at)
	thunk := g.Here()
	g.exit(DrainLoader, 0)
	(&thunkGen{g, data}).all()
	entry := g.Len()
	g.row(0)
	g.replacement(g.Addr(thunk), data+dataOriginal+8*uint64(original))
	c, err := g.finish()
	c.Entry = entry
	return c, err
}

// replacement calls the original, whose address is in a word, with the thunk.
func (g *gen) replacement(thunk, original uint64) {
	g.exit(Restart, 0)
	g.Endbr64()
	g.SubRegImm(x86.RSP, iterateStack)
	g.row(iterateStack)
	g.exit(Restart, iterateStack)
	g.MovMemReg(x86.At(x86.RSP, ctxCallback), x86.RDI)
	g.MovMemReg(x86.At(x86.RSP, ctxData), x86.RSI)
	g.MovMemImm(x86.At(x86.RSP, ctxDone), 0)
	g.Lea(x86.RDI, x86.RIPTo(thunk))
	g.exit(RestartSaved, iterateStack)
	g.MovRegReg(x86.RSI, x86.RSP)
	g.CallMem(x86.RIPTo(original))
	g.called()
	g.exit(Return, iterateStack)
	g.AddRegImm(x86.RSP, iterateStack)
	g.row(0)
	g.exit(Return, 0)
	g.Ret()
}

// The context that our callback gets, on the stack of the stand-in.
const (
	ctxCallback = 0
	ctxData     = 8
	ctxDone     = 16 // our objects have been handed out

	iterateStack = 40
)

// Offsets in struct dl_phdr_info (link.h).
const (
	infoAddr  = 0
	infoName  = 8
	infoPhdr  = 16
	infoPhnum = 24
	infoAdds  = 32
	infoSubs  = 40
	infoTLS   = 48 // module and data: we have none

	infoSize    = 64
	infoMinSubs = infoSubs + 8 // a size from which adds and subs are there
)

// Places in the callback's stack frame, behind the info it fills.
const (
	thunkSize    = infoSize
	thunkInfo    = infoSize + 8
	thunkLeft    = infoSize + 16
	thunkRange   = infoSize + 24
	thunkObject  = infoSize + 32
	thunkStack   = infoSize + 48 // keeps calls 16-aligned
	thunkPushed  = 8
	thunkInFrame = thunkStack + thunkPushed
)

// thunkGen generates the callback:
//
//	int thunk(struct dl_phdr_info *info, size_t size, struct context *ctx)
type thunkGen struct {
	*gen
	data uint64
}

func (g *thunkGen) all() {
	rest, out := g.Label(), g.Label()
	g.Endbr64()
	g.CmpMemImm(x86.At(x86.RDX, ctxDone), 0)
	g.JccLabel(x86.CondNE, rest)
	g.MovMemImm(x86.At(x86.RDX, ctxDone), 1)
	g.PushReg(x86.RBX)
	kept := Kept{RBX, entryCFA + thunkPushed}
	g.row(thunkPushed, kept)
	g.SubRegImm(x86.RSP, thunkStack)
	g.row(thunkInFrame, kept)
	g.first(out)
	g.ours(out)
	g.Bind(out)
	g.AddRegImm(x86.RSP, thunkStack)
	g.row(thunkPushed, kept)
	g.PopReg(x86.RBX)
	g.row(0)
	g.Ret()
	g.Bind(rest)
	g.MovRegMem(x86.RAX, x86.At(x86.RDX, ctxCallback))
	g.MovRegMem(x86.RDX, x86.At(x86.RDX, ctxData))
	g.JmpReg(x86.RAX)
}

// callback calls the caller's, and leaves if it has seen enough.
func (g *thunkGen) callback(out x86.Label) {
	g.MovRegMem(x86.RDX, x86.At(x86.RBX, ctxData))
	g.CallMem(x86.At(x86.RBX, ctxCallback))
	g.called()
	g.TestRegReg32(x86.RAX, x86.RAX)
	g.JccLabel(x86.CondNE, out)
}

// first hands out the object that the loader does.
func (g *thunkGen) first(out x86.Label) {
	g.MovRegReg(x86.RBX, x86.RDX)
	g.MovMemReg(x86.At(x86.RSP, thunkInfo), x86.RDI)
	g.MovMemReg(x86.At(x86.RSP, thunkSize), x86.RSI)
	g.callback(out)
}

// ours hands out an object for each range.
func (g *thunkGen) ours(out x86.Label) {
	loop, done := g.Label(), g.Label()
	g.MovRegMem(x86.RAX, x86.RIPTo(g.data+dataCount))
	g.MovMemReg(x86.At(x86.RSP, thunkLeft), x86.RAX)
	g.Lea(x86.RAX, x86.RIPTo(g.data+dataRanges))
	g.MovMemReg(x86.At(x86.RSP, thunkRange), x86.RAX)
	g.Lea(x86.RAX, x86.RIPTo(g.data+dataObjects))
	g.MovMemReg(x86.At(x86.RSP, thunkObject), x86.RAX)
	g.Bind(loop)
	g.SubMemImm(x86.At(x86.RSP, thunkLeft), 1)
	g.JccLabel(x86.CondB, done)
	g.fill()
	g.MovRegReg(x86.RDI, x86.RSP)
	g.callback(out)
	g.JmpLabel(loop)
	g.Bind(done)
	g.XorRegReg(x86.RAX, x86.RAX)
}

// fill makes the info of the next range; rsi becomes its size, as the loader
// gave it but never more than is filled.
func (g *thunkGen) fill() {
	small, short := g.Label(), g.Label()
	g.next(thunkRange, rangeSize)
	g.MovRegMem(x86.RAX, x86.At(x86.RAX, rangeCode))
	g.MovMemReg(x86.At(x86.RSP, infoAddr), x86.RAX)
	g.Lea(x86.RAX, x86.RIPTo(g.data+dataName))
	g.MovMemReg(x86.At(x86.RSP, infoName), x86.RAX)
	g.next(thunkObject, objectSize)
	g.MovMemReg(x86.At(x86.RSP, infoPhdr), x86.RAX)
	g.MovMemImm(x86.At(x86.RSP, infoPhnum), objectPhdrs)
	for off := int32(infoAdds); off < infoSize; off += 8 {
		g.MovMemImm(x86.At(x86.RSP, off), 0)
	}
	g.MovRegMem(x86.RSI, x86.At(x86.RSP, thunkSize))
	g.CmpRegImm(x86.RSI, infoSize)
	g.JccLabel(x86.CondBE, small)
	g.MovRegImm64(x86.RSI, infoSize)
	g.Bind(small)
	g.CmpRegImm(x86.RSI, infoMinSubs)
	g.JccLabel(x86.CondB, short)
	g.counters()
	g.Bind(short)
}

// next loads the pointer at a place of the frame into rax and moves it on.
func (g *thunkGen) next(place int32, by int32) {
	g.MovRegMem(x86.RAX, x86.At(x86.RSP, place))
	g.AddMemImm(x86.At(x86.RSP, place), by)
}

// counters copies how often objects came and went, since libgcc's cache is
// emptied when they change, and would outlive a dlclose if ours stood still.
func (g *thunkGen) counters() {
	g.MovRegMem(x86.RAX, x86.At(x86.RSP, thunkInfo))
	for _, off := range []int32{infoAdds, infoSubs} {
		g.MovRegMem(x86.RCX, x86.At(x86.RAX, off))
		g.MovMemReg(x86.At(x86.RSP, off), x86.RCX)
	}
}
