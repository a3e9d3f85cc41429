package fgraph

import (
	"testing"

	"github.com/functap/functap/internal/ring"
)

// TestGiveTo: a ring's next thread begins with nothing open, and what the one before had
// open is left, as its own. The same thread goes on.
func TestGiveTo(t *testing.T) {
	var left []int
	note := func(tid int, c call) {
		if c.unwound {
			left = append(left, tid)
		}
	}
	tr := &track{tid: 7}
	enter := func(slot uint64) {
		tr.add(ring.Record{Kind: ring.Entry, Time: slot, Slot: slot}, func(call) {})
	}
	enter(900)
	enter(800)
	tr.giveTo(7, 1000, note)
	if len(left) != 0 || len(tr.open) != 2 {
		t.Errorf("the same thread: %v left, %d open", left, len(tr.open))
	}
	tr.giveTo(8, 1001, note)
	if len(left) != 2 || left[0] != 7 || left[1] != 7 || len(tr.open) != 0 || tr.tid != 8 {
		t.Errorf("another thread: %v left, %d open, now %d", left, len(tr.open), tr.tid)
	}
	enter(700)
	tr.giveTo(0, 1002, note)
	enter(600)
	tr.giveTo(0, 1003, note)
	if len(left) != 4 || left[3] != 0 {
		t.Errorf("threads that are not known: %v left", left)
	}
}
