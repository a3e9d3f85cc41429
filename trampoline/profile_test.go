package trampoline_test

import (
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// TestProfiledGo attaches to a Go program and detaches while it profiles itself
// by 1,000 signals a second and the runtime suspends goroutines by others: their
// handlers interrupt windows and generated code, and look at the interrupted
// code's addresses.
func TestProfiledGo(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.Go, testutils.GoCgo} {
		t.Run(v.Name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "count.go", v), "4", "profile")
			before := testutils.TakeSnapshot(t, v.PID())
			v.StartLoad()
			moved := 0
			for i := range testutils.Repeat(20, 100) {
				h := countAll(t, v.PID(), executable)
				time.Sleep(5 * time.Millisecond)
				if i%10 == 0 {
					requireExactUnderLoad(t, v, h)
				}
				if err := h.p.Close(); err != nil {
					t.Fatal(err)
				}
				moved += h.p.Cleaned().Threads
				if !v.Running() {
					t.Fatalf("the victim died in cycle %d: %s", i, v.Stderr())
				}
			}
			v.StopLoad()
			t.Logf("%d threads and frames were moved out of generated code", moved)
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: true, Working: true})
			v.Run(10)
			v.Quit()
		})
	}
}
