package fgraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// cxxVariants are the ways to link a C++ program.
var cxxVariants = []testutils.Variant{
	testutils.CXX, testutils.CXXStaticGCC, testutils.CXXStatic, testutils.CXXStaticPIE, testutils.CXXStripped,
	testutils.CXXLLVM, testutils.CXXLLVMStatic,
}

// TestExceptions throws through wrapped functions: all of the program and of its
// libraries, the unwinder's own included as far as they can be.
func TestExceptions(t *testing.T) {
	for _, v := range cxxVariants {
		t.Run("count.cc "+v.Name, func(t *testing.T) {
			exactCase{"count.cc", v, []string{"4"}, 50}.check(t, everything)
		})
		t.Run("unwind.cc "+v.Name, func(t *testing.T) {
			sum := exactCase{"unwind.cc", v, []string{"4"}, 100}.check(t, everything)
			if sum.Unwound < 4*100*30 {
				t.Errorf("%d unwound", sum.Unwound)
			}
		})
	}
}

// unwinding is a victim with everything measured, and what must be as before at the end.
type unwinding struct {
	v      *testutils.Victim
	m      measured
	before *testutils.Snapshot
	relro  []byte
}

func startUnwinding(t *testing.T, source string, v testutils.Variant, args ...string) *unwinding {
	t.Helper()
	u := &unwinding{v: testutils.Start(t, testutils.Build(t, source, v), args...)}
	u.measure(t)
	return u
}

func (u *unwinding) measure(t *testing.T) {
	t.Helper()
	u.before, u.relro = testutils.TakeSnapshot(t, u.v.PID()), relro(t, u.v.PID())
	u.m = measureAll(t, u.v.PID(), everything)
}

// end detaches and checks that nothing is left.
func (u *unwinding) end(t *testing.T, opts testutils.DiffOptions) {
	t.Helper()
	if err := u.m.p.Close(); err != nil {
		t.Fatal(err)
	}
	u.check(t, opts)
}

func (u *unwinding) check(t *testing.T, opts testutils.DiffOptions) {
	t.Helper()
	sum := requireLaws(t, u.m.d.Read())
	t.Logf("%d calls: %d returned, %d unwound, %d inflight, %d missed", sum.Calls, sum.Returned, sum.Unwound, sum.Inflight, sum.Missed)
	u.requireEqual(t, opts)
}

// requireEqual checks that nothing of ours is left. Libraries that the victim has loaded
// meanwhile, and signals that its C library uses from then on, are its own.
func (u *unwinding) requireEqual(t *testing.T, opts testutils.DiffOptions) {
	t.Helper()
	opts.AllowGrowth = true
	for _, d := range testutils.Diff(u.before, testutils.TakeSnapshot(t, u.v.PID()), opts) {
		if !strings.HasPrefix(d, "signals: ") && !strings.HasSuffix(d, ".so is new") && !(strings.Contains(d, "/lib") && strings.HasSuffix(d, " is new")) {
			t.Error(d)
		}
	}
	if !bytes.Equal(relro(t, u.v.PID()), u.relro) {
		t.Error("the loader's data is not what it was")
	}
}

