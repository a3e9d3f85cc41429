package arena

import "slices"

// codeAlign is the alignment of units: a stub and a short copy share a line.
const codeAlign = 16

type extent struct{ off, size uint64 }

// space gives out a range of code bytes or table entries, first fit.
type space struct {
	align uint64   // a power of two
	free  []extent // sorted by offset, never adjacent
}

func newSpace(size, align uint64) space { return space{align, []extent{{0, size}}} }

// take returns the offset of n units of space, or false.
func (s *space) take(n uint64) (uint64, bool) {
	n = s.round(n)
	for i := range s.free {
		e := &s.free[i]
		if e.size < n {
			continue
		}
		off := e.off
		e.off += n
		e.size -= n
		if e.size == 0 {
			s.free = slices.Delete(s.free, i, i+1)
		}
		return off, true
	}
	return 0, false
}

func (s *space) round(n uint64) uint64 { return (n + s.align - 1) &^ (s.align - 1) }

// give returns n units of space at off, joining neighbours.
func (s *space) give(off, n uint64) {
	n = s.round(n)
	i, _ := slices.BinarySearchFunc(s.free, off, func(e extent, o uint64) int {
		return int(int64(e.off - o))
	})
	s.free = slices.Insert(s.free, i, extent{off, n})
	if i+1 < len(s.free) && s.free[i].off+s.free[i].size == s.free[i+1].off {
		s.free[i].size += s.free[i+1].size
		s.free = slices.Delete(s.free, i+1, i+2)
	}
	if i > 0 && s.free[i-1].off+s.free[i-1].size == s.free[i].off {
		s.free[i-1].size += s.free[i].size
		s.free = slices.Delete(s.free, i, i+1)
	}
}

// left is how much is free in all.
func (s *space) left() uint64 {
	var n uint64
	for _, e := range s.free {
		n += e.size
	}
	return n
}
