package arena

import (
	"errors"
	"testing"
)

// pie is an executable at 0x55.., a heap behind it, libraries and a stack.
var pie = Space{
	Used: []Range{
		{0x555555554000, 0x555555600000}, {0x555555700000, 0x555555721000},
		{0x7ffff7c00000, 0x7ffff7e00000}, {0x7ffff7fc0000, 0x7ffff7fff000},
		{0x7ffffffde000, 0x7ffffffff000},
	},
	Heap:  Range{0x555555700000, 0x555555721000},
	Stack: Range{0x7ffffffde000, 0x7ffffffff000},
}

func TestPlace(t *testing.T) {
	noPIE := Space{
		Used: []Range{{0x400000, 0x500000}, {0x600000, 0x700000}},
		Heap: Range{0x600000, 0x700000},
	}
	full := Space{Used: []Range{{0, 0x400000}, {0x400000, 0x500000}, {0x500000, 0x1_0000_0000}}}
	for _, c := range []struct {
		name   string
		space  Space
		near   Range
		size   uint64
		lo, hi uint64 // the hole must lie in here; 0: none may be found
	}{
		{"below a PIE", pie, Range{0x555555554000, 0x555555600000}, 0x100000, 0x5554d5000000, 0x555555554000},
		{"below the libraries", pie, Range{0x7ffff7c00000, 0x7ffff7fff000}, 0x100000, 0x7fff78000000, 0x7ffff7c00000},
		{"below a non-PIE", noPIE, Range{0x400000, 0x500000}, 0x100000, lowest, 0x400000},
		{"too big for below: above the heap's room", noPIE, Range{0x400000, 0x500000}, 0x800000, 0x700000 + heapRoom, reach},
		{"nothing free within reach", full, Range{0x400000, 0x500000}, 0x1000, 0, 0},
	} {
		at, err := c.space.Place(c.near, c.size)
		if c.hi == 0 {
			if !errors.Is(err, ErrNoNearMemory) {
				t.Errorf("%s: %#x, %v; want ErrNoNearMemory", c.name, at, err)
			}
			continue
		}
		if err != nil || at < c.lo || at+c.size > c.hi || at%PageSize != 0 {
			t.Errorf("%s: %#x, %v; want within %#x-%#x", c.name, at, err, c.lo, c.hi)
		}
		for _, r := range c.space.Used {
			if at < r.End && r.Start < at+c.size {
				t.Errorf("%s: %#x overlaps %#x-%#x", c.name, at, r.Start, r.End)
			}
		}
	}
}

// TestPlaceLastHole: every gap is full but one page-sized one.
func TestPlaceLastHole(t *testing.T) {
	s := Space{Used: []Range{{0, 0x10000000}, {0x10001000, 0x1_0000_0000}}}
	at, err := s.Place(Range{0x20000000, 0x20100000}, PageSize)
	if err != nil || at != 0x10000000 {
		t.Errorf("got %#x, %v; want the one hole", at, err)
	}
}
