package unwind

import "encoding/binary"

// FrameSize is the size of one frame in the target's table.
const FrameSize = 64

// Window is how many entries behind its hash a frame may be. They do not wrap
// around: the table has Window-1 entries more than its mask says.
const Window = 16

// The hash of a return slot. Slots of neighbouring calls stay neighbours, and
// stacks that are a power of two apart do not meet.
const (
	hashShift  = 19
	hashFactor = 0x1f3d
	wordShift  = 3
)

const (
	frameShift = 6 // of FrameSize
	frameRA    = 8 // offset of the original return address
)

// Hash is the index at which the search for a slot's frame begins.
func Hash(slot uint64, mask uint32) uint32 {
	return uint32((slot>>hashShift)*hashFactor+slot>>wordShift) & mask
}

// Each slot has one entry in the home table at which its frame may be instead, and then is
// nowhere else.
const (
	homeShift  = 21
	homeFactor = 37 << 9
)

// Frames are the target's tables of frames.
type Frames struct {
	Addr     uint64
	Mask     uint32
	Home     uint64
	HomeMask uint32
}

// DWARF operations (DWARF 5, section 7.7.1).
const (
	opDeref       = 0x06
	opConst1u     = 0x08
	opConst2u     = 0x0a
	opConst4u     = 0x0c
	opConst8u     = 0x0e
	opDup         = 0x12
	opDrop        = 0x13
	opOver        = 0x14
	opPick        = 0x15
	opSwap        = 0x16
	opAnd         = 0x1a
	opMinus       = 0x1c
	opMul         = 0x1e
	opPlus        = 0x22
	opPlusUconst  = 0x23
	opShl         = 0x24
	opShr         = 0x25
	opBra         = 0x28
	opEq          = 0x29
	opSkip        = 0x2f
	opLit0        = 0x30
	opLit1        = opLit0 + 1
	opLit3        = opLit0 + wordShift
	opLitFrame    = opLit0 + frameShift
	opLitWindow   = opLit0 + Window
	opLitHashBits = opLit0 + hashShift
	opLitHomeBits = opLit0 + homeShift
	opLit8        = opLit0 + 8
)

// expr is a DWARF expression under construction.
type expr []byte

func (x *expr) op(b ...byte) { *x = append(*x, b...) }

func (x *expr) u64(v uint64) { *x = binary.LittleEndian.AppendUint64(*x, v) }

// branch appends op with a distance that land fills in, and returns its place.
func (x *expr) branch(op byte) int {
	x.op(op, 0, 0)
	return len(*x)
}

// land makes the branch go to here.
func (x *expr) land(branch int) { x.to(branch, len(*x)) }

func (x *expr) to(branch, target int) {
	binary.LittleEndian.PutUint16((*x)[branch-2:], uint16(int16(target-branch)))
}

// searchExpr computes the return address of the wrapped call whose CFA is on
// the stack: the slot is the word `below` bytes below the CFA; `less` is what
// to subtract from the address found. Without a frame it computes 0, which every
// unwinder takes for the end of the stack; anything else that we could say
// might make it come back here for ever.
//
// libgcc cannot pick the lowest element of its stack (it asserts), so the first
// operation doubles it.
func searchExpr(f Frames, below, less byte) []byte {
	var x expr
	x.op(opDup, opLit0+below, opMinus) // cfa slot
	x.entry(opLitHomeBits, homeFactor, f.HomeMask, f.Home)
	x.op(opLitWindow) // cfa slot entry n
	home := x.isSlots()
	x.op(opDrop, opDrop)
	x.entry(opLitHashBits, hashFactor, f.Mask, f.Addr)
	x.op(opLitWindow)
	loop := len(x)
	found := x.isSlots()
	x.op(opLit1, opMinus, opDup)
	next := x.branch(opBra)
	x.op(opLit0)
	end := x.branch(opSkip)
	x.land(next)
	x.op(opSwap, opConst1u, FrameSize, opPlus, opSwap)
	x.to(x.branch(opSkip), loop)
	x.land(home)
	x.land(found)
	x.op(opDrop, opPlusUconst, frameRA, opDeref)
	if less > 0 {
		x.op(opLit0+less, opMinus)
	}
	x.land(end)
	return x
}

// isSlots branches if the entry below the top of the stack has the slot's frame.
func (x *expr) isSlots() int {
	x.op(opOver, opDeref, opPick, 3, opEq)
	return x.branch(opBra)
}

// entry pushes the address of the entry where a table may have the slot on the
// stack. Constants are wide enough for any table, so that the length of
// the expression is always the same.
func (x *expr) entry(shift byte, factor uint16, mask uint32, table uint64) {
	x.op(opDup, shift, opShr, opConst2u, byte(factor), byte(factor>>8), opMul)
	x.op(opOver, opLit3, opShr, opPlus, opConst4u)
	*x = binary.LittleEndian.AppendUint32(*x, mask)
	x.op(opAnd, opLitFrame, opShl, opConst8u)
	x.u64(table)
	x.op(opPlus)
}

// slotExpr reads the return address from its slot, the word below the CFA, and
// subtracts one.
func slotExpr() []byte { return []byte{opLit8, opMinus, opDeref, opLit1, opMinus} }
