package unwind

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/testutils"
)

// cxxVariants are the ways to link a C++ program with libgcc's unwinder.
var cxxVariants = []testutils.Variant{
	testutils.CXX, testutils.CXXStaticGCC, testutils.CXXStatic, testutils.CXXStaticPIE, testutils.CXXStripped,
}

// TestExceptions throws, cancels and traces through wrapped calls, in programs
// linked in each way.
func TestExceptions(t *testing.T) {
	for _, v := range cxxVariants {
		t.Run(v.Name, func(t *testing.T) {
			g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", v), "4")
			g.serve()
			g.wrap()
			g.useSlots()
			g.v.Run(100)
			for _, what := range []string{"noexcept", "cancel", "exit", "backtrace", "step", "iterate throw"} {
				g.v.Do(what, "done")
			}
			g.v.Quit()
		})
	}
}

// TestWithoutService is the same without the service: it must fail, or the other
// tests show nothing.
func TestWithoutService(t *testing.T) {
	for _, v := range cxxVariants {
		t.Run(v.Name, func(t *testing.T) {
			g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", v), "1")
			g.wrap()
			g.useSlots()
			requireDeath(t, g, "run 1", "terminate called after throwing an instance of 'std::runtime_error'")
		})
	}
	g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", testutils.CXX), "1")
	g.wrap()
	g.useSlots()
	for _, what := range []string{"cancel", "exit", "iterate", "backtrace", "step"} {
		g.v.Do("fails "+what, "done")
	}
	g.v.Quit()
}

// requireDeath sends a command and waits for the victim to die of it.
func requireDeath(t *testing.T, g *target, command, says string) {
	t.Helper()
	g.v.MayExit()
	g.v.Send(command)
	if err := g.v.Wait(); err == nil {
		t.Errorf("%s: the victim ended well", command)
	}
	if !strings.Contains(g.v.Stderr(), says) {
		t.Errorf("%s: the victim said %q", command, g.v.Stderr())
	}
}

// TestBothAnswers: with both functions replaced, what iterates sees our object, and
// may leave by an exception.
func TestBothAnswers(t *testing.T) {
	g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", testutils.CXX), "1")
	s := g.serve()
	if s.Pointer == nil || len(s.Entries) != 1 || s.Entries[0].Function != AsksIteratePhdr {
		t.Errorf("services of a dynamic program: %+v", s)
	}
	g.wrap()
	g.useSlots()
	for _, what := range []string{"iterate", "iterate throw", "step", "run 10"} {
		g.v.Do(what, "done")
	}
	g.v.Quit()
}

// TestProgramsAppear registers and uses new programs while four threads throw.
func TestProgramsAppear(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.CXX, testutils.CXXLLVM} {
		t.Run(v.Name, func(t *testing.T) {
			g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", v), "4")
			g.serve()
			g.wrap()
			g.useSlots()
			g.v.StartLoad()
			end := time.Now().Add(time.Second)
			for time.Now().Before(end) && g.parts[0].next+0x2000 < g.parts[0].end {
				g.wrap()
				time.Sleep(time.Millisecond)
			}
			g.v.StopLoad()
			if n := g.parts[0].table.Units() + g.parts[1].table.Units(); n < 200 {
				t.Errorf("only %d programs", n)
			}
			g.v.Run(10)
			g.v.Quit()
		})
	}
}

// TestLazyUnwinder: libc loads libgcc when it needs it, long after the service began.
func TestLazyUnwinder(t *testing.T) {
	for _, what := range []string{"cancel", "exit", "backtrace", "plugin"} {
		t.Run(what, func(t *testing.T) {
			g := startC(t)
			g.serve()
			g.wrap()
			g.useSlots()
			if what == "plugin" {
				what += " " + testutils.Build(t, "unwind_plugin.cc", testutils.CXXShared)
			}
			for range 3 {
				g.v.Do(what, "done")
			}
			if !g.hasMapped("libgcc_s") && !strings.HasPrefix(what, "plugin") {
				t.Error("no libgcc was loaded")
			}
			g.v.Quit()
		})
	}
}

