package trampoline_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// hooked is a victim with every hookable function counted.
type hooked struct {
	p *hook.Process
	c *trampoline.Counter
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(string(b[:len(b)-1]))
	return len(b), nil
}

func logTo(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func attach(t testing.TB, pid int) *hook.Process {
	t.Helper()
	p, err := hook.Attach(context.Background(), pid, &hook.AttachOptions{Logger: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// sitesOf lists the hookable functions of the images for which want is true.
func sitesOf(t testing.TB, p *hook.Process, want func(*hook.Image) bool) []hook.Site {
	t.Helper()
	var sites []hook.Site
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

func all(*hook.Image) bool { return true }

func countAll(t testing.TB, pid int, want func(*hook.Process) func(*hook.Image) bool) hooked {
	t.Helper()
	p := attach(t, pid)
	sites := sitesOf(t, p, want(p))
	c, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Refused()); n > 0 {
		t.Logf("%d refused in the running target, first: %v", n, c.Refused()[0])
	}
	t.Logf("%d functions hooked", len(c.Read()))
	return hooked{p, c}
}

func executable(p *hook.Process) func(*hook.Image) bool {
	return func(im *hook.Image) bool { return im == p.Executable() }
}

func everything(*hook.Process) func(*hook.Image) bool { return all }

func (h hooked) counts() map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range h.c.Read() {
		out[c.Function.Name()] += c.Calls
		if d := c.Function.DisplayName(); d != c.Function.Name() {
			out[d] += c.Calls
		}
	}
	return out
}

// requireTruth compares what was counted with what the victim says.
func requireTruth(t testing.TB, got, truth map[string]uint64) {
	t.Helper()
	checked := 0
	for name, want := range truth {
		n, ok := got[name]
		if !ok {
			t.Errorf("%s is not hooked", name)
			continue
		}
		checked++
		if n != want {
			t.Errorf("%s: counted %d, the victim made %d (%+d)", name, n, want, int64(n-want))
		}
	}
	if checked == 0 {
		t.Error("no function was compared")
	}
}

type exactCase struct {
	source  string
	variant testutils.Variant
	args    []string
}

// churns: Go's runtime makes threads when it likes.
func (c exactCase) churns() bool {
	return strings.HasSuffix(c.source, ".go") || slices.Contains(c.args, "--churn")
}

func exactCases() []exactCase {
	var cases []exactCase
	for _, v := range testutils.CVariants() {
		cases = append(cases, exactCase{"count.c", v, []string{"8"}})
	}
	c := testutils.CDynamic
	return append(cases,
		exactCase{"count.c", c, []string{"1"}},
		exactCase{"count.c", c, []string{"200"}},
		exactCase{"count.c", c, []string{"8", "--churn"}},
		exactCase{"count.c", c, []string{"2", "--sig", "20000"}},
		exactCase{"count.c", c, []string{"2", "--sig", "20000", "--altstack"}},
		exactCase{"count.cc", testutils.CXX, []string{"8"}},
		exactCase{"count.cc", testutils.CXXStatic, []string{"4"}},
		exactCase{"count.rs", testutils.Rust, []string{"8"}},
		exactCase{"count.go", testutils.Go, []string{"8"}},
		exactCase{"count.go", testutils.GoStripped, []string{"8"}},
		exactCase{"count.go", testutils.GoPIE, []string{"8"}},
		exactCase{"count.go", testutils.GoCgo, []string{"8"}},
	)
}

// TestExact hooks every function of the program and then of all its libraries,
// attached while the victim idles: counted equals the victim's own count, and
// after the detach nothing is left.
func TestExact(t *testing.T) {
	for _, c := range exactCases() {
		name := fmt.Sprint(c.source, " ", c.variant.Name, " ", c.args)
		t.Run(name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1) // until all threads have started
			for _, what := range []func(*hook.Process) func(*hook.Image) bool{executable, everything} {
				before := testutils.TakeSnapshot(t, v.PID())
				truth := v.Report()
				h := countAll(t, v.PID(), what)
				v.Run(50)
				made := v.Report().Since(truth)
				if err := h.p.Close(); err != nil {
					t.Fatal(err)
				}
				requireTruth(t, h.counts(), made)
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: c.churns(), Working: c.churns()})
				v.Run(10)
			}
			v.Quit()
		})
	}
}
