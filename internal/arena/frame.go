package arena

// FrameSize is the size of a frame, and the alignment of one.
const FrameSize = 64

// Fields of a frame.
const (
	FrameSlot   = 0  // key: address of the stack word that has the return address; 0: free
	FrameRA     = 8  // the original return address
	FrameTime   = 16 // time stamp at entry
	FrameBack   = 24 // the address that is in the slot instead, once the call is made
	FrameStats  = 32 // address of the shared form of the site's statistics; 0 until all else is written
	FrameJoined = 40 // 4 bytes: how many functions were reached by jumps and return to the same caller
	FrameSite   = 44 // 4 bytes: number by which events are recorded, plus 1; 0: none are
	FrameSpent  = 48 // AreaSpent at entry, for the call's self time
	FrameOuter  = 56 // AreaCurrent at entry; OuterNone: the thread had no area
)

// OuterNone is what no call is called: names have an address of 8-byte words in the low bits.
const OuterNone = 1

// The home table. An entry belongs for good to the first slot that claims it, so that all
// but this one claim need no atomic instruction: nobody else ever writes there. Slots that
// find their entry taken are in the frame table.
const (
	HomeBits    = 18
	HomeMask    = 1<<HomeBits - 1
	HomeShift   = 21 // slots of 2 MiB have entries of their own
	HomeFactor  = 37 << 9
	HomeOff     = frameTable // from the frame table
	homeTable   = (HomeMask + 1) * FrameSize
	framesBytes = frameTable + homeTable
)

// HomeIndex is the entry of the home table that a slot may have.
func HomeIndex(slot uint64) int {
	return int(((slot>>HomeShift)*HomeFactor + slot>>FrameWordShift) & HomeMask)
}

// The frame table. A slot's frame is in the window of entries that starts at FrameIndex.
const (
	FrameBits    = 16
	FrameMask    = 1<<FrameBits - 1
	FrameWindow  = 16
	FrameEntries = FrameMask + FrameWindow // so many that no window wraps
	frameTable   = (FrameEntries*FrameSize + PageSize - 1) &^ (PageSize - 1)
)

// The hash mixes the bits of a slot that tell stacks apart with those that tell its words
// apart. Without the former, threads whose stacks are a power of two apart share entries.
const (
	FrameHashShift  = 19
	FrameHashFactor = 0x1f3d
	FrameWordShift  = 3
)

// FrameIndex is the first entry at which the frame of a slot may be.
func FrameIndex(slot uint64) int {
	return int(((slot>>FrameHashShift)*FrameHashFactor + slot>>FrameWordShift) & FrameMask)
}

// A function that was reached by a jump from a wrapped one, as compilers make of a call
// at the end, returns to where that one does. It has no return slot of its own: its frame's
// key is the slot with its number in the bits that no address has, and its window is that
// many windows further on.
const (
	JoinShift = 57
	MaxJoined = 63
)

// JoinKey is the key of the n-th function that has joined the call of a slot.
func JoinKey(slot, n uint64) uint64 { return slot | n<<JoinShift }

// JoinedTo takes a key apart; n is 0 for a frame that is a slot's own.
func (f *Frame) JoinedTo() (slot, n uint64) {
	return f.Slot &^ (MaxJoined << JoinShift), f.Slot >> JoinShift
}

// Frame is one call in progress, or one that was left by other ways than a return.
type Frame struct {
	Slot, RA, Time, Back, Stats, Joined uint64
}

// DecodeFrame reads a frame from its FrameSize bytes.
func DecodeFrame(b []byte) Frame {
	w := func(off int) uint64 { return le.Uint64(b[off:]) }
	return Frame{w(FrameSlot), w(FrameRA), w(FrameTime), w(FrameBack), w(FrameStats), uint64(le.Uint32(b[FrameJoined:]))}
}
