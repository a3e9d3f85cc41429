package ptrace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDoRunsOnOneThread(t *testing.T) {
	tr := newTracer(t)
	if tr.TID() == os.Getpid() {
		t.Error("the tracer took the main thread, which can never end")
	}
	for range 10 {
		err := tr.Do(func() error {
			if unix.Gettid() != tr.TID() {
				t.Errorf("on thread %d instead of %d", unix.Gettid(), tr.TID())
			}
			return tr.Do(func() error { return nil }) // nested
		})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
}

func TestClose(t *testing.T) {
	tr := newTracer(t)
	for range 2 {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := tr.Do(func() error { return nil }); err != ErrClosed {
		t.Errorf("Do: %v", err)
	}
	if _, err := tr.Stop(context.Background(), 1, StopOptions{}, nothing); err != ErrClosed {
		t.Errorf("Stop: %v", err)
	}
}

func TestPanicReleases(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	for range 10 {
		func() {
			defer func() {
				if got := recover(); got != "mine" {
					t.Errorf("recovered %v", got)
				}
			}()
			mustStop(t, tr, p.PID(), func(*Stop) error { panic("mine") })
		}()
		requireProgress(t, p)
	}
	mustStop(t, tr, p.PID(), nothing)
}

func TestGoexitReleases(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	done := make(chan bool)
	go func() {
		defer close(done)
		_, err := tr.Stop(context.Background(), p.PID(), StopOptions{}, func(*Stop) error {
			runtime.Goexit()
			return nil
		})
		t.Errorf("Stop returned %v", err)
	}()
	<-done
	requireProgress(t, p)
	if err := tr.Do(func() error { return nil }); err != ErrClosed {
		t.Errorf("Do after it: %v", err)
	}
}

// TestPriority: real-time during a stop, normal before and after.
func TestPriority(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "1")
	policy := func() uint32 {
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			return 0
		}
		return attr.Policy
	}
	var during, without, after uint32
	if r := mustStop(t, tr, p.PID(), func(*Stop) error { during = policy(); return nil }); !r.RealTime {
		t.Error("not reported")
	}
	r, err := tr.Stop(context.Background(), p.PID(), StopOptions{NoRealTime: true}, func(*Stop) error { without = policy(); return nil })
	if err != nil || r.RealTime {
		t.Errorf("report %+v, %v", r, err)
	}
	if err := tr.Do(func() error { after = policy(); return nil }); err != nil {
		t.Error(err)
	}
	if during != unix.SCHED_FIFO || without != unix.SCHED_NORMAL || after != unix.SCHED_NORMAL {
		t.Errorf("policies %d, %d without, %d after", during, without, after)
	}
}

// TestBusyRuntime stops a target while this process's scheduler and collector have
// much to do.
func TestBusyRuntime(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "4")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range 4 {
		go func() {
			for ctx.Err() == nil {
				runtime.GC()
			}
		}()
	}
	for range cycles(500, 50) {
		mustStop(t, tr, p.PID(), nothing)
	}
	requireProgress(t, p)
}

func TestStopThread(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "2")
	r, err := tr.StopThread(context.Background(), p.PID(), p.PID(), StopOptions{}, func(s *Stop, th *Thread) error {
		if len(s.Threads()) != 1 || th.TID() != p.PID() {
			t.Errorf("threads %v", s.Threads())
		}
		time.Sleep(20 * time.Millisecond)
		return nil
	})
	if err != nil || r.Threads != 1 {
		t.Errorf("report %+v, %v", r, err)
	}
	requireProgress(t, p)
	if _, err := tr.StopThread(context.Background(), p.PID(), os.Getpid(), StopOptions{}, nil); !errors.Is(err, ErrExited) {
		t.Errorf("a thread of another process: %v", err)
	}
}

const helperEnv = "FUNCTAP_PTRACE_TEST_HELPER"

// helper starts this test's program again, as a tracer of its own.
func helper(t *testing.T, what string, args ...any) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", helperEnv+"="+strings.TrimSpace(fmt.Sprintln(append([]any{what}, args...)...)))
	return cmd
}

// TestHelper is not a test: it is what a started helper does.
func TestHelper(t *testing.T) {
	f := strings.Fields(os.Getenv(helperEnv))
	if len(f) == 0 {
		return
	}
	var pid int
	if _, err := fmt.Sscan(f[1], &pid); err != nil {
		t.Fatal(err)
	}
	tr := newTracer(t)
	switch f[0] {
	case "hold": // holds the target until it is killed
		mustStop(t, tr, pid, func(*Stop) error {
			fmt.Println("held")
			select {}
		})
	case "loop": // stops it again and again until it is killed
		for fmt.Println("held"); ; {
			mustStop(t, tr, pid, nothing)
		}
	case "follow": // stops it until it has ended, through execs
		fmt.Println("held")
		var err error
		for execs := 0; err == nil || errors.Is(err, ErrExeced); {
			if _, err = tr.Stop(context.Background(), pid, StopOptions{}, nothing); err != nil {
				execs++
			}
			if execs > 20 {
				t.Fatal("too many execs are reported")
			}
		}
		if !errors.Is(err, ErrExited) && !errors.Is(err, ErrNoProcess) && !errors.Is(err, ErrZombie) {
			t.Fatal(err)
		}
	case "try": // tells how a stop ends
		_, err := tr.Stop(context.Background(), pid, StopOptions{}, nothing)
		for name, sentinel := range sentinels {
			if errors.Is(err, sentinel) {
				fmt.Println("is", name)
			}
		}
		fmt.Println("error", err)
	}
}

var sentinels = map[string]error{
	"permission": ErrPermission, "user": ErrOtherUser, "dumpable": ErrNotDumpable, "capabilities": ErrCapabilities,
	"namespace": ErrUserNamespace, "traced": ErrAlreadyTraced, "seccomp": ErrOwnSeccomp,
}

// startHelper returns when the helper has said "held".
func startHelper(t *testing.T, what string, pid int) *exec.Cmd {
	t.Helper()
	cmd := helper(t, what, pid)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(out)
	if !s.Scan() || s.Text() != "held" {
		cmd.Process.Kill()
		t.Fatalf("helper said %q", s.Text())
	}
	return cmd
}

// TestTracerKilled kills tracers at random moments. The target never stays stopped
// and never sees EINTR that it would not have seen.
func TestTracerKilled(t *testing.T) {
	p := start(t, "threads.c", "sleep", "8")
	for range cycles(100, 20) {
		cmd := startHelper(t, "loop", p.PID())
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() //nolint:errcheck // killed
		if s := state(t, p.PID()); s == 't' || s == 'T' {
			t.Fatalf("state %c after the tracer's death", s)
		}
		requireProgress(t, p)
	}
}
