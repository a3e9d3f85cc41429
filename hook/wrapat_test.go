package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// TestSignalAtEveryInstructionOfACall interrupts a thread at each instruction of a wrapped
// call by a signal whose handler makes wrapped calls too. The handler ends before the
// detach, or waits until after it.
func TestSignalAtEveryInstructionOfACall(t *testing.T) {
	for _, h := range []how{{}, {events: true}, {claim: true}, {stale: true}} {
		for _, waits := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v waits=%v", h, waits), func(t *testing.T) {
				stacks(t, func(t *testing.T, v *testutils.Victim) {
					steps, stride := 0, testutils.Repeat(13, 1)
					for n := rand.N(stride); signalAt(t, v, n, h, waits); n += stride {
						if steps++; t.Failed() {
							t.Fatalf("after a signal at step %d", n)
						}
					}
					if steps*stride < 60 {
						t.Errorf("signalled at %d instructions: that cannot have been the whole way", steps)
					}
				})
			})
		}
	}
}

func signalAt(t *testing.T, v *testutils.Victim, n int, h how, waits bool) (inside bool) {
	t.Helper()
	w := wrapTarget(t, v.PID(), "w_bytes", h)
	inside = w.takeTo(t, n, h, func(_ *ptrace.Stop, th *ptrace.Thread) error {
		return tgkill(w.p.pid, th.TID(), syscall.SIGUSR1)
	})
	handles(t, v)
	if !waits {
		v.Do("release", "released")
	}
	w.p.OnDetach(func() { w.requireLaws(t) }) // what they are in goes away
	w.p.mustClose(t)
	if waits {
		v.Do("release", "released")
	}
	return inside
}

// steppedEnv tells TestSteppedAndKilled what to do.
const steppedEnv = "FUNCTAP_TEST_STEPPED"

type stepped struct {
	PID, Step     int
	Function      string
	Events, Claim bool
}

// TestSteppedAndKilled is no test of its own: run by TestTracerKilledAtEveryInstruction in
// a process of its own, it takes a thread to an instruction and kills itself in that stop.
func TestSteppedAndKilled(t *testing.T) {
	var s stepped
	if err := json.Unmarshal([]byte(os.Getenv(steppedEnv)), &s); err != nil {
		return
	}
	h := how{claim: s.Claim, events: s.Events}
	w := wrapTarget(t, s.PID, s.Function, h)
	inside := w.takeTo(t, s.Step, h, func(_ *ptrace.Stop, th *ptrace.Thread) error {
		if err := th.Unstep(); err != nil {
			return err
		}
		r, err := th.Regs()
		if err == nil && w.inside(r.Rip) {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return err
	})
	if inside {
		t.Error("the step led nowhere")
	}
}

// inside reports whether an address is in the function, or in code that was made for it.
func (w *wrapped) inside(addr uint64) bool {
	f := w.slot.site.Function
	return w.slot.n.ContainsCode(addr) || addr-f.Addr() < f.Size()
}

// TestTracerKilledAtEveryInstruction kills a tracer that holds a thread at each instruction
// of a wrapped call. The thread goes on, rightly, with nobody listening; then Recover takes
// everything out.
func TestTracerKilledAtEveryInstruction(t *testing.T) {
	for _, s := range []stepped{
		{Function: "work_empty"},
		{Function: "work_empty", Events: true},
		{Function: "work_empty", Events: true, Claim: true},
	} {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "transparency.c", testutils.CDynamic), "--flags")
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			s.PID = v.PID()
			kills, stride := 0, testutils.Repeat(17, 1)
			for s.Step = rand.N(stride); killAt(t, v, s); s.Step += stride {
				kills++
				got, err := Recover(context.Background(), v.PID(), nil)
				if err != nil || got.Sites == 0 {
					t.Fatalf("step %d: %+v, %v; the victim runs: %v\n%s", s.Step, got, err, v.Running(), v.Stderr())
				}
				v.StopLoad()
				v.Run(3)
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
				if t.Failed() {
					t.Fatalf("killed at step %d", s.Step)
				}
			}
			v.StopLoad()
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			t.Logf("killed at %d instructions", kills)
			if kills*stride < 60 {
				t.Error("that cannot have been the whole way")
			}
			v.Quit()
		})
	}
}

// killAt has a tracer killed at a step while the victim works. It reports false if the call
// is over by then; the tracer has then ended by itself.
func killAt(t *testing.T, v *testutils.Victim, s stepped) bool {
	t.Helper()
	v.StartLoad()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSteppedAndKilled$")
	cmd.Env = append(os.Environ(), steppedEnv+"="+string(b))
	out, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		return true
	}
	t.Fatalf("step %d: %v\n%s", s.Step, err, out)
	return false
}
