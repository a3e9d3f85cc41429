package hook

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// handles waits until a handler of window.c has begun.
func handles(t *testing.T, v *testutils.Victim) {
	t.Helper()
	if got := v.Line(); got != "handling" {
		t.Fatalf("the victim said %q instead of handling", got)
	}
}

func stacks(t *testing.T, f func(*testing.T, *testutils.Victim)) {
	for _, args := range [][]string{{"2"}, {"2", "--altstack"}, {"2", "--above"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), args...)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			v.StartLoad()
			f(t, v)
			v.StopLoad()
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Run(10)
			v.Quit()
		})
	}
}

// TestFrameInsideWindow interrupts a thread at each instruction boundary inside
// bytes that are then overwritten, and restored, while its handler waits. It
// returns into the copy, or into the original.
func TestFrameInsideWindow(t *testing.T) {
	stacks(t, func(t *testing.T, v *testutils.Victim) {
		for _, name := range windowFunctions {
			p := attachTo(t, v.PID())
			site := p.siteOf(t, name)
			p.mustClose(t)
			for i, off := range append([]uint8{0}, site.plan.Interior...) {
				for _, hooked := range []bool{true, false} {
					p := attachTo(t, v.PID())
					p.halt(t, site.Addr()+uint64(off), syscall.SIGUSR1)
					handles(t, v)
					pt := p.mustPatch(t, p.siteOf(t, name))
					if i > 0 && pt.Moved == 0 {
						t.Errorf("%s+%d: no frame was moved", name, off)
					}
					if hooked {
						v.Do("release", "released")
					}
					p.mustClose(t)
					if !hooked {
						if n := p.Cleaned().Threads; i > 0 && n == 0 {
							t.Errorf("%s+%d: no frame was moved back", name, off)
						}
						v.Do("release", "released")
					}
				}
			}
		}
	})
}

// TestFrameInGeneratedCode interrupts a thread at each instruction of stub,
// program, claim routine and copy, and detaches while the handler waits, which
// has called hooked functions before.
func TestFrameInGeneratedCode(t *testing.T) {
	stacks(t, func(t *testing.T, v *testutils.Victim) {
		for _, c := range []struct {
			function string
			claim    bool
		}{{"w_bytes", false}, {"w_bytes", true}, {"w_call", false}, {"w_flags", true}} {
			n := 0
			for ; interruptAt(t, v, c.function, n, c.claim); n++ {
			}
			t.Logf("%s: interrupted at %d instructions", c.function, n)
			if n < 8 {
				t.Error("that cannot have been the whole way")
			}
		}
	})
}

// interruptAt does that for the n-th instruction. It reports false when that
// is none of ours.
func interruptAt(t *testing.T, v *testutils.Victim, function string, n int, claim bool) (inside bool) {
	t.Helper()
	p := attachTo(t, v.PID())
	pt := hookAll(t, p)
	pt.count(t)
	slot := pt.find(t, function)
	release := slot.trap(t)
	caught := false
	for deadline := time.Now().Add(10 * time.Second); !caught; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nobody calls %s", function)
		}
		err := p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
			th, err := slot.trapped(st)
			if th == nil || err != nil {
				return err
			}
			caught = true
			release()
			if claim {
				forgetArea(t, th, p.session)
			}
			if inside, err = slot.stepFrom(th, n); err != nil {
				return err
			}
			return tgkill(p.pid, th.TID(), syscall.SIGUSR1)
		})
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	handles(t, v)
	p.mustClose(t)
	if inside && p.Cleaned().Threads == 0 {
		t.Errorf("%s, step %d: no frame was moved", function, n)
	}
	v.Do("release", "released")
	return inside
}
