package ptrace

import (
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

// TestNoEINTR stops a process that has a thread in each kind of blocking call.
func TestNoEINTR(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "eintr.c")
	n, rewound := cycles(50, 10), 0
	for range n {
		rewound += mustStop(t, tr, v.PID(), nothing).Rewound
		time.Sleep(5 * time.Millisecond)
	}
	if rewound < 10*n {
		t.Errorf("%d system calls rewound in %d stops", rewound, n)
	}
	v.Quit()
}

// TestGenuineEINTR sends a signal to every blocked thread, first without a stop,
// then during one: the calls that returned EINTR before must do so again.
func TestGenuineEINTR(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "eintr.c", "--expect")
	before := v.Report()
	for hasZero(before) { // a thread that has not come so far
		before = v.Report()
	}
	if err := signalAll(v.PID(), before); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	without := v.Report()
	mustStop(t, tr, v.PID(), func(*Stop) error { return signalAll(v.PID(), before) })
	time.Sleep(500 * time.Millisecond)
	with := v.Report()
	kinds := 0
	for key := range with.Info {
		if !strings.HasPrefix(key, "eintr ") || without.Info[key] == before.Info[key] {
			continue
		}
		kinds++
		if with.Info[key] == without.Info[key] {
			t.Errorf("%s: not seen when the signal came during a stop", key)
		}
	}
	if kinds < 30 {
		t.Errorf("only %d kinds of calls return EINTR", kinds)
	}
	v.Quit()
}

func hasZero(r testutils.Report) bool {
	for key, tid := range r.Info {
		if strings.HasPrefix(key, "tid ") && tid == 0 {
			return true
		}
	}
	return false
}

// signalAll sends SIGUSR1 to the threads that the report names.
func signalAll(pid int, r testutils.Report) error {
	for key, tid := range r.Info {
		if !strings.HasPrefix(key, "tid ") {
			continue
		}
		if err := unix.Tgkill(pid, int(tid), unix.SIGUSR1); err != nil {
			return err
		}
	}
	return nil
}

// TestQueuedSignals queues signals with ascending values while the receiver is
// stopped again and again. The receiver itself checks order and siginfo.
func TestQueuedSignals(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "signals.c")
	tid := number(t, p, "tid")
	const total = 10000
	sent := make(chan error, 1)
	go func() {
		for i := range total {
			if err := queue(p.PID(), tid, i); err != nil {
				sent <- err
				return
			}
			if i%50 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		sent <- nil
	}()
	stops := 0
	for done := false; !done; stops++ {
		mustStop(t, tr, p.PID(), func(*Stop) error { time.Sleep(200 * time.Microsecond); return nil })
		select {
		case err := <-sent:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
	}
	testutils.Eventually(t, 5*time.Second, "all signals received", func() error {
		if number(t, p, "count") != total {
			return unix.EAGAIN
		}
		return nil
	})
	t.Logf("%d stops", stops)
}

// TestGroupStopIsKept: a target that job control has stopped stays so.
func TestGroupStopIsKept(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	p.Signal(unix.SIGSTOP)
	awaitState(t, p.PID(), 'T')
	for range cycles(50, 10) {
		mustStop(t, tr, p.PID(), func(s *Stop) error {
			for _, th := range s.Threads() {
				if !th.GroupStopped() {
					t.Errorf("thread %d is not in a group stop", th.TID())
				}
			}
			return nil
		})
		awaitState(t, p.PID(), 'T')
	}
	p.Signal(unix.SIGCONT)
	requireProgress(t, p)
}

// TestContinueDuringStop: SIGCONT that arrives during a stop takes effect after it.
func TestContinueDuringStop(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	for range cycles(20, 5) {
		p.Signal(unix.SIGSTOP)
		awaitState(t, p.PID(), 'T')
		mustStop(t, tr, p.PID(), func(*Stop) error { p.Signal(unix.SIGCONT); return nil })
		requireProgress(t, p)
	}
}

// TestStopSignalDuringStop: SIGSTOP that arrives during a stop takes effect after it.
func TestStopSignalDuringStop(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	for range cycles(20, 5) {
		mustStop(t, tr, p.PID(), func(*Stop) error { p.Signal(unix.SIGSTOP); return nil })
		awaitState(t, p.PID(), 'T')
		p.Signal(unix.SIGCONT)
		requireProgress(t, p)
	}
}

// TestStopSignalRaces sends SIGSTOP and SIGCONT at any moment of a stop.
func TestStopSignalRaces(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	for i := range cycles(200, 40) {
		p.Signal(unix.SIGSTOP)
		time.Sleep(time.Duration(i%10) * 20 * time.Microsecond)
		mustStop(t, tr, p.PID(), nothing)
		awaitState(t, p.PID(), 'T')
		p.Signal(unix.SIGCONT)
		mustStop(t, tr, p.PID(), nothing)
		requireProgress(t, p)
	}
}

// TestNeverStopped looks at the state of a target that is stopped by us only.
func TestNeverStopped(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "2")
	for range cycles(200, 40) {
		mustStop(t, tr, p.PID(), nothing)
		if s := state(t, p.PID()); s == 'T' || s == 't' {
			t.Fatalf("state %c after a stop", s)
		}
	}
}

func awaitState(t *testing.T, pid int, want byte) {
	t.Helper()
	testutils.Eventually(t, 3*time.Second, "state "+string(want), func() error {
		if state(t, pid) != want {
			return unix.EAGAIN
		}
		return nil
	})
}

// requireProgress checks that the threads work.
func requireProgress(t *testing.T, p *testutils.Process) {
	t.Helper()
	before := number(t, p, "count")
	testutils.Eventually(t, 3*time.Second, "progress", func() error {
		if number(t, p, "count") == before {
			return unix.EAGAIN
		}
		return nil
	})
}

// TestStopsAfterASignal: a thread that stops for a signal first has answered the request to
// stop by that, and must be asked again, or it runs on while all others stand still.
func TestStopsAfterASignal(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "signals.c")
	tid := number(t, p, "tid")
	for n := range 20 {
		err := tr.Do(func() error {
			th := &Thread{tid: tid}
			if err := seize(tid); err != nil {
				return err
			}
			if err := queue(p.PID(), tid, n); err != nil { // it stops for this, and nobody interrupts it
				return err
			}
			for i := 0; !th.poll(); i++ {
				if i == 1000 {
					t.Errorf("%+v has not stopped", describeStuck(tid))
					interrupt(tid) //nolint:errcheck // so that it can be let go
				}
				nap(time.Millisecond)
			}
			if th.state != stopped || th.sig != 0 {
				t.Errorf("state %d, signal %d", th.state, th.sig)
			}
			return resume(unix.PTRACE_DETACH, tid, 0)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	testutils.Eventually(t, 5*time.Second, "all signals received", func() error {
		if number(t, p, "count") != 20 {
			return unix.EAGAIN
		}
		return nil
	})
}