// relro is the data of the loader that is read-only once it is done: a pointer there is
// replaced.
func relro(t testing.TB, pid int) (all []byte) {
	t.Helper()
	maps, err := procfs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	for _, m := range maps {
		if m.Write || m.Exec || !strings.Contains(m.Path, "/ld-") {
			continue
		}
		b, err := io.ReadAll(io.NewSectionReader(mem, int64(m.Start), int64(m.Len())))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// unwindingCommands are what unwind.cc does beside throwing.
var unwindingCommands = []string{"noexcept", "cancel", "exit", "backtrace", "iterate throw", "step"}

// TestUnwinding: threads that are cancelled or end themselves, backtraces, also at every
// instruction, noexcept, and callbacks that throw through the loader.
func TestUnwinding(t *testing.T) {
	// Without symbols one of the two cannot be hooked.
	hooked := map[bool]string{false: "4", true: "3"}
	for _, v := range cxxVariants[:5] {
		t.Run(v.Name, func(t *testing.T) {
			u := &unwinding{v: testutils.Start(t, testutils.Build(t, "unwind.cc", v), "4")}
			u.all("2") // a level is two functions
			u.measure(t)
			u.all(hooked[v.Name == testutils.CXXStripped.Name])
			u.end(t, testutils.DiffOptions{})
			u.all("2")
			u.v.Quit()
		})
	}
}

// all gives all commands; perLevel is how many frames a level of calls has.
func (u *unwinding) all(perLevel string) {
	u.v.Do("per level "+perLevel, "done")
	for _, what := range append([]string{"run 5"}, unwindingCommands...) {
		u.v.Do(what, "done")
	}
}

// TestLazyUnwinder: libc loads libgcc when it needs it, or a plugin in C++ brings one, long
// after everything was hooked.
func TestLazyUnwinder(t *testing.T) {
	plugin := "plugin " + testutils.Build(t, "unwind_plugin.cc", testutils.CXXShared)
	for _, c := range []struct {
		v        testutils.Variant
		commands []string
	}{
		{testutils.CDynamic, []string{"cancel"}},
		{testutils.CDynamic, []string{"exit"}},
		{testutils.CDynamic, []string{"backtrace"}},
		{testutils.CDynamic, []string{plugin, plugin, "cancel"}},
		{testutils.CExceptions, []string{"cancel", "exit"}},
		{testutils.CStatic, []string{"cancel", "exit"}},
		{testutils.CMusl, []string{"cancel", "exit"}},
		{testutils.CMuslStatic, []string{"cancel", "exit"}},
	} {
		t.Run(c.v.Name+" "+strings.Fields(c.commands[0])[0], func(t *testing.T) {
			u := startUnwinding(t, "unwind_c.c", c.v)
			u.v.Do("per level 4", "done")
			for _, what := range c.commands {
				u.v.Do(what, "done")
			}
			u.end(t, testutils.DiffOptions{Working: true}) // libraries were loaded
			u.v.Do("per level 2", "done")
			for _, what := range c.commands {
				u.v.Do(what, "done")
			}
			u.v.Quit()
		})
	}
}

// TestRust: panics through wrapped functions.
func TestRust(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.Rust, testutils.RustStatic} {
		t.Run(v.Name, func(t *testing.T) {
			u := startUnwinding(t, "unwind.rs", v)
			u.v.Do("panic", "done")
			u.end(t, testutils.DiffOptions{})
			u.v.Do("panic", "done")
			u.v.Quit()
		})
		t.Run("count.rs "+v.Name, func(t *testing.T) {
			exactCase{"count.rs", v, []string{"4"}, 50}.check(t, everything)
		})
	}
}

// TestDetachWhileThrowing: nobody who is in the middle of unwinding loses the way.
func TestDetachWhileThrowing(t *testing.T) {
	for _, v := range cxxVariants {
		t.Run(v.Name, func(t *testing.T) {
			u := &unwinding{v: testutils.Start(t, testutils.Build(t, "unwind.cc", v), "4")}
			u.v.Run(5)
			for range testutils.Repeat(5, 200) {
				u.measure(t)
				u.v.StartLoad()
				time.Sleep(20 * time.Millisecond)
				if err := u.m.p.Close(); err != nil {
					t.Fatal(err)
				}
				t.Logf("%d stops, %d threads moved", len(u.m.p.Pauses()), u.m.p.Cleaned().Threads)
				time.Sleep(5 * time.Millisecond)
				if !u.v.Running() {
					t.Fatal(u.v.Stderr())
				}
				u.v.StopLoad()
				u.check(t, testutils.DiffOptions{})
				u.v.Run(5)
			}
			u.v.Quit()
		})
	}
}

// TestKilledWhileThrowing kills the tracer at random moments while four threads throw. They
// go on, and Recover puts everything right.
func TestKilledWhileThrowing(t *testing.T) {
	for _, v := range []testutils.Variant{testutils.CXX, testutils.CXXStatic, testutils.CXXStripped} {
		t.Run(v.Name, func(t *testing.T) {
			u := &unwinding{v: testutils.Start(t, testutils.Build(t, "unwind.cc", v), "4")}
			u.v.Run(5)
			u.before, u.relro = testutils.TakeSnapshot(t, u.v.PID()), relro(t, u.v.PID())
			frames := 0
			for range testutils.Repeat(4, 100) {
				u.v.StartLoad()
				cmd, cycle := startDoomed(t, u.v.PID(), doomedAllEnv+"=1")
				time.Sleep(rand.N(2 * cycle))
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				cmd.Wait()
				time.Sleep(50 * time.Millisecond) // hooked, with nobody listening
				frames += recoverFrom(t, u.v)
				u.requireEqual(t, testutils.DiffOptions{Working: true})
				u.v.StopLoad()
				u.v.Run(5)
			}
			u.requireEqual(t, testutils.DiffOptions{})
			t.Logf("%d running functions were put right", frames)
			u.v.Quit()
		})
	}
}

func recoverFrom(t *testing.T, v *testutils.Victim) (frames int) {
	t.Helper()
	c, err := hook.Recover(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatalf("%v; the victim runs: %v\n%s", err, v.Running(), v.Stderr())
	}
	return c.Frames
}

// TestDetachInCallback: what a thread is still going to need stays, and goes with the next
// attempt.
func TestDetachInCallback(t *testing.T) {
	for _, attempt := range []string{"close", "recover"} {
		t.Run(attempt, func(t *testing.T) {
			u := startUnwinding(t, "unwind.cc", testutils.CXX, "2")
			u.v.Do("iterate slowly", "iterating")
			err := u.m.p.Close()
			if !errors.Is(err, hook.ErrDraining) || !strings.Contains(err.Error(), "in a callback of dl_iterate_phdr") {
				t.Fatalf("closing while a callback runs: %v", err)
			}
			u.v.Do("go on", "done")
			u.v.Do("iterate throw", "done") // through answers that stay
			u.v.Run(5)
			if attempt == "recover" {
				if _, err := hook.Recover(context.Background(), u.v.PID(), &hook.RecoverOptions{Force: true}); err != nil {
					t.Fatal(err)
				}
			}
			u.end(t, testutils.DiffOptions{})
			u.v.Run(5)
			u.v.Quit()
		})
	}
}

// TestUnwindsIsRefused: a target with two C libraries cannot be served, and is not touched.
func TestUnwindsIsRefused(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "unwind_c.c", testutils.CDynamic))
	v.Do("namespace", "done")
	u := &unwinding{v: v, before: testutils.TakeSnapshot(t, v.PID()), relro: relro(t, v.PID())}
	p := attach(t, v.PID())
	_, err := fgraph.Measure(context.Background(), p, sitesOf(t, p, executable(p)), nil)
	var why *fgraph.UnwindsError
	if !errors.Is(err, fgraph.ErrUnwinds) || !errors.As(err, &why) || !strings.Contains(why.Reason, "second C library") {
		t.Errorf("measuring: %v", err)
	}
	u.requireEqual(t, testutils.DiffOptions{})
	d, err := fgraph.Measure(context.Background(), p, sitesOf(t, p, executable(p)), &fgraph.Options{Unwinds: true})
	if err != nil {
		t.Fatal(err)
	}
	v.Do("exit", "done")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	requireLaws(t, d.Read())
	v.Quit()
}

