package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/internal/testutils"
)

// BenchmarkDurations measures what it costs to measure a call: functions that are 1 to 16
// deep, beside two readings of the time stamp counter in the same run. "added-ns" is the
// difference to the bare call.
func BenchmarkDurations(b *testing.B) { benchmarkDurations(b, nil) }

// BenchmarkSelf does that with self times.
func BenchmarkSelf(b *testing.B) { benchmarkDurations(b, &fgraph.Options{Self: true}) }

func benchmarkDurations(b *testing.B, opts *fgraph.Options) {
	binary := testutils.Build(b, "calls.c", testutils.CNoPIE)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			v := testutils.Start(b, binary, fmt.Sprint(threads))
			bare := callCosts(v)
			p := attach(b, v.PID())
			d, err := fgraph.Measure(context.Background(), p, sites(b, p, "work_chain_*"), opts)
			if err != nil {
				b.Fatal(err)
			}
			measured := callCosts(v)
			all := d.Read()
			closeProcess(b, p)
			for _, f := range all {
				if f.Missed > 0 || f.Returned != f.Calls || f.Calls == 0 {
					b.Errorf("%s: %d calls, %d returned, %d missed", f.Function.Name(), f.Calls, f.Returned, f.Missed)
				}
				if opts != nil && f.SelfUnknown > 0 {
					b.Errorf("%s: %d self times are unknown", f.Function.Name(), f.SelfUnknown)
				}
			}
			v.Quit()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(measured["ps_rdtsc"], "rdtsc-ns")
			for _, depth := range []int{1, 4, 8, 16} {
				key := fmt.Sprint("ps_", depth)
				b.ReportMetric(bare[key], fmt.Sprint("bare-", depth, "-ns"))
				b.ReportMetric(measured[key]-bare[key], fmt.Sprint("added-", depth, "-ns"))
			}
		})
	}
}

// BenchmarkRecord measures what it costs to record calls, in bursts that fit into the ring,
// so that nothing is lost: with a record for each entry and exit or with one for both, and
// with a reader that looks between bursts or all the time.
func BenchmarkRecord(b *testing.B) {
	for _, longer := range []time.Duration{0, time.Nanosecond} {
		for _, interval := range []time.Duration{10 * time.Millisecond, 100 * time.Microsecond} {
			b.Run(fmt.Sprintf("records=%d/interval=%v", 2-longer, interval), func(b *testing.B) {
				benchmarkRecord(b, &fgraph.RecordOptions{Options: fgraph.Options{Unwinds: true}, Longer: longer, Interval: interval})
			})
		}
	}
}

func benchmarkRecord(b *testing.B, o *fgraph.RecordOptions) {
	const burst, pause = "14000", "30" // functions, of two records each; ms
	v := testutils.Start(b, testutils.Build(b, "calls.c", testutils.CNoPIE), "1", burst, pause)
	bare := callCosts(v)
	p := attach(b, v.PID())
	r, err := fgraph.Record(context.Background(), p, sites(b, p, "work_chain_*"), o)
	if err != nil {
		b.Fatal(err)
	}
	events, missing, over := 0, uint64(0), make(chan struct{})
	go func() {
		defer close(over)
		for e := range r.Events() {
			events++
			missing += e.Missing
		}
	}()
	recorded := callCosts(v)
	closeProcess(b, p)
	<-over
	v.Quit()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(recorded["ps_rdtsc"], "rdtsc-ns")
	for _, depth := range []int{1, 16} {
		key := fmt.Sprint("ps_", depth)
		b.ReportMetric(bare[key], fmt.Sprint("bare-", depth, "-ns"))
		b.ReportMetric(recorded[key]-bare[key], fmt.Sprint("added-", depth, "-ns"))
	}
	b.ReportMetric(float64(events), "events")
	b.ReportMetric(100*float64(missing)/float64(uint64(events)+missing), "lost-%")
}

// callCosts are the medians of what the victim reports, in nanoseconds.
func callCosts(v *testutils.Victim) map[string]float64 {
	all := map[string][]float64{}
	for range repeats {
		for key, ps := range v.Report().Info {
			all[key] = append(all[key], float64(ps)/1000)
		}
	}
	out := map[string]float64{}
	for key, values := range all {
		out[key] = median(values)
	}
	return out
}

// BenchmarkRedisDurations measures pipelined GET requests a second while the durations of
// all functions of redis-server are kept, as a share of the bare server's.
func BenchmarkRedisDurations(b *testing.B) {
	r := testutils.StartRedis(b, nil)
	var bare, kept []float64
	for range 3 {
		bare = append(bare, getRate(r))
		p := attach(b, r.PID())
		funcs := sitesOf(b, p.Executable())
		if _, err := fgraph.Measure(context.Background(), p, funcs, &fgraph.Options{Unwinds: true}); err != nil {
			b.Fatal(err)
		}
		kept = append(kept, getRate(r))
		closeProcess(b, p)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(bare), "bare-req/s")
	b.ReportMetric(100*median(kept)/median(bare), "durations-%")
}
