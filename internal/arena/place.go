package arena

import (
	"errors"
	"fmt"
)

// ErrNoNearMemory: there is no hole of the wanted size within reach of the
// modules that are to be hooked.
var ErrNoNearMemory = errors.New("no free memory within 2 GiB of the code (NO_NEAR_MEMORY)")

// Range is a half-open range of addresses.
type Range struct{ Start, End uint64 }

const (
	mib = 1 << 20
	gib = 1 << 30

	// reach is how far generated code may be from any byte of a module: 2 GiB
	// less room for displacements that start at the far end of an instruction.
	reach = 2*gib - 16*mib

	// lowest keeps clear of mmap_min_addr, whatever it is set to.
	lowest = mib

	// gap is left free on both sides, so that a neighbour may grow a little.
	gap = mib

	// heapRoom is left free above the break, which grows up.
	heapRoom = gib
)

// Space describes the target's address space for Place.
type Space struct {
	Used  []Range // every mapping, ascending
	Heap  Range   // the break's mapping; empty if there is none
	Stack Range   // the main thread's stack
	Limit uint64  // RLIMIT_STACK: the stack may grow down this far; 0 means 8 MiB
}

// Place finds the start of a hole of size bytes that every byte of near can
// reach and be reached from. It prefers the nearest hole below, since heaps
// grow up and an executable's neighbourhood below is free; it never takes
// memory that the heap or the stack is going to want.
func (s Space) Place(near Range, size uint64) (uint64, error) {
	size = pageUp(size)
	lo, hi := window(near, size)
	taken := s.taken()
	if at, ok := below(taken, near.Start, lo, size); ok {
		return at, nil
	}
	if at, ok := above(taken, near.End, hi, size); ok {
		return at, nil
	}
	return 0, fmt.Errorf("%w: %d KiB wanted near %#x-%#x", ErrNoNearMemory, size>>10, near.Start, near.End)
}

// window is the range of starts from which the whole hole reaches all of near.
func window(near Range, size uint64) (lo, hi uint64) {
	lo, hi = lowest, near.Start+reach
	if near.End > reach+lowest {
		lo = near.End - reach
	}
	if hi < size {
		return lo, 0
	}
	return lo, hi - size
}

// taken adds to the mappings what heap and stack may still grow into.
func (s Space) taken() []Range {
	limit := s.Limit
	if limit == 0 || limit > gib {
		limit = 8 * mib
	}
	var out []Range
	for i, r := range s.Used {
		switch {
		case s.Heap.End != 0 && r == s.Heap:
			room := r.End + heapRoom
			if i+1 < len(s.Used) { // what is there stops the heap
				room = min(room, s.Used[i+1].Start)
			}
			r.End = max(r.End, room)
		case s.Stack.End != 0 && r == s.Stack:
			r.Start = min(r.Start, r.End-limit) - gap
		}
		out = append(out, r)
	}
	return out
}

// below looks for the highest hole under top that starts at or above lo.
func below(taken []Range, top, lo, size uint64) (uint64, bool) {
	end := top
	for i := len(taken); i >= 0; i-- {
		floor := uint64(lowest)
		if i > 0 {
			if taken[i-1].Start >= end {
				continue
			}
			floor = taken[i-1].End
		}
		if at, ok := fit(floor, end, size, true); ok && at >= lo {
			return at, true
		}
		if i > 0 {
			end = min(end, taken[i-1].Start)
		}
		if end < lo {
			break
		}
	}
	return 0, false
}

// above looks for the lowest hole over bottom that starts at or below hi.
func above(taken []Range, bottom, hi, size uint64) (uint64, bool) {
	start := bottom
	for i := 0; i <= len(taken); i++ {
		ceiling := uint64(1 << 47)
		if i < len(taken) {
			if taken[i].End <= start {
				continue
			}
			ceiling = taken[i].Start
		}
		if ceiling > start {
			if at, ok := fit(start, ceiling, size, false); ok && at <= hi {
				return at, true
			}
		}
		if i < len(taken) {
			start = max(start, taken[i].End)
		}
	}
	return 0, false
}

// fit places size bytes in the hole, a gap away from its ends where the hole
// is large enough, and without one where it is not.
func fit(start, end, size uint64, high bool) (uint64, bool) {
	if end < start || end-start < size {
		return 0, false
	}
	margin := min(gap, (end-start-size)/2) &^ (PageSize - 1)
	if high {
		return (end - margin - size) &^ (PageSize - 1), true
	}
	return pageUp(start + margin), true
}
