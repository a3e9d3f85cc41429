package arena

import (
	"bytes"
	"errors"
	"fmt"
)

// Magic is how near data begins.
const Magic = "functap\x00"

// Offsets in the header. The robust list entry lies 32 bytes behind the lock
// word, the distance that glibc's own lists use, so that one thread can have
// both.
const (
	LockOff    = 16
	RobustOff  = 48
	SettledOff = 24
	headerSize = 264
)

// LockOwnerDied is the bit (FUTEX_OWNER_DIED) that the kernel sets in a lock
// word when the thread that held it ends, however it ends.
const LockOwnerDied = 1 << 30

// ErrNoHeader: the bytes are not near data of a layout this version knows.
var ErrNoHeader = errors.New("arena: no header")

// Owner names the tracer of a session.
type Owner struct {
	PID, TID  uint32 // as its own pid namespace numbers them
	StartTime uint64 // clock ticks after boot, as /proc/PID/stat has it
	Session   uint64 // random
}

// Header is the head of an arena's near data.
type Header struct {
	Lock  uint32
	Owner Owner
	Index int
	Layout
	Addresses
}

// WriteHeader writes the header of an arena that has just been mapped: from
// now on a successor can clean up, also what is not mapped yet. The lock word
// is not touched.
func (a *Arena) WriteHeader(o Owner) {
	h := Header{Owner: o, Index: a.Index, Layout: a.Layout, Addresses: a.Addresses}
	h.encode(a.mem)
	copy(a.mem, Magic)
}

// fields lists the words from offset 56 on, in order.
func (h *Header) fields() []*uint64 {
	return []*uint64{
		&h.Owner.StartTime, &h.Owner.Session,
		&h.Near, &h.NearSize, &h.Code, &h.CodeSize, &h.Far, &h.FarSize,
		&h.Priv, &h.PrivSize, &h.AreasAddr,
		&h.SlotOff, &h.SharedOff, &h.SiteOff, &h.UnitOff, &h.ExitOff, &h.ClaimOff, &h.Stride,
	}
}

// counts lists the 32-bit words behind the fields.
func (h *Header) counts() []*int {
	return []*int{&h.Index, &h.AreaCount, &h.Sites, &h.Cells, &h.Layout.Areas, &h.Units, &h.Exits}
}

const (
	ownerOff  = 56
	fieldOff  = 64
	countOff  = fieldOff + 18*8
	frameOff  = 240 // since version 2: the frame table's address and size,
	unwindOff = 256 // and the size of what unwinders read
)

func (h *Header) encode(b []byte) {
	le.PutUint32(b[8:], Version)
	le.PutUint32(b[12:], headerSize)
	le.PutUint32(b[ownerOff:], h.Owner.PID)
	le.PutUint32(b[ownerOff+4:], h.Owner.TID)
	for i, f := range h.fields() {
		le.PutUint64(b[fieldOff+8*i:], *f)
	}
	for i, c := range h.counts() {
		le.PutUint32(b[countOff+4*i:], uint32(*c))
	}
	le.PutUint64(b[frameOff:], h.Frames)
	le.PutUint64(b[frameOff+8:], h.FrameSize)
	le.PutUint64(b[unwindOff:], h.UnwindSize)
}

// DecodeHeader reads a header from the first bytes (a page is enough) of a
// mapping. Every number is checked against the mapping sizes it implies, so
// that a corrupt header cannot make a successor read or unmap anything else.
func DecodeHeader(b []byte) (Header, error) {
	var h Header
	if len(b) < headerSize || !bytes.HasPrefix(b, []byte(Magic)) {
		return h, ErrNoHeader
	}
	version := le.Uint32(b[8:])
	if version < Oldest || version > Version {
		return h, fmt.Errorf("%w: version %d, this functap knows %d to %d", ErrNoHeader, version, Oldest, Version)
	}
	h.Lock = le.Uint32(b[LockOff:])
	h.Owner.PID, h.Owner.TID = le.Uint32(b[ownerOff:]), le.Uint32(b[ownerOff+4:])
	for i, f := range h.fields() {
		*f = le.Uint64(b[fieldOff+8*i:])
	}
	for i, c := range h.counts() {
		*c = int(le.Uint32(b[countOff+4*i:]))
	}
	if version > 1 {
		h.Frames, h.FrameSize = le.Uint64(b[frameOff:]), le.Uint64(b[frameOff+8:])
		h.UnwindSize = le.Uint64(b[unwindOff:])
	}
	return h, h.check()
}

func (h *Header) check() error {
	ends := []uint64{
		h.SlotOff + uint64(h.Sites)*SlotSize, h.SharedOff + uint64(h.Cells)*CellSize,
		h.SiteOff + uint64(h.Sites)*SiteSize, h.UnitOff + uint64(h.Units)*UnitSize,
		h.ExitOff + uint64(h.Exits)*ExitSize,
	}
	for _, e := range ends {
		if e > h.NearSize || h.NearSize > 1<<32 {
			return fmt.Errorf("%w: a table ends at %#x of %#x", ErrNoHeader, e, h.NearSize)
		}
	}
	if h.UnwindSize%PageSize != 0 || h.UnwindSize > 1<<32 {
		return fmt.Errorf("%w: %#x bytes for unwinders", ErrNoHeader, h.UnwindSize)
	}
	if h.FrameSize%FrameSize != 0 || h.FrameSize > 1<<32 {
		return fmt.Errorf("%w: a frame table of %#x bytes", ErrNoHeader, h.FrameSize)
	}
	return nil
}

// Settle notes that the session has the target for itself: no other one was there
// that is older.
func (a *Arena) Settle() { StoreWord32(a.mem, SettledOff, 1) }

// Settled reports whether the session has.
func (t *Tables) Settled() bool { return LoadWord32(t.near, SettledOff) != 0 }

func (a *Arena) header() Header {
	h := Header{Index: a.Index, Layout: a.Layout, Addresses: a.Addresses}
	h.Lock = LoadWord32(a.mem, LockOff)
	return h
}

// Mem is the tracer's mapping of the memfd: package hook keeps the lock word
// and the robust list entry in it.
func (a *Arena) Mem() []byte { return a.mem }
