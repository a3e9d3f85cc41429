package unwind

import (
	"strings"
	"testing"
	"time"

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
			for _, what := range []string{"noexcept", "cancel", "exit", "backtrace", "step"} {
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

// TestProgramsAppear registers and uses new programs while four threads throw.
func TestProgramsAppear(t *testing.T) {
	g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", testutils.CXX), "4")
	g.serve()
	g.wrap()
	g.useSlots()
	g.v.StartLoad()
	for end := time.Now().Add(time.Second); time.Now().Before(end) && g.next < g.at+codeSize-0x2000; {
		g.wrap()
		time.Sleep(time.Millisecond)
	}
	g.v.StopLoad()
	if n := g.table.Units(); n < 200 {
		t.Errorf("only %d programs", n)
	}
	g.v.Do("step", "done")
	g.v.Quit()
}
