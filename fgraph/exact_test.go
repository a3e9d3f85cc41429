package fgraph_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(string(b[:len(b)-1]))
	return len(b), nil
}

func attach(t testing.TB, pid int) *hook.Process {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testWriter{t}, nil))
	p, err := hook.Attach(context.Background(), pid, &hook.AttachOptions{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// sitesOf lists the hookable functions of the images for which want is true.
func sitesOf(t testing.TB, p *hook.Process, want func(*hook.Image) bool) (sites []hook.Site) {
	t.Helper()
	for im := range p.Images() {
		if !want(im) {
			continue
		}
		funcs, err := im.Functions()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range funcs {
			st, err := f.Site()
			if err == nil {
				sites = append(sites, st)
			} else if !errors.Is(err, hook.ErrUnpatchable) {
				t.Fatal(err)
			}
		}
	}
	return sites
}

type wanted func(*hook.Process) func(*hook.Image) bool

func executable(p *hook.Process) func(*hook.Image) bool {
	return func(im *hook.Image) bool { return im == p.Executable() }
}

func everything(*hook.Process) func(*hook.Image) bool {
	return func(*hook.Image) bool { return true }
}

type measured struct {
	p *hook.Process
	d *fgraph.Durations
}

func measureAll(t testing.TB, pid int, want wanted) measured {
	t.Helper()
	return measureWith(t, pid, want, nil)
}

func measureWith(t testing.TB, pid int, want wanted, opts *fgraph.Options) measured {
	t.Helper()
	p := attach(t, pid)
	d, err := fgraph.Measure(context.Background(), p, sitesOf(t, p, want(p)), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d functions measured, %d not, %d refused in the running target", len(d.Read()), len(d.NoExit()), len(d.Refused()))
	return measured{p, d}
}

// requireLaws checks that what was counted apart adds up.
func requireLaws(t testing.TB, all []fgraph.FunctionDurations) (sum fgraph.FunctionDurations) {
	t.Helper()
	return requireLawsWith(t, all, false)
}

// requireLawsWith does that. asynchronous: signal handlers leave by siglongjmp.
func requireLawsWith(t testing.TB, all []fgraph.FunctionDurations, asynchronous bool) (sum fgraph.FunctionDurations) {
	t.Helper()
	for _, f := range all {
		if f.LeftReturning > 0 && !asynchronous {
			t.Errorf("%s: %d calls have returned and were found unwound", f.Function.Name(), f.LeftReturning)
		}
		if f.Calls != f.Returned+f.Unwound+f.Inflight+f.Missed {
			t.Errorf("%s: %d calls are not %d returned, %d unwound, %d inflight and %d missed",
				f.Function.Name(), f.Calls, f.Returned, f.Unwound, f.Inflight, f.Missed)
		}
		if f.Max > f.Total || f.Returned > 0 && f.Total == 0 {
			t.Errorf("%s: the longest of %d calls took %v, all of them %v", f.Function.Name(), f.Returned, f.Max, f.Total)
		}
		if f.Self > f.Total || f.SelfUnknown > f.Returned || f.SelfUnknown == f.Returned && f.Self != 0 {
			t.Errorf("%s: self time %v of %v, unknown of %d calls of %d", f.Function.Name(), f.Self, f.Total, f.SelfUnknown, f.Returned)
		}
		sum.Calls += f.Calls
		sum.Returned += f.Returned
		sum.Missed += f.Missed
		sum.Unwound += f.Unwound
		sum.LeftReturning += f.LeftReturning
		sum.Inflight += f.Inflight
		sum.Clamped += f.Clamped
		sum.Self += f.Self
		sum.SelfUnknown += f.SelfUnknown
	}
	return sum
}

func calls(all []fgraph.FunctionDurations) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range all {
		out[f.Function.Name()] += f.Calls
		if d := f.Function.DisplayName(); d != f.Function.Name() {
			out[d] += f.Calls
		}
	}
	return out
}

type exactCase struct {
	source  string
	variant testutils.Variant
	args    []string
	rounds  int
}

func (c exactCase) name() string {
	return strings.TrimSpace(fmt.Sprint(c.source, " ", c.variant.Name, " ", strings.Join(c.args, " ")))
}

// check runs the victim with every function measured: its results stay right (it checks
// them), its count is ours, the laws hold, and nothing is left.
func (c exactCase) check(t *testing.T, want wanted) fgraph.FunctionDurations {
	t.Helper()
	return c.checkWith(t, want, nil)
}

func (c exactCase) checkWith(t *testing.T, want wanted, opts *fgraph.Options) fgraph.FunctionDurations {
	t.Helper()
	v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	truth := v.Report()
	m := measureWith(t, v.PID(), want, opts)
	v.Run(c.rounds)
	made := v.Report().Since(truth)
	if err := m.p.Close(); err != nil {
		t.Fatal(err)
	}
	all := m.d.Read()
	got := calls(all)
	for name, n := range made {
		if _, ok := got[name]; !ok {
			t.Logf("%s is not measured", name)
		} else if got[name] != n {
			t.Errorf("%s: %d calls, the victim made %d (%+d)", name, got[name], n, int64(got[name]-n))
		}
	}
	sum := requireLaws(t, all)
	t.Logf("%d calls: %d returned, %d unwound, %d inflight, %d missed, %d clamped, %d with unknown self time; %d put back",
		sum.Calls, sum.Returned, sum.Unwound, sum.Inflight, sum.Missed, sum.Clamped, sum.SelfUnknown, m.p.Cleaned().Frames)
	churn := strings.Contains(strings.Join(c.args, " "), "--churn")
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: churn, Working: churn || c.source == "forker.c"})
	v.Run(5)
	v.Quit()
	return sum
}

