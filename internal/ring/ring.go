package ring

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/functap/functap/internal/arena"
)

// Magic is at the beginning of a memfd that has rings.
const Magic = "functapR"

// Offsets in a ring, and sizes.
const (
	Head       = 0
	LostCount  = 64
	Limit      = 128
	Births     = 192  // how many threads have got the ring
	BirthLog   = 256  // the last of them
	BirthsKept = 1024 // a power of two
	BirthSize  = 16
	Records    = BirthLog + BirthsKept*BirthSize // the first record
	RecordSize = 32

	// Offsets in an entry of the log.
	BirthHead  = 0
	BirthStamp = 8
	BirthTID   = 12

	// Offsets in a record.
	Stamp = 0
	What  = 4
	Time  = 8
	Slot  = 16
	Start = 24

	// IsTID is the upper half of an entry's Start in the shared ring if the lower one is
	// the thread's id, as the target numbers it. Otherwise Start is the FS base.
	IsTID = -1 << 31

	KindShift = 28
	MaxSite   = 1<<KindShift - 1
)

// Kind is what a record says.
type Kind uint8

// Kinds of records. 0 is none.
const (
	Entry Kind = iota + 1
	Exit
	// Join is an entry by a jump from the function that was entered with this slot
	// before: both return to the same place.
	Join
	// Lost is told by Read, not written by threads: Start records are missing here. If
	// Start is 0, some may be of those that are told to be missing next.
	Lost
	// Thread is told by Read, too: what follows is another thread's, whose id, as the
	// target numbers it, is Start; 0 if it is not known.
	Thread
)

// Record is one event.
type Record struct {
	Kind  Kind
	Site  uint32 // number of the site, as whoever generated the program numbered it
	Time  uint64 // ticks of the time stamp counter
	Slot  uint64 // address of the stack word with the return address
	Start uint64 // of an exit: Time of its entry
}

// Size is how many bytes a ring of so many records takes.
func Size(records uint64) uint64 { return Records + records*RecordSize }

// Ring is one thread's ring, seen by the reader.
type Ring struct {
	mem  []byte
	mask uint64
	tail uint64 // the next record to take
	last uint64 // time of the last record

	limit, before uint64 // which the thread has now, and had before that
	seen          uint64 // of the records that the thread could not write
	skipped       uint64 // given up by Skip
	gaps          []gap  // not told yet, in their order
	births        births
}

// gap says that records are missing before the one with a number.
type gap struct{ number, lost uint64 }

// New reads the ring in mem, which is all of it, from its beginning or from where an
// earlier reader has stopped, and opens it for its thread. What was lost before is not told.
// mem must have Size of a power of two.
func New(mem []byte) (*Ring, error) {
	n := (uint64(len(mem)) - Records) / RecordSize
	if len(mem) <= Records || n&(n-1) != 0 || Size(n) != uint64(len(mem)) {
		return nil, fmt.Errorf("ring: %d bytes are no ring of a power of two of records", len(mem))
	}
	r := &Ring{mem: mem, mask: n - 1, seen: arena.LoadWord(mem, LostCount), births: births{mem: mem, seen: arena.LoadWord(mem, Births)}}
	if limit := arena.LoadWord(mem, Limit); limit >= n {
		r.tail = limit - n
	}
	r.open()
	r.before = r.limit
	return r, nil
}

// open lets the thread write up to a whole ring behind what was taken. The records
// taken have been copied: no load of theirs can come after this store.
func (r *Ring) open() {
	r.before, r.limit = r.limit, r.tail+r.mask+1
	arena.StoreWord(r.mem, Limit, r.limit)
}

// Lost is how many records the thread could not write, or did not finish.
func (r *Ring) Lost() uint64 { return arena.LoadWord(r.mem, LostCount) + r.skipped }

// Read appends the records that are finished to dst, at most max of them, in the
// order of their reservation, and frees their places. Where records are missing there
// is one of kind Lost instead.
func (r *Ring) Read(dst []Record, max int) []Record {
	lost := arena.LoadWord(r.mem, LostCount) // first: what it counts was lost before head got further
	head := arena.LoadWord(r.mem, Head)
	r.births.look(r.tail) // after head: a thread gets the ring before it writes
	r.missing(lost-r.seen, head)
	r.seen = lost
	from := r.tail
	for {
		dst = r.births.tell(r.tellGaps(dst), r.tail, r.last)
		if r.tail == head || r.tail-from == uint64(max) || !r.finished() {
			break
		}
		dst = append(dst, r.record())
		r.last = dst[len(dst)-1].Time
		r.tail++
	}
	if r.tail != from {
		r.open()
	}
	return dst
}

// missing notes the place of records that were lost since the last Read. They were lost
// when as many were written as the limit allows: the one that there is or, if the thread
// has looked at it just before it was moved, the one before.
func (r *Ring) missing(lost, head uint64) {
	switch {
	case lost == 0:
	case head < r.limit:
		r.gaps = append(r.gaps, gap{r.before, lost})
	case r.before < r.limit:
		r.gaps = append(r.gaps, gap{r.before, 0})
		fallthrough
	default:
		r.gaps = append(r.gaps, gap{r.limit, lost})
	}
}

// tellGaps tells what is missing before the next record.
func (r *Ring) tellGaps(dst []Record) []Record {
	for len(r.gaps) > 0 && r.gaps[0].number <= r.tail {
		dst = append(dst, Record{Kind: Lost, Time: r.last, Start: r.gaps[0].lost})
		r.gaps = r.gaps[1:]
	}
	return dst
}

// Stuck tells whether the next record has been reserved and not finished.
func (r *Ring) Stuck() bool {
	return arena.LoadWord(r.mem, Head) != r.tail && !r.finished()
}

// Skip gives up the next record, if it is Stuck. Its thread must not be going to
// finish it.
func (r *Ring) Skip() {
	if r.Stuck() {
		r.tail++
		r.skipped++
		r.gaps = slices.Insert(r.gaps, 0, gap{r.tail, 1})
		r.open()
	}
}

func (r *Ring) place() uint64 { return Records + r.tail&r.mask*RecordSize }

func (r *Ring) finished() bool {
	return arena.LoadWord32(r.mem, r.place()+Stamp) == uint32(r.tail)+1
}

func (r *Ring) record() Record {
	b := r.mem[r.place():][:RecordSize]
	what := binary.LittleEndian.Uint32(b[What:])
	return Record{
		Kind:  Kind(what >> KindShift),
		Site:  what & MaxSite,
		Time:  binary.LittleEndian.Uint64(b[Time:]),
		Slot:  binary.LittleEndian.Uint64(b[Slot:]),
		Start: binary.LittleEndian.Uint64(b[Start:]),
	}
}
