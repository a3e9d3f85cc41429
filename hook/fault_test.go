package hook

import (
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestFaultingThreads: each thread is about to get a SIGSEGV of its own making most
// of the time, and must not be made to call anything then.
func TestFaultingThreads(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "4", "--faults")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	for range testutils.Repeat(15, 500) {
		p := attachTo(t, v.PID())
		hookAll(t, p).count(t)
		p.mustClose(t)
	}
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(10)
	v.Quit()
}
