package fgraph_test

import (
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/internal/testutils"
)

// TestRecordThrows: every call that an exception has left is told as unwound.
func TestRecordThrows(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "unwind.cc", testutils.CXX), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{})
	v.Run(20)
	time.Sleep(50 * time.Millisecond) // until the reader knows the threads
	c := check(t, rec.end(t))
	if c.missing > 0 {
		t.Errorf("%d events lost", c.missing)
	}
	all := rec.r.Durations().Read()
	requireLaws(t, all)
	c.against(t, all)
	if deep := find(t, all, "_ZL4deepl"); deep.Unwound != deep.Calls || c.unwound[deep.Function] != deep.Calls {
		t.Errorf("deep: %d calls, %d unwound, %d told so", deep.Calls, deep.Unwound, c.unwound[deep.Function])
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