// TestCountingTouchesNoLoader: what unwinders ask is answered only where a return is hooked.
func TestCountingTouchesNoLoader(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "unwind.cc", testutils.CXX), "2")
	before := relro(t, v.PID())
	p := attach(t, v.PID())
	sites := sitesOf(t, p, everything(p))
	count, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	v.Run(20)
	if !bytes.Equal(relro(t, v.PID()), before) {
		t.Error("counting has changed the loader's data")
	}
	d, err := fgraph.Measure(context.Background(), p, sites, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(relro(t, v.PID()), before) {
		t.Error("measuring has not changed the loader's data")
	}
	v.Do("iterate throw", "done")
	v.Run(20)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(relro(t, v.PID()), before) {
		t.Error("the loader's data is not what it was")
	}
	requireLaws(t, d.Read())
	for _, f := range count.Read() { // the answer hands on to what counts
		if f.Function.Name() == "dl_iterate_phdr" && f.Calls != 3 {
			t.Errorf("dl_iterate_phdr was counted %d times of 3", f.Calls)
		}
	}
	v.Quit()
}

// TestComeAndGoWhileThrowing: programs come and go, and their memory is used again, while
// four threads throw.
func TestComeAndGoWhileThrowing(t *testing.T) {
	u := &unwinding{v: testutils.Start(t, testutils.Build(t, "unwind.cc", testutils.CXX), "4")}
	u.v.Run(5)
	u.before, u.relro = testutils.TakeSnapshot(t, u.v.PID()), relro(t, u.v.PID())
	p := attach(t, u.v.PID())
	sites := sitesOf(t, p, executable(p))
	u.v.StartLoad()
	freed := 0
	for range testutils.Repeat(20, 1000) {
		d, err := fgraph.Measure(context.Background(), p, sites, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		requireLaws(t, d.Read())
		n, err := p.Collect(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		freed += n
	}
	u.v.StopLoad()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs freed", freed)
	if freed == 0 {
		t.Error("no program's memory was used again")
	}
	u.requireEqual(t, testutils.DiffOptions{})
	u.v.Run(5)
	u.v.Quit()
}
