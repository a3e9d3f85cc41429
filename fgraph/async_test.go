package fgraph_test

import (
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestLeftByHandlers: signal handlers leave calls by siglongjmp at whatever instruction of
// generated code they come. Each call is counted as one that ended in one way.
func TestLeftByHandlers(t *testing.T) {
	for _, variant := range []testutils.Variant{testutils.CDynamic, testutils.CStatic} {
		for _, want := range []wanted{executable, everything} {
			t.Run(variant.Name, func(t *testing.T) {
				v := testutils.Start(t, testutils.Build(t, "asyncjump.c", variant), "2")
				v.Run(1)
				before := testutils.TakeSnapshot(t, v.PID())
				jumps := v.Report().Info["jumps"]
				m := measureAll(t, v.PID(), want)
				for v.Report().Info["jumps"] < jumps+500 {
					v.Run(50)
				}
				if err := m.p.Close(); err != nil {
					t.Fatal(err)
				}
				sum := requireLawsWith(t, m.d.Read(), true)
				t.Logf("%d calls: %d returned, %d unwound, %d of those that returned left", sum.Calls, sum.Returned, sum.Unwound, sum.LeftReturning)
				if sum.Unwound == 0 || sum.Missed > 0 || sum.LeftReturning > sum.Unwound/2 {
					t.Errorf("%d unwound, %d missed, %d left when they had returned", sum.Unwound, sum.Missed, sum.LeftReturning)
				}
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true}) // its timer goes on
				v.Quit()
			})
		}
	}
}
