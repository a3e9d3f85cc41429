package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// BenchmarkCall measures what one call of a short function costs, over 8 places of
// the function in its cache line: bare, patched with nobody interested, and counted.
// "added-ns" is the difference to the bare call.
func BenchmarkCall(b *testing.B) {
	binary := testutils.Build(b, "latency.c", testutils.CNoPIE)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			v := testutils.Start(b, binary, fmt.Sprint(threads))
			bare := nsPerCall(v)
			p := attach(b, v.PID())
			funcs := sites(b, p, "work_align_*")
			if len(funcs) != 8 {
				b.Fatalf("%d of 8 functions can be hooked", len(funcs))
			}
			if _, err := p.Patch(context.Background(), funcs); err != nil {
				b.Fatal(err)
			}
			idle := nsPerCall(v)
			before := v.Report()
			c := count(b, p, funcs)
			counted := nsPerCall(v)
			made := testutils.Sum(v.Report().Since(before))
			var got uint64
			for _, f := range c.Read() {
				got += f.Calls
			}
			if got != made {
				b.Errorf("counted %d calls of %d", got, made)
			}
			closeProcess(b, p)
			after := nsPerCall(v)
			v.Quit()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(bare, "bare-ns")
			b.ReportMetric(idle-bare, "idle-added-ns")
			b.ReportMetric(counted-bare, "count-added-ns")
			b.ReportMetric(after-bare, "detached-added-ns")
		})
	}
}

func nsPerCall(v *testutils.Victim) float64 {
	var all []float64
	for range repeats {
		all = append(all, float64(v.Report().Info["ps"])/1000)
	}
	return median(all)
}
