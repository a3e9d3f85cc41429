package fgraph_test

import (
	"context"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

var withSelf = &fgraph.Options{Self: true}

// runSelf runs the victim of that name with its functions measured that work.
func runSelf(t *testing.T, v testutils.Variant, rounds int, args ...string) []fgraph.FunctionDurations {
	t.Helper()
	victim := testutils.Start(t, testutils.Build(t, "self.cc", v), args...)
	victim.Run(1)
	before := testutils.TakeSnapshot(t, victim.PID())
	truth := victim.Report()
	p := attach(t, victim.PID())
	sites, refused, err := p.Sites(hook.Match{Include: []string{"work_*"}})
	if err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	d, err := fgraph.Measure(context.Background(), p, sites, withSelf)
	if err != nil {
		t.Fatal(err)
	}
	victim.Run(rounds)
	made := victim.Report().Since(truth)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	all := d.Read()
	requireLaws(t, all)
	for name, n := range made {
		if f := find(t, all, name); f.Calls != n {
			t.Errorf("%s: %d calls, the victim made %d", name, f.Calls, n)
		}
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	victim.Run(3)
	victim.Quit()
	return all
}

// requireSum: all self times together are the duration of the outermost calls. Each
// function's times are rounded to nanoseconds.
func requireSum(t *testing.T, all []fgraph.FunctionDurations) {
	t.Helper()
	var sum time.Duration
	for _, f := range all {
		if f.SelfUnknown > 0 {
			t.Errorf("%s: the self time of %d calls is unknown", f.Function.Name(), f.SelfUnknown)
		}
		sum += f.Self
	}
	top := find(t, all, "work_top")
	if d := (sum - top.Total).Abs(); d > time.Duration(len(all)) {
		t.Errorf("self times of %v, of %v in all: %v", sum, top.Total, d)
	}
}

// TestSelf: where all calls return, also those of signal handlers, each instant belongs to
// one function.
func TestSelf(t *testing.T) {
	for _, c := range []struct {
		variant testutils.Variant
		args    []string
	}{
		{testutils.CXX, []string{"plain", "1"}},
		{testutils.CXX, []string{"plain", "3"}},
		{testutils.CXX, []string{"signals", "1"}},
		{testutils.CXXStatic, []string{"signals", "4"}},
	} {
		t.Run(c.variant.Name+" "+c.args[0]+" "+c.args[1], func(t *testing.T) {
			const rounds = 1000
			all := runSelf(t, c.variant, rounds, c.args...)
			requireSum(t, all)
			calls := time.Duration(find(t, all, "work_top").Calls)
			handlers := find(t, all, "work_handler").Calls
			if with := c.args[0] == "signals"; with != (handlers > 0) {
				t.Errorf("%d handlers", handlers)
			}
			for name, spins := range map[string]time.Duration{"work_spin2": 200 * time.Microsecond, "work_spin1": 100 * time.Microsecond} {
				f := find(t, all, name)
				if f.Self+find(t, all, "work_handler").Total < calls*spins {
					t.Errorf("%s: self time %v in %d calls that spin %v each", name, f.Self, calls, spins)
				}
			}
			outer, inner := find(t, all, "work_spin2"), find(t, all, "work_spin1")
			if d := outer.Total - outer.Self; d < inner.Total || handlers == 0 && d > inner.Total+find(t, all, "work_leaf").Total {
				t.Errorf("%v of work_spin2 are not its own; work_spin1 took %v", d, inner.Total)
			}
		})
	}
}

// TestSelfUnknown: what a call below was left by makes a self time unknown, exactly there.
func TestSelfUnknown(t *testing.T) {
	for _, c := range []struct {
		mode    string
		unknown map[string]bool // of all calls; other functions' are known
	}{
		{"longjmp", map[string]bool{"work_top": true}},
		{"throw", map[string]bool{"work_top": true}},
		{"handler", map[string]bool{"work_top": true, "work_handler": true}},
		{"jump", map[string]bool{"work_top": true}},
	} {
		t.Run(c.mode, func(t *testing.T) {
			const rounds = 200
			all := runSelf(t, testutils.CXX, rounds, c.mode, "2")
			for _, f := range all {
				name := f.Function.Name()
				want := uint64(0)
				switch {
				case c.unknown[name]:
					want = f.Returned
				case c.mode == "jump" && name == "work_leaf":
					want = 2 * rounds
				case c.mode == "handler" && name == "work_leaf":
					want = 2 * 2 * rounds // on the other stack
				}
				if f.SelfUnknown != want {
					t.Errorf("%s: the self time of %d calls of %d is unknown, want %d", name, f.SelfUnknown, f.Returned, want)
				}
			}
		})
	}
}

// TestSelfAltstack: calls on another stack than the thread's own, and those that they
// interrupt, are unknown; no time is anybody's twice.
func TestSelfAltstack(t *testing.T) {
	all := runSelf(t, testutils.CXX, 1000, "altstack", "2")
	var sum time.Duration
	for _, f := range all {
		sum += f.Self
	}
	h, top := find(t, all, "work_handler"), find(t, all, "work_top")
	if h.Calls == 0 || h.SelfUnknown != h.Returned {
		t.Errorf("work_handler: the self time of %d calls of %d is unknown", h.SelfUnknown, h.Returned)
	}
	if sum > top.Total || sum == 0 {
		t.Errorf("self times of %v, of %v in all", sum, top.Total)
	}
	if find(t, all, "work_spin1").SelfUnknown+find(t, all, "work_spin2").SelfUnknown == 0 {
		t.Errorf("nothing of what %d handlers interrupted is unknown", h.Calls)
	}
}

// TestSelfEverything: self times disturb nothing in programs that do what is hard.
func TestSelfEverything(t *testing.T) {
	for _, c := range []exactCase{
		{"count.c", testutils.CStatic, []string{"4", "--sig", "20000"}, 200},
		{"count.c", testutils.CDynamic, []string{"2", "--sig", "5000", "--altstack"}, 200},
		{"transparency.c", testutils.CNoPIE, []string{"--flags"}, 500},
		{"clonefs.c", testutils.CDynamic, []string{"4"}, 20000},
		{"gsuser.c", testutils.CDynamic, nil, 100},
		{"altstack.c", testutils.CDynamic, nil, 300},
		{"forker.c", testutils.CDynamic, []string{"2", "vfork"}, 200},
		{"preempt.c", testutils.CDynamic, nil, 20},
		{"frames.c", testutils.CDynamic, []string{"longjmp"}, 100},
		{"frames.c", testutils.CDynamic, []string{"fibers"}, 300},
		{"frames.c", testutils.CDynamic, []string{"end"}, 200},
		{"frames.c", testutils.CDynamic, []string{"tail"}, 3},
	} {
		t.Run(c.name(), func(t *testing.T) { c.checkWith(t, everything, withSelf) })
	}
}
