package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

// BenchmarkPause measures how long a target stands still while functions are patched and
// while they are restored, and the longest gap that a spinning thread of it saw
// meanwhile, beside the longest one in as much time before.
func BenchmarkPause(b *testing.B) {
	binary := testutils.Build(b, "spin_gap.c", testutils.CDynamic)
	for _, c := range []struct {
		blocked, functions int
		// plain: without real-time priority, as users have it who may not take it.
		plain bool
	}{
		{15, 1, false}, {15, 1000, false}, {15, 1000, true},
		{199, 1, false}, {199, 1000, false}, {199, 1000, true},
	} {
		b.Run(fmt.Sprintf("threads=%d/functions=%d/realtime=%v", c.blocked+1, c.functions, !c.plain), func(b *testing.B) {
			v := testutils.Start(b, binary, "1", fmt.Sprint(c.blocked))
			var patch, detach, gap, quiet []time.Duration
			for range repeats {
				p := attachWith(b, v.PID(), &hook.AttachOptions{NoRealTime: c.plain})
				funcs := sites(b, p, "libc:*")
				if len(funcs) < c.functions {
					b.Fatalf("only %d functions of libc can be hooked", len(funcs))
				}
				v.Report()
				time.Sleep(20 * time.Millisecond)
				quiet = append(quiet, gapOf(v))
				count(b, p, funcs[:c.functions])
				gap = append(gap, gapOf(v))
				patch = append(patch, pause(b, p, "patch"))
				closeProcess(b, p)
				detach = append(detach, pause(b, p, "detach"))
			}
			v.Quit()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(median(patch)), "patch-ms")
			b.ReportMetric(milliseconds(median(detach)), "detach-ms")
			b.ReportMetric(milliseconds(median(gap)), "gap-ms")
			b.ReportMetric(milliseconds(median(quiet)), "gap-before-ms")
		})
	}
}

// gapOf is the longest gap since the last report.
func gapOf(v *testutils.Victim) time.Duration {
	return time.Duration(v.Report().Info["gap_ns"])
}
