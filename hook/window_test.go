package hook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// siteOf is one function's site.
func (p *Process) siteOf(t *testing.T, name string) Site {
	t.Helper()
	funcs, err := p.Executable().Functions()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(funcs, func(f *Function) bool { return f.Name() == name })
	if i < 0 {
		t.Fatalf("no function %s", name)
	}
	st, err := funcs[i].Site()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func attachTo(t *testing.T, pid int) *Process {
	t.Helper()
	p, err := Attach(context.Background(), pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// maxSteps is more than a round of window.c's loop has instructions.
const maxSteps = 500

// halt takes a working thread to an address by single steps, and has signal
// sent to it there. The signal is handled before the thread's next instruction.
func (p *Process) halt(t *testing.T, addr uint64, sig syscall.Signal) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		there := false
		err := p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
			th, err := p.stepTo(st, addr)
			if err != nil || th == nil {
				return err
			}
			there = true
			return tgkill(p.pid, th.TID(), sig)
		})
		if err != nil {
			t.Fatal(err)
		}
		if there {
			return
		}
	}
	t.Fatalf("no thread came to %#x", addr)
}

// stepTo steps the first thread that is in the program's own code.
func (p *Process) stepTo(st *ptrace.Stop, addr uint64) (*ptrace.Thread, error) {
	im := p.Executable()
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return nil, err
		}
		if r.Rip < im.start || r.Rip >= im.end {
			continue
		}
		for range maxSteps {
			if r.Rip == addr {
				return th, nil
			}
			if err := th.Step(time.Second); err != nil {
				return nil, err
			}
			if r, err = th.Regs(); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	return nil, nil
}

func tgkill(pid, tid int, sig syscall.Signal) error {
	_, _, e := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(pid), uintptr(tid), uintptr(sig))
	if e != 0 {
		return fmt.Errorf("tgkill: %w", e)
	}
	return nil
}

// waitStopped waits until job control has stopped all threads.
func waitStopped(t *testing.T, pid int) {
	t.Helper()
	testutils.Eventually(t, 10*time.Second, "all threads are stopped", func() error {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("no threads: %w", err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			if i := slices.Index(b, ')'); i < 0 || b[i+2] != 'T' {
				return fmt.Errorf("not stopped: %s", b)
			}
		}
		return nil
	})
}

// mustPatch patches sites; none may be refused.
func (p *Process) mustPatch(t *testing.T, sites ...Site) *Patch {
	t.Helper()
	pt, err := p.Patch(context.Background(), sites)
	if err != nil {
		t.Fatal(err)
	}
	if len(pt.Refused) > 0 {
		t.Fatalf("refused: %v", pt.Refused[0])
	}
	return pt
}

func (p *Process) mustClose(t *testing.T) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// windowFunctions are those of window.S that are called all the time.
var windowFunctions = []string{"w_bytes", "w_long", "w_call", "w_flags"}

// TestThreadInsideWindow brings a thread to each instruction boundary inside
// bytes that are then overwritten. It goes on in the copy; the victim checks
// what each instruction does.
func TestThreadInsideWindow(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "1") // another thread might stand inside too
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	for _, name := range windowFunctions {
		p := attachTo(t, v.PID())
		site := p.siteOf(t, name)
		if len(site.plan.Interior) == 0 {
			t.Errorf("%s has no boundary inside its window", name)
		}
		p.mustClose(t)
		for _, off := range append([]uint8{0}, site.plan.Interior...) {
			p := attachTo(t, v.PID())
			p.halt(t, site.Addr()+uint64(off), syscall.SIGSTOP)
			waitStopped(t, v.PID())
			pt := p.mustPatch(t, p.siteOf(t, name))
			if want := min(int(off), 1); pt.Moved != want {
				t.Errorf("%s+%d: moved %d threads, want %d", name, off, pt.Moved, want)
			}
			v.Signal(syscall.SIGCONT)
			p.mustClose(t)
			if !v.Running() {
				t.Fatalf("the victim died of a patch of %s with a thread at +%d: %s", name, off, v.Stderr())
			}
		}
	}
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// TestSleepBesidePatch: a system call that is among a function's first five bytes
// is not displaced (its address is seen), two bytes before it are; a thread
// that waits in it meanwhile is none the wiser.
func TestSleepBesidePatch(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "1")
	for _, unblocked := range []string{"hooked", "closed"} {
		v.Do("block", "ok")
		time.Sleep(20 * time.Millisecond) // until it sleeps
		p := attachTo(t, v.PID())
		site := p.siteOf(t, "w_read")
		if site.Tactic() != "short" {
			t.Errorf("w_read is hooked by a %s patch, want short", site.Tactic())
		}
		p.mustPatch(t, site)
		if unblocked == "hooked" {
			v.Do("unblock", "ok")
			v.Do("block", "ok")
			time.Sleep(20 * time.Millisecond)
		}
		p.mustClose(t)
		v.Do("unblock", "ok")
	}
	v.Quit()
}

// TestWindowsUnderLoad attaches to functions with many instructions in their
// windows again and again while four threads call nothing else.
func TestWindowsUnderLoad(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "4")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	in, out := 0, 0
	for i := range testutils.Repeat(60, 300) {
		p := attachTo(t, v.PID())
		var sites []Site
		for _, name := range windowFunctions {
			sites = append(sites, p.siteOf(t, name))
		}
		pt := p.mustPatch(t, sites...)
		in += pt.Moved
		if i%2 == 0 {
			pt.count(t)
		}
		p.mustClose(t)
		out += p.Cleaned().Threads
	}
	v.StopLoad()
	t.Logf("moved %d threads out of windows and %d out of generated code", in, out)
	if in == 0 || out == 0 {
		t.Error("no thread was ever in the way: the test shows nothing")
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(100)
	v.Quit()
}
