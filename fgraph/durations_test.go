package fgraph_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// find is one function's statistics.
func find(t testing.TB, all []fgraph.FunctionDurations, name string) fgraph.FunctionDurations {
	t.Helper()
	i := slices.IndexFunc(all, func(f fgraph.FunctionDurations) bool { return f.Function.Name() == name })
	if i < 0 {
		t.Fatalf("%s is not measured", name)
	}
	return all[i]
}

// TestDetachWhileBlocked: threads that wait inside three wrapped calls do not keep a detach
// waiting, return rightly afterwards, and are counted.
func TestDetachWhileBlocked(t *testing.T) {
	for _, want := range []wanted{executable, everything} {
		v := testutils.Start(t, testutils.Build(t, "frames.c", testutils.CDynamic), "block", "8")
		v.Do("block", "blocked") // once before, so that its threads have stacks
		v.Do("unblock", "unblocked")
		before := testutils.TakeSnapshot(t, v.PID())
		m := measureAll(t, v.PID(), want)
		v.Do("block", "blocked")
		start := time.Now()
		if err := m.p.Close(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the detach took %v", took)
		}
		all := m.d.Read()
		requireLaws(t, all)
		for _, name := range []string{"work_outer", "work_middle", "work_inner"} {
			if f := find(t, all, name); f.Calls != 8 || f.Inflight != 8 {
				t.Errorf("%s: %d calls, %d inflight", name, f.Calls, f.Inflight)
			}
		}
		if n := m.p.Cleaned().Frames; n < 3*8 {
			t.Errorf("%d running functions were put right", n)
		}
		v.Do("unblock", "unblocked") // checks all results
		testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
		v.Quit()
	}
}

// TestTimes: what is measured is the time that calls take.
func TestTimes(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "frames.c", testutils.CDynamic), "block", "2")
	m := measureAll(t, v.PID(), executable)
	start := time.Now()
	v.Do("block", "blocked")
	time.Sleep(200 * time.Millisecond)
	v.Do("unblock", "unblocked")
	most := time.Since(start)
	all := m.d.Read()
	for _, name := range []string{"work_outer", "work_middle", "work_inner"} {
		f := find(t, all, name)
		if f.Returned != 2 || f.Inflight != 0 {
			t.Errorf("%s: %d returned, %d inflight", name, f.Returned, f.Inflight)
		}
		if f.Max < 200*time.Millisecond || f.Max > most || f.Total < 400*time.Millisecond || f.Total > 2*most {
			t.Errorf("%s took %v at most and %v in all; the longest must be 200ms to %v", name, f.Max, f.Total, most)
		}
		if q := f.Histogram.Quantile(0.99); q < f.Max || q > 2*f.Max {
			t.Errorf("%s: 99 %% take at most %v, the longest takes %v", name, q, f.Max)
		}
	}
	if f := find(t, all, "work_leaf"); f.Average() > time.Millisecond {
		t.Errorf("work_leaf takes %v", f.Average())
	}
	if err := m.p.Close(); err != nil {
		t.Fatal(err)
	}
	v.Quit()
}

// TestWithCounters: counters and durations share sites and do not disturb each other.
func TestWithCounters(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	sites := sitesOf(t, p, executable(p))
	count, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]uint64{}
	for range 5 {
		d, err := fgraph.Measure(context.Background(), p, sites, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := v.Report()
		v.Run(20)
		these := v.Report().Since(start)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		got := calls(d.Read())
		for name, n := range these {
			made[name] += n
			if _, ok := got[name]; ok && got[name] != n {
				t.Errorf("%s: %d calls, the victim made %d", name, got[name], n)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range count.Read() {
		if want, ok := made[f.Function.Name()]; ok && f.Calls != want {
			t.Errorf("%s: counted %d, the victim made %d", f.Function.Name(), f.Calls, want)
		}
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}

// TestComeAndGo: measurements come and go under load, and their memory is used again. A
// call that began in one ends in it, also after another has begun.
func TestComeAndGo(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4", "--sig", "1000")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	sites := sitesOf(t, p, executable(p))
	count, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	start := v.Report()
	v.StartLoad()
	freed := 0
	for i := range testutils.Repeat(30, 2000) {
		d, err := fgraph.Measure(context.Background(), p, sites, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		requireLaws(t, d.Read())
		if i%7 == 0 {
			n, err := p.Collect(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			freed += n
		}
	}
	v.StopLoad()
	made := v.Report().Since(start)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range count.Read() {
		if want, ok := made[f.Function.Name()]; ok && f.Calls != want {
			t.Errorf("%s: counted %d, the victim made %d", f.Function.Name(), f.Calls, want)
		}
	}
	if freed == 0 {
		t.Error("no program's memory was used again")
	}
	t.Logf("%d programs freed", freed)
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}

// TestGoIsRefused: the returns of Go functions are not hooked, by name; counting goes on.
func TestGoIsRefused(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.go", testutils.Go), "2")
	v.Run(1)
	p := attach(t, v.PID())
	sites := sitesOf(t, p, executable(p))
	count, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fgraph.Measure(context.Background(), p, sites, nil)
	var no *hook.NoExitError
	if !errors.As(err, &no) || no.Reason != hook.GoStack || !errors.Is(err, hook.ErrNoExit) {
		t.Errorf("measuring: %v, want GO_STACK", err)
	}
	start := v.Report()
	v.Run(5)
	made := v.Report().Since(start)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range count.Read() {
		if want, ok := made[f.Function.Name()]; ok && f.Calls != want {
			t.Errorf("%s: counted %d, the victim made %d", f.Function.Name(), f.Calls, want)
		}
	}
	v.Quit()
}

// TestNoTime: a target that would die of reading the time is left alone.
func TestNoTime(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "notime.c", testutils.CDynamic))
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	if _, err := fgraph.Measure(context.Background(), p, sitesOf(t, p, executable(p)), nil); !errors.Is(err, hook.ErrNoTime) {
		t.Errorf("measuring: %v, want ErrNoTime", err)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	v.Quit()
}

// TestHalfExits: functions that return twice and the like stay unmeasured, and work.
func TestHalfExits(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	p := attach(t, v.PID())
	d, err := fgraph.Measure(context.Background(), p, sitesOf(t, p, everything(p)), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]hook.Refusal{}
	for _, no := range d.NoExit() {
		got[no.Function] = no.Reason
	}
	for name, want := range map[string]hook.Refusal{
		"_setjmp": hook.ReturnsTwice, "vfork": hook.ReturnsTwice, "swapcontext": hook.SwitchesStack,
		"dlsym": hook.ReadsRA, "dl_iterate_phdr": hook.Unwinder, "execve": hook.NoReturn, "work_selfloop": hook.LoopsToEntry,
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %s", name, got[name], want)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	v.Quit()
}
