package arena

// Version of the layouts; see docs/layout.md. A successor of another version
// must still be able to restore what this one patched.
const Version = 3

// Oldest is the oldest version that this one can clean up after.
const Oldest = 1

// Sizes of the records in the near data, bytes.
const (
	PageSize   = 4096
	AreaSize   = 128
	BucketSize = 4 * AreaSize // a claim looks through one bucket
	SiteSize   = 64
	UnitSize   = 32
	ExitSize   = 8
	SlotSize   = 8
	CellSize   = 8
)

// MaxArenas is how many arenas can have per-thread cells: an area has one
// pointer for each. Further arenas count in their shared cells.
const MaxArenas = 7

// Fields of an area.
const (
	AreaOwner   = 0
	AreaClaimed = 8
	AreaClaims  = 16
	AreaSpent   = 24  // the time that calls which have returned spent in themselves
	AreaRing    = 32  // address of the thread's event ring; 0: it has none
	AreaWindow  = 40  // C: lowest address of the owner's stack, and behind it
	AreaSpan    = 48  // its size; 0: not known
	AreaM       = 56  // Go: the owner's runtime.m
	AreaCells   = 64  // + 8*arena
	AreaCurrent = 120 // which call is running; see Self in internal/codegen
)

// NobodyOwner is the owner of the nobody area: no thread's FS base.
const NobodyOwner = 1

// Offsets in the constants page, which follows the header page.
const (
	constAreasBase = PageSize + 0
	constAreasSize = PageSize + 8
	constNobody    = PageSize + 16
	nobodyArea     = PageSize + 256
	answersOff     = PageSize + 1024
)

// AnswersSize is how much room the answers to unwinders have for their words.
const AnswersSize = 2048

// Layout is where the parts of one arena are, as offsets from the start of the
// near data (which is offset 0 of the memfd).
type Layout struct {
	Sites, Cells, Areas, Units, Exits int // capacities

	SlotOff, SharedOff, SiteOff, UnitOff, ExitOff, ClaimOff uint64

	NearSize uint64 // near data; the code follows it directly
	CodeSize uint64
	// UnwindSize is the size of what unwinders read. It follows the code in the memfd
	// and is mapped with it: readable for the target, and not writable.
	UnwindSize uint64
	FarSize    uint64 // per-area cells, after that in the memfd
	PrivSize   uint64 // this-process word and areas, not in the memfd
	Stride     uint64 // distance from one area's cells to the next one's
	// FrameSize is the size of the frame tables, which are mapped private, from the
	// end of the memfd; 0 in all arenas but a session's first.
	FrameSize uint64
}

// NewLayout sizes an arena for so many sites, cells and areas (a power of two
// of at least 4; 0 for an arena that uses the areas of an earlier one, with
// sharedAreas of them) and so many bytes of code.
func NewLayout(sites, cells, areas, sharedAreas int, code uint64) Layout {
	l := Layout{Sites: sites, Cells: cells, Areas: areas}
	l.Units = 3*sites + 64
	l.Exits = exitsPerSite*sites + 1024
	n := max(areas, sharedAreas)
	off := uint64(2 * PageSize)
	take := func(size int) uint64 {
		at := off
		off = (off + uint64(size) + 63) &^ 63
		return at
	}
	l.SlotOff = take(sites * SlotSize)
	l.SharedOff = take(cells * CellSize)
	l.SiteOff = take(sites * SiteSize)
	l.UnitOff = take(l.Units * UnitSize)
	l.ExitOff = take(l.Exits * ExitSize)
	l.ClaimOff = take(n * 8)
	l.NearSize = pageUp(off)
	l.CodeSize = pageUp(code)
	l.Stride = uint64(cells*CellSize+63) &^ 63
	l.FarSize = pageUp(uint64(n) * l.Stride)
	l.PrivSize = pageUp(AreasOff + uint64(areas)*AreaSize)
	if areas > 0 {
		l.FrameSize = framesBytes
	}
	return l
}

// WithUnwind is the layout with so many bytes for unwinders.
func (l Layout) WithUnwind(size int) Layout {
	l.UnwindSize = pageUp(uint64(size))
	return l
}

// exitsPerSite has room for a stub, a program that wraps, and a few that count.
const exitsPerSite = 64

// AreasOff is where the areas start in the private mapping: the this-process
// word has the bytes before them, and buckets are aligned.
const AreasOff = BucketSize

// FileSize is the size of the memfd.
func (l *Layout) FileSize() uint64 { return l.FrameOff() + l.FrameSize }

// FrameOff is where the frame table's part of the memfd starts.
func (l *Layout) FrameOff() uint64 { return l.FarOff() + l.FarSize }

// FarOff is where the per-area cells start in the memfd, and UnwindOff where that does
// which unwinders read.
func (l *Layout) FarOff() uint64    { return l.UnwindOff() + l.UnwindSize }
func (l *Layout) UnwindOff() uint64 { return l.NearSize + l.CodeSize }

// TextSize is the size of the mapping that begins with the code.
func (l *Layout) TextSize() uint64 { return l.CodeSize + l.UnwindSize }

// NearSpan is the size of the hole that private, near and code mappings need.
func (l *Layout) NearSpan() uint64 { return l.PrivSize + l.NearSize + l.TextSize() }

// Mapped lists the target's mappings of an arena; those of size 0 or not yet
// mapped anywhere are left out.
func (l *Layout) Mapped(a Addresses) []Range {
	var out []Range
	for _, r := range []Range{{a.Priv, l.PrivSize}, {a.Near, l.NearSize}, {a.Code, l.TextSize()}, {a.Far, l.FarSize}, {a.Frames, l.FrameSize}} {
		if r.Start != 0 && r.End != 0 {
			out = append(out, Range{r.Start, r.Start + r.End})
		}
	}
	return out
}

func pageUp(n uint64) uint64 { return (n + PageSize - 1) &^ (PageSize - 1) }