// TestExact measures every function of a program.
func TestExact(t *testing.T) {
	cases := []exactCase{
		{"count.c", testutils.CDynamic, []string{"1"}, 50},
		{"count.c", testutils.CDynamic, []string{"8"}, 50},
		{"count.c", testutils.CNoPIE, []string{"4"}, 50},
		{"count.c", testutils.CStatic, []string{"4"}, 50},
		{"count.c", testutils.CStaticPIE, []string{"4"}, 50},
		{"count.c", testutils.CMusl, []string{"4"}, 50},
		{"count.c", testutils.CET, []string{"4"}, 50},
		{"count.c", testutils.CLTO, []string{"4"}, 50},
	}
	for _, c := range cases {
		t.Run(c.name(), func(t *testing.T) { c.check(t, executable) })
	}
}

// TestEverything measures every function of programs that do what breaks other hookers, and
// of all their libraries.
func TestEverything(t *testing.T) {
	cases := []exactCase{
		{"count.c", testutils.CDynamic, []string{"4"}, 50},
		{"count.c", testutils.CStatic, []string{"4", "--sig", "20000"}, 200},
		{"count.c", testutils.CDynamic, []string{"4", "--sig", "20000"}, 200},
		{"count.c", testutils.CDynamic, []string{"2", "--sig", "5000", "--altstack"}, 200},
		{"count.c", testutils.CDynamic, []string{"4", "--churn"}, 100},
		{"transparency.c", testutils.CDynamic, nil, 500},
		{"transparency.c", testutils.CNoPIE, []string{"--flags"}, 500},
		{"pclass.c", testutils.CDynamic, nil, 100},
		{"pclass.c", testutils.CET, nil, 100},
		{"rawclone.c", testutils.CDynamic, []string{"4"}, 1000},
		{"clonefs.c", testutils.CDynamic, []string{"4"}, 20000},
		{"gsuser.c", testutils.CDynamic, nil, 100},
		{"altstack.c", testutils.CDynamic, nil, 300},
		{"recursion.c", testutils.CDynamic, []string{"200000"}, 2},
		{"zombie_leader.c", testutils.CDynamic, nil, 50},
		{"forker.c", testutils.CDynamic, []string{"2", "fork"}, 200},
		{"forker.c", testutils.CDynamic, []string{"2", "vfork"}, 200},
		{"forker.c", testutils.CDynamic, []string{"2", "spawn"}, 200},
		{"preempt.c", testutils.CDynamic, nil, 20},
	}
	for _, c := range cases {
		t.Run(c.name(), func(t *testing.T) { c.check(t, everything) })
	}
}

// TestEnds: calls that end in other ways than by a return, and calls that do not end.
func TestEnds(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.CDynamic, testutils.CStatic, testutils.CMusl} {
		for _, want := range []struct {
			what string
			wanted
		}{{"program", executable}, {"all", everything}} {
			t.Run("longjmp "+want.what+" "+v.Name, func(t *testing.T) {
				sum := exactCase{"frames.c", v, []string{"longjmp"}, 100}.check(t, want.wanted)
				if sum.Unwound < 4*100*103 || sum.Missed != 0 {
					t.Errorf("%d unwound, %d missed", sum.Unwound, sum.Missed)
				}
			})
			t.Run("fibers "+want.what+" "+v.Name, func(t *testing.T) {
				if v.Name == testutils.CMusl.Name {
					return // has no such functions
				}
				sum := exactCase{"frames.c", v, []string{"fibers"}, 300}.check(t, want.wanted)
				if sum.Missed != 0 || sum.Inflight < 3 {
					t.Errorf("%d missed, %d inflight", sum.Missed, sum.Inflight)
				}
			})
			t.Run("end "+want.what+" "+v.Name, func(t *testing.T) {
				sum := exactCase{"frames.c", v, []string{"end"}, 200}.check(t, want.wanted)
				if sum.Unwound < 4*200*3 || sum.Missed != 0 {
					t.Errorf("%d unwound, %d missed", sum.Unwound, sum.Missed)
				}
			})
			t.Run("tail "+want.what+" "+v.Name, func(t *testing.T) {
				sum := exactCase{"frames.c", v, []string{"tail"}, 3}.check(t, want.wanted)
				if sum.Missed == 0 {
					t.Error("nothing was missed in chains that are longer than the list")
				}
			})
		}
		t.Run("deep "+v.Name, func(t *testing.T) {
			// Of the home table such slots, 16 bytes apart, reach every other entry.
			sum := exactCase{"frames.c", v, []string{"deep", "300000"}, 3}.check(t, executable)
			if sum.Missed < 3*(300000-200000) || sum.Missed > 3*(300000-180000) {
				t.Errorf("%d missed", sum.Missed)
			}
		})
	}
}
