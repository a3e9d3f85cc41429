package ptrace

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
)

func TestErrorOfFunction(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "count.c")
	want := errors.New("mine")
	if _, err := tr.Stop(context.Background(), v.PID(), StopOptions{}, func(*Stop) error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	v.Run(1)
}

// TestNewborn stops a process that makes and ends some 2,000 threads a second.
// No thread may run while it is stopped.
func TestNewborn(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "churn", "4")
	before := number(t, p, "count")
	began := time.Now()
	for range cycles(50, 10) {
		mustStop(t, tr, p.PID(), func(s *Stop) error {
			for range 3 {
				requireStopped(t, s.PID())
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		time.Sleep(10 * time.Millisecond)
	}
	rate := float64(number(t, p, "count")-before) / time.Since(began).Seconds()
	if rate < 1000 {
		t.Errorf("only %.0f threads a second were born", rate)
	}
	t.Logf("%.0f threads a second", rate)
}

// requireStopped checks that all threads are in a ptrace stop.
func requireStopped(t testing.TB, pid int) {
	t.Helper()
	tids, err := procfs.Tasks(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, tid := range tids {
		if st, err := procfs.ReadTaskStat(pid, tid); err != nil || st.State != 't' {
			t.Errorf("thread %d: state %c (%v) during a stop", tid, st.State, err)
		}
	}
}

// TestPause measures that a stop is short. The best of several is taken: other
// programs share the processors.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		kind  string
		n     int
		limit time.Duration
	}{
		{"sleep", 1, time.Millisecond},
		{"sleep", 16, time.Millisecond},
		{"spin", 16, time.Millisecond},
		{"sleep", 200, 10 * time.Millisecond},
		{"spin", 200, 10 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(c.n, c.kind), func(t *testing.T) {
			tr := newTracer(t)
			p := start(t, "threads.c", c.kind, fmt.Sprint(c.n))
			best := time.Hour
			for i := 0; i < 20 || (best > c.limit && i < 100); i++ {
				r := mustStop(t, tr, p.PID(), nothing)
				best = min(best, r.Stopped)
				if r.Threads != c.n+1 || !r.RealTime {
					t.Errorf("report %+v for %d threads", r, c.n+1)
				}
				time.Sleep(5 * time.Millisecond)
			}
			t.Logf("%d threads (%s): %v", c.n, c.kind, best)
			if best > c.limit {
				t.Errorf("stopped for %v, which is more than %v", best, c.limit)
			}
		})
	}
}