// TestCleanups: C whose cleanups are run by unwinding.
func TestCleanups(t *testing.T) {
	g := start(t, RuleSignal, testutils.Build(t, "unwind_c.c", testutils.CExceptions))
	g.wrap()
	g.useSlots()
	g.v.Do("fails cancel", "done")
	g.v.Do("fails exit", "done")
	g.serve()
	g.v.Do("cancel", "done")
	g.v.Do("exit", "done")
	g.v.Quit()
}

// TestLazyWithoutService: a plugin's exception ends the program.
func TestLazyWithoutService(t *testing.T) {
	g := startC(t)
	g.wrap()
	g.useSlots()
	requireDeath(t, g, "plugin "+testutils.Build(t, "unwind_plugin.cc", testutils.CXXShared), "terminate called")
}

func startC(t *testing.T) *target {
	t.Helper()
	g := start(t, RuleSignal, testutils.Build(t, "unwind_c.c", testutils.CDynamic))
	if g.hasMapped("libgcc_s") {
		t.Fatal("libgcc is there from the start")
	}
	return g
}

func (g *target) hasMapped(name string) bool {
	g.t.Helper()
	return slices.ContainsFunc(g.maps(), func(m procfs.Mapping) bool { return strings.Contains(m.Path, name) })
}

// TestMusl: what iterates over musl's objects sees ours as the second.
func TestMusl(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.CMusl, testutils.CMuslStatic} {
		t.Run(v.Name, func(t *testing.T) {
			g := start(t, RuleSignal, testutils.Build(t, "unwind_c.c", v))
			g.serve(AsksIteratePhdr)
			g.v.Do("iterate", "done")
			g.v.Quit()
		})
	}
}

// TestProgramsGo forgets programs that nobody is in, and puts others in their place,
// in another order and of other lengths.
func TestProgramsGo(t *testing.T) {
	g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", testutils.CXX), "4")
	g.serve()
	g.useSlots()
	kept := [2]uint64{g.parts[0].next, g.parts[1].next}
	for round := range 20 {
		g.wrap()
		g.v.Run(5)
		for i, body := range g.body {
			store64(g.mem, slotsAt+8*i, body)
		}
		for i := range g.parts {
			for at := kept[i]; at < g.parts[i].next; at += Granule {
				g.parts[i].table.Clear(at)
			}
			g.parts[i].next = kept[i] + Granule*uint64(round%7)
		}
	}
	g.v.Quit()
}

// TestDetachDuringThrow takes everything away while destructors run, with wrapped calls
// still to be unwound: no thread is inside an unwinder then, and the exception goes on.
func TestDetachDuringThrow(t *testing.T) {
	for _, c := range []struct {
		v    testutils.Variant
		rule Rule
	}{{testutils.CXX, RuleSignal}, {testutils.CXX, RuleOffset}, {testutils.CXXStatic, RuleSignal}, {testutils.CXXLLVM, RuleSignal}} {
		t.Run(fmt.Sprint(c.v.Name, c.rule), func(t *testing.T) {
			g := start(t, c.rule, testutils.Build(t, "unwind.cc", c.v), "1")
			g.serve()
			g.wrap()
			g.useSlots()
			g.v.Do("throw and wait", "unwinding")
			if n := g.detach(); n != 2 { // around outside, and around waiting
				t.Errorf("%d slots held our address", n)
			}
			g.v.Do(fmt.Sprintf("unmap %x %x", g.at, arenaSize), "done")
			g.v.Do("run 10", "done")
			g.v.Quit()
		})
	}
}

// TestOffsetRule: the form for old libgccs is understood by new ones, too.
func TestOffsetRule(t *testing.T) {
	g := start(t, RuleOffset, testutils.Build(t, "unwind.cc", testutils.CXX), "4")
	g.serve()
	g.wrap()
	g.useSlots()
	g.v.Run(20)
	for _, what := range []string{"noexcept", "cancel", "exit", "backtrace", "step"} {
		g.v.Do(what, "done")
	}
	g.v.Quit()
}
