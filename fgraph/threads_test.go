package fgraph_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/internal/testutils"
)

// TestThreadIDs: each event is told to be its thread's, also where threads live for a few
// calls and leave their stack, and with it their ring, to others.
func TestThreadIDs(t *testing.T) {
	for _, variant := range []testutils.Variant{testutils.CDynamic, testutils.CStatic, testutils.CMusl} {
		for _, makers := range []string{"1", "4"} {
			t.Run(variant.Name+" "+makers, func(t *testing.T) {
				v := testutils.Start(t, testutils.Build(t, "tids.c", variant), makers)
				v.Run(1)
				before := testutils.TakeSnapshot(t, v.PID())
				truth := v.Report()
				rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{Interval: 20 * time.Millisecond})
				for range 5 {
					v.Run(40)
					time.Sleep(25 * time.Millisecond)
				}
				all := v.Report()
				events := rec.end(t)
				requireNames(t, v.PID(), rec.r, events)
				got := callers(events, "work_me")
				for key, calls := range all.Info {
					var tid int
					if _, err := fmt.Sscanf(key, "tid %d", &tid); err != nil || truth.Info[key] != 0 {
						continue
					}
					if got[tid] != calls {
						t.Errorf("thread %d: %d calls are recorded, it made %d", tid, got[tid], calls)
					}
					delete(got, tid)
				}
				for tid, calls := range got {
					t.Errorf("thread %d: %d calls are recorded, and there was none such", tid, calls)
				}
				if n := len(all.Info) - len(truth.Info); n < 200 {
					t.Errorf("only %d threads", n)
				}
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
				v.Quit()
			})
		}
	}
}

// callers are how many calls of a function each thread has made.
func callers(events []fgraph.Event, name string) map[int]uint64 {
	by := map[int]uint64{}
	for _, e := range events {
		if e.Type == fgraph.Entry && e.Function.Name() == name {
			by[e.TID]++
		}
	}
	return by
}

// requireNames checks the names of threads that are still there.
func requireNames(t *testing.T, pid int, r *fgraph.Recorder, events []fgraph.Event) {
	t.Helper()
	n := 0
	for _, e := range events {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", pid, e.TID))
		if err != nil {
			continue
		}
		n++
		if got, want := r.ThreadName(e.TID), strings.TrimSuffix(string(comm), "\n"); got != want {
			t.Fatalf("thread %d is called %q, not %q", e.TID, got, want)
		}
	}
	if n == 0 {
		t.Error("no thread that has made events is there")
	}
}
