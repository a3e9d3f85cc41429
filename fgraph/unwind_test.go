package fgraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/testutils"
)

// cxxVariants are the ways to link a C++ program.
var cxxVariants = []testutils.Variant{
	testutils.CXX, testutils.CXXStaticGCC, testutils.CXXStatic, testutils.CXXStaticPIE, testutils.CXXStripped, testutils.CXXLLVM,
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
	u.before, u.relro = testutils.TakeSnapshot(t, u.v.PID()), relro(t, u.v.PID())
	u.m = measureAll(t, u.v.PID(), everything)
	return u
}

// end detaches and checks that nothing is left.
func (u *unwinding) end(t *testing.T, opts testutils.DiffOptions) fgraph.FunctionDurations {
	t.Helper()
	if err := u.m.p.Close(); err != nil {
		t.Fatal(err)
	}
	sum := requireLaws(t, u.m.d.Read())
	t.Logf("%d calls: %d returned, %d unwound, %d inflight, %d missed", sum.Calls, sum.Returned, sum.Unwound, sum.Inflight, sum.Missed)
	opts.AllowGrowth = true
	testutils.RequireEqual(t, u.before, opts)
	if !bytes.Equal(relro(t, u.v.PID()), u.relro) {
		t.Error("the loader's data is not what it was")
	}
	return sum
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

// TestUnwinding: threads that are cancelled or end themselves, backtraces, also at every
// instruction, noexcept, and callbacks that throw through the loader.
func TestUnwinding(t *testing.T) {
	for _, v := range cxxVariants[:5] {
		t.Run(v.Name, func(t *testing.T) {
			u := startUnwinding(t, "unwind.cc", v, "4")
			u.v.Do("per level 4", "done") // both functions are wrapped
			for _, what := range []string{"noexcept", "cancel", "exit", "backtrace", "iterate throw", "step"} {
				u.v.Do(what, "done")
			}
			u.end(t, testutils.DiffOptions{})
			u.v.Do("per level 2", "done")
			for _, what := range []string{"run 5", "noexcept", "cancel", "exit", "backtrace", "iterate throw"} {
				u.v.Do(what, "done")
			}
			u.v.Quit()
		})
	}
}

var (
	_ = context.Background
	_ = errors.Is
	_ = hook.ErrDraining
	_ = time.Now
)
