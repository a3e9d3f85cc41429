package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// BenchmarkPause measures how long a target stands still while functions are patched and
// while they are restored, and the longest gap that a spinning thread of it saw
// meanwhile, beside the longest one in as much time before.
func BenchmarkPause(b *testing.B) {
	binary := testutils.Build(b, "spin_gap.c", testutils.CDynamic)
	for _, blocked := range []int{15, 199} {
		for _, functions := range []int{1, 1000} {
			b.Run(fmt.Sprintf("threads=%d/functions=%d", blocked+1, functions), func(b *testing.B) {
				v := testutils.Start(b, binary, "1", fmt.Sprint(blocked))
				var patch, detach, gap, quiet []time.Duration
				for range repeats {
					p := attach(b, v.PID())
					funcs := sites(b, p, "libc:*")
					if len(funcs) < functions {
						b.Fatalf("only %d functions of libc can be hooked", len(funcs))
					}
					v.Report()
					time.Sleep(20 * time.Millisecond)
					quiet = append(quiet, gapOf(v))
					count(b, p, funcs[:functions])
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
}

// gapOf is the longest gap since the last report.
func gapOf(v *testutils.Victim) time.Duration {
	return time.Duration(v.Report().Info["gap_ns"])
}
