package remote

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

// TestBlockedCalls makes calls in threads that are blocked in each kind of system
// call. The victim aborts if it sees EINTR.
func TestBlockedCalls(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	v := testutils.Start(t, testutils.Build(t, "eintr.c", testutils.CDynamic))
	tr, tg := newTracer(t), mustFind(t, v.PID())
	kinds := 0
	for key, tid := range v.Report().Info {
		if !strings.HasPrefix(key, "tid ") {
			continue
		}
		kinds++
		for range rounds {
			if err := tg.with(tr, int(tid), mapAndUnmap); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
		}
	}
	if kinds < 40 {
		t.Errorf("only %d kinds of calls", kinds)
	}
	v.Quit()
}

// TestPendingFaults: a thread that has just caused a fault must get its signal.
func TestPendingFaults(t *testing.T) {
	p := testutils.StartProcess(t, nil, buildVictim(t, "faults.c"))
	if line := p.Line(); line != "ready" {
		t.Fatalf("victim said %q", line)
	}
	tr, tg := newTracer(t), mustFind(t, p.PID())
	refused := 0
	for range 100 {
		_, err := tr.Stop(context.Background(), p.PID(), ptrace.StopOptions{}, func(s *ptrace.Stop) error {
			for _, th := range s.Threads() {
				err := tg.call(s, th, mapAndUnmap)
				if errors.Is(err, ErrSignal) {
					refused++
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("%d refused", refused)
	p.Send("count")
	if line := p.Line(); line == "0" {
		t.Error("no faults")
	}
}

// TestSignalsDuringCalls: signals that are sent to the calling thread in the middle
// of its calls are delivered afterwards, by nobody but the kernel.
func TestSignalsDuringCalls(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "eintr.c", testutils.CDynamic), "--expect")
	tr, tg := newTracer(t), mustFind(t, v.PID())
	before := v.Report()
	kinds := []string{"epoll_wait", "semop", "sigtimedwait", "poll", "nanosleep", "futex", "read_pipe", "recv", "pause"}
	for _, kind := range kinds {
		// A thread that was stopped enters its call again. Before that, a signal
		// interrupts nothing, here as anywhere.
		time.Sleep(50 * time.Millisecond)
		tid := int(before.Info["tid "+kind])
		err := tg.with(tr, tid, func(s *ptrace.Stop, c *Caller) error {
			if err := unix.Tgkill(v.PID(), tid, unix.SIGUSR1); err != nil {
				return err
			}
			return mapAndUnmap(s, c)
		})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
	}
	time.Sleep(300 * time.Millisecond)
	after := v.Report()
	for _, kind := range kinds {
		if n := after.Info["eintr "+kind] - before.Info["eintr "+kind]; n != 1 {
			t.Errorf("%s: EINTR seen %d times", kind, n)
		}
	}
	v.Quit()
}

// TestGroupStopped: calls work in a target that job control has stopped, and it
// remains stopped; also if SIGSTOP arrives between two calls.
func TestGroupStopped(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic))
	tr, tg := newTracer(t), mustFind(t, v.PID())
	for range 5 {
		v.Signal(unix.SIGSTOP)
		if err := tg.with(tr, 0, mapAndUnmap); err != nil {
			t.Fatal(err)
		}
		requireStoppedThenContinue(t, v)
		err := tg.with(tr, 0, func(s *ptrace.Stop, c *Caller) error {
			v.Signal(unix.SIGSTOP)
			return mapAndUnmap(s, c)
		})
		if err != nil {
			t.Fatal(err)
		}
		requireStoppedThenContinue(t, v)
	}
	v.Quit()
}

func requireStoppedThenContinue(t *testing.T, v *testutils.Victim) {
	t.Helper()
	testutils.Eventually(t, time.Second, "stopped by SIGSTOP", func() error {
		for _, th := range testutils.TakeSnapshot(t, v.PID()).Threads {
			if th.State != 'T' {
				return unix.EAGAIN
			}
		}
		return nil
	})
	v.Signal(unix.SIGCONT)
	v.Run(1)
}

func TestSeccomp(t *testing.T) {
	for _, c := range []struct {
		name, source string
		args         []string
		want         error
	}{
		{"strict", "strict_seccomp.c", nil, ErrSeccomp},
		{"trap", "filter_seccomp.c", []string{"trap", "mmap"}, ErrSeccomp},
		{"errno", "filter_seccomp.c", []string{"errno", "mmap"}, unix.EPERM},
		{"other", "filter_seccomp.c", []string{"trap", "mprotect"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, testutils.CDynamic), c.args...)
			before := testutils.TakeSnapshot(t, v.PID())
			tr, tg := newTracer(t), mustFind(t, v.PID())
			for range 10 {
				err := tg.with(tr, 0, func(s *ptrace.Stop, c *Caller) error {
					addr, err := c.Syscall(unix.SYS_MMAP, mapArgs...)
					if err == nil {
						_, err = c.Syscall(unix.SYS_MUNMAP, addr, mapArgs[1])
					}
					return err
				})
				if !errors.Is(err, c.want) {
					t.Errorf("got %v", err)
				}
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{})
			v.Run(1)
			v.Quit()
		})
	}
}

// TestSeccompKills: a filter that kills cannot be survived, but must not hang.
func TestSeccompKills(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "filter_seccomp.c", testutils.CDynamic), "kill", "mmap")
	v.MayExit()
	err := mustFind(t, v.PID()).with(newTracer(t), 0, func(s *ptrace.Stop, c *Caller) error {
		_, err := c.Syscall(unix.SYS_MMAP, mapArgs...)
		return err
	})
	if !errors.Is(err, ptrace.ErrExited) {
		t.Errorf("got %v", err)
	}
}

func TestGrades(t *testing.T) {
	for line, want := range map[string]int{
		"running": fit, "": unfit, "-1 0x7f 0x7f": fit,
		"0 0x0 0x7f 0x1 0x0 0x0 0x0 0x7f 0x7f":    fit,     // read
		"35 0x7f 0x7f 0x0 0x0 0x0 0x0 0x7f 0x7f":  sleeper, // nanosleep
		"202 0x7f 0x80 0x2 0x0 0x0 0x0 0x7f 0x7f": fit,     // futex, for ever
		"202 0x7f 0x80 0x2 0x7f 0x0 0x0 0x7f 0x7": sleeper, // futex with a timeout
	} {
		if got := gradeSyscall(strings.Fields(line)); got != want {
			t.Errorf("%q: grade %d", line, got)
		}
	}
}

func TestChooseTID(t *testing.T) {
	p := testutils.StartProcess(t, nil, buildVictim(t, "healing.c"))
	p.Line()
	tid, err := ChooseTID(p.PID())
	if err != nil || tid != p.PID() { // it waits for input
		t.Errorf("chose %d of %d (%v)", tid, p.PID(), err)
	}
}

// TestLatency tells what a call costs.
func TestLatency(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic))
	tr, tg := newTracer(t), mustFind(t, v.PID())
	best := time.Hour
	for range 20 {
		err := tg.with(tr, 0, func(s *ptrace.Stop, c *Caller) error {
			began := time.Now()
			for range 10 {
				if _, err := c.Syscall(unix.SYS_GETPPID); err != nil {
					return err
				}
			}
			best = min(best, time.Since(began)/10)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%v a call", best)
	if best > time.Millisecond {
		t.Error("a call takes too long")
	}
	v.Quit()
}
