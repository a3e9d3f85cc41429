package unwind

import (
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestWalks walks through wrapped calls with unwinders that ask dl_iterate_phdr, or
// libgcc where it asks the other.
func TestWalks(t *testing.T) {
	for _, c := range []struct {
		v     testutils.Variant
		asked Function
	}{
		{testutils.CDynamic, AsksFindObject},
		{testutils.CStatic, AsksFindObject},
		{testutils.CLLVM, AsksIteratePhdr},
		{testutils.CLLVMStatic, AsksIteratePhdr},
		{testutils.CLLVMMusl, AsksIteratePhdr},
		{testutils.CNongnu, AsksIteratePhdr},
	} {
		t.Run(c.v.Name, func(t *testing.T) {
			g := start(t, RuleSignal, testutils.Build(t, "unwind_step.c", c.v))
			g.wrap()
			g.useSlots()
			g.v.Do("fails walk", "done")
			g.v.Do("fails walk fast", "done")
			g.serve(c.asked)
			g.v.Do("walk", "done")
			g.v.Do("walk fast", "done")
			if !strings.Contains(c.v.Name, "llvm") { // that loses its way without us, too
				g.v.Do("step", "done")
			}
			g.wrap() // programs that nobody has asked for yet
			g.v.Do("walk", "done")
			g.v.Do("walk fast", "done")
			g.v.Quit()
		})
	}
}

// TestLLVM throws with LLVM's unwinder. What such a program does not survive without us
// either is not tried: a thread's cancellation, and an exception that leaves a callback
// of dl_iterate_phdr. Both meet frames of glibc, whose personality is libgcc's.
func TestLLVM(t *testing.T) {
	g := start(t, RuleSignal, testutils.Build(t, "unwind.cc", testutils.CXXLLVM), "4")
	g.serve(AsksIteratePhdr)
	g.wrap()
	g.useSlots()
	g.v.Run(100)
	g.v.Do("noexcept", "done")
	g.v.Do("iterate", "done")
	g.v.Quit()

	g = start(t, RuleSignal, testutils.Build(t, "unwind.cc", testutils.CXXLLVM), "1")
	g.wrap()
	g.useSlots()
	requireDeath(t, g, "run 1", "terminat")
}

// TestRust panics and catches panics.
func TestRust(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.Rust, testutils.RustStatic} {
		t.Run(v.Name, func(t *testing.T) {
			g := start(t, RuleSignal, testutils.Build(t, "unwind.rs", v))
			g.v.Do("panic", "done")
			g.wrap()
			g.useSlots()
			g.serve()
			g.v.Do("panic", "done")
			g.v.Quit()

			g = start(t, RuleSignal, testutils.Build(t, "unwind.rs", v))
			g.wrap()
			g.useSlots()
			requireDeath(t, g, "panic", "")
		})
	}
}
