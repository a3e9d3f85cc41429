package ptrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

// TestExitDuringStop stops a process that ends at some moment.
func TestExitDuringStop(t *testing.T) {
	tr := newTracer(t)
	path := testutils.Build(t, "exiter.c", testutils.CDynamic)
	for i := range cycles(60, 15) {
		v := testutils.Start(t, path, "5000", strconv.Itoa(i), "8")
		v.MayExit()
		v.Send("start")
		var err error
		for began := time.Now(); err == nil && time.Since(began) < 5*time.Second; {
			_, err = tr.Stop(context.Background(), v.PID(), StopOptions{}, nothing)
		}
		if !errors.Is(err, ErrExited) && !errors.Is(err, ErrNoProcess) && !errors.Is(err, ErrZombie) {
			t.Errorf("got %v", err)
		}
		var status *exec.ExitError
		if err := v.Wait(); !errors.As(err, &status) || status.ExitCode() != 7 {
			t.Errorf("its parent saw %v", err)
		}
	}
}

// TestKilledDuringStop kills the target while it is held.
func TestKilledDuringStop(t *testing.T) {
	tr := newTracer(t)
	for range cycles(20, 5) {
		v := victim(t, "count.c")
		v.MayExit()
		_, err := tr.Stop(context.Background(), v.PID(), StopOptions{}, func(s *Stop) error {
			if err := unix.Kill(s.PID(), unix.SIGKILL); err != nil {
				return err
			}
			for { // until it is dead, any access fails and none hangs
				if _, err := getSigMaskOf(s.Threads()); err != nil {
					return nil
				}
			}
		})
		if !errors.Is(err, ErrExited) {
			t.Errorf("got %v", err)
		}
		if err := v.Wait(); err == nil {
			t.Error("its parent saw a normal end")
		}
	}
}

func getSigMaskOf(threads []*Thread) (mask uint64, err error) {
	for _, th := range threads {
		if mask, err = th.SigMask(); err != nil {
			return 0, err
		}
	}
	return mask, nil
}

// TestExecDuringStop stops a process of which a thread that is not the main
// thread executes a program at some moment.
func TestExecDuringStop(t *testing.T) {
	tr := newTracer(t)
	path := testutils.Build(t, "execer.c", testutils.CDynamic)
	execed := 0
	for i := range cycles(100, 25) {
		v := testutils.Start(t, path, "3000", strconv.Itoa(i))
		base, err := imageID(v.PID())
		if err != nil {
			t.Fatal(err)
		}
		v.Send("start")
		for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
			_, err := tr.Stop(context.Background(), v.PID(), StopOptions{}, nothing)
			if errors.Is(err, ErrExeced) {
				execed++
			} else if err != nil {
				t.Fatalf("round %d: %v", i, err)
			}
		}
		testutils.Eventually(t, 5*time.Second, "new program", func() error {
			id, err := imageID(v.PID())
			if err == nil && id == base {
				return unix.EAGAIN
			}
			return err
		})
		for line := v.Line(); line != fmt.Sprintf("ready %d", v.PID()); line = v.Line() {
			if line != "started" {
				t.Fatalf("victim said %q", line)
			}
		}
		v.Quit()
	}
	if rounds := cycles(100, 25); execed > 2*rounds {
		t.Errorf("%d stops met an exec, of which there were %d", execed, rounds)
	}
}

// TestStrangers does the same from a tracer that is not the target's parent: the
// kernel then reports ends and execs in another way.
func TestStrangers(t *testing.T) {
	execer := testutils.Build(t, "execer.c", testutils.CDynamic)
	exiter := testutils.Build(t, "exiter.c", testutils.CDynamic)
	for i := range cycles(50, 10) {
		v := testutils.Start(t, execer, "3000", strconv.Itoa(i))
		tracer := startHelper(t, "follow", v.PID())
		v.Send("start")
		for line := v.Line(); line != fmt.Sprintf("ready %d", v.PID()); line = v.Line() {
			if line != "started" {
				t.Fatalf("victim said %q", line)
			}
		}
		v.Quit()
		if err := tracer.Wait(); err != nil {
			t.Errorf("tracer of an execer, round %d: %v", i, err)
		}

		v = testutils.Start(t, exiter, "5000", strconv.Itoa(i), "8")
		v.MayExit()
		tracer = startHelper(t, "follow", v.PID())
		v.Send("start")
		var status *exec.ExitError
		if err := v.Wait(); !errors.As(err, &status) || status.ExitCode() != 7 {
			t.Errorf("its parent saw %v", err)
		}
		if err := tracer.Wait(); err != nil {
			t.Errorf("tracer of an exiter, round %d: %v", i, err)
		}
	}
}

// imageID identifies a program image: the address of its random bytes changes.
func imageID(pid int) (uint64, error) {
	const atRandom = 25
	a, err := procfs.Auxv(pid)
	return a[atRandom], err
}

// TestZombieLeader: the main thread has ended, the others are stopped.
func TestZombieLeader(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "zombie_leader.c")
	for range cycles(20, 5) {
		r := mustStop(t, tr, v.PID(), func(s *Stop) error {
			var b [8]byte
			regs, err := s.Threads()[0].Regs()
			if err != nil {
				return err
			}
			_, err = s.Mem().ReadAt(b[:], int64(regs.Rsp))
			return err
		})
		if r.Threads != 3 {
			t.Errorf("%d threads", r.Threads)
		}
	}
	v.Run(10)
	v.Quit()
}

// TestChildrenOfEmbedder runs programs beside stops: their ends must be theirs.
func TestChildrenOfEmbedder(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "count.c")
	done := make(chan error)
	go func() {
		for range 100 {
			if err := exec.Command("/bin/true").Run(); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		mustStop(t, tr, v.PID(), nothing)
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("a child of the tracing process: %v", err)
			}
			return
		default:
		}
	}
}

// TestForker stops a process that forks, vforks and spawns without pause. Its
// children must never be touched, and shared memory never be seen.
func TestForker(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "forker.c", "2")
	v.StartLoad()
	for range cycles(200, 40) {
		mustStop(t, tr, v.PID(), func(s *Stop) error {
			for _, th := range s.Threads() {
				if sharing, err := s.sharingChildren(s.PID(), th.TID()); err != nil || len(sharing) > 0 {
					t.Errorf("sharing memory during a stop: %v %v", sharing, err)
				}
			}
			return nil
		})
		time.Sleep(time.Millisecond)
	}
	v.StopLoad()
	v.Quit()
}

// TestSharedVM: a child that shares the memory is waited for, but not for ever,
// and nobody is held meanwhile.
func TestSharedVM(t *testing.T) {
	for _, kind := range []string{"vfork", "clone"} {
		t.Run(kind, func(t *testing.T) {
			tr := newTracer(t)
			p := start(t, "sharers.c", kind, "1000")
			began := time.Now()
			_, err := tr.Stop(context.Background(), p.PID(), StopOptions{MaxStop: 200 * time.Millisecond}, nothing)
			var shared *SharedVMError
			if !errors.Is(err, ErrSharedVM) || !errors.As(err, &shared) || len(shared.PIDs) != 1 {
				t.Errorf("got %v", err)
			}
			if took := time.Since(began); took < 150*time.Millisecond || took > time.Second {
				t.Errorf("given up after %v", took)
			}
			if n := number(t, p, "count"); n != 0 {
				t.Fatalf("the child has ended too early for this test")
			}
			_, err = tr.Stop(context.Background(), p.PID(), StopOptions{MaxStop: 5 * time.Second}, nothing)
			if err != nil {
				t.Errorf("waiting for the child's end: %v", err)
			}
			if n := number(t, p, "count"); n > 1 {
				t.Errorf("%d children ended", n)
			}
		})
	}
}

// TestWorkers: kernel workers of io_uring are no threads of ours.
func TestWorkers(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "sharers.c", "uring", "0")
	tids, err := procfs.Tasks(p.PID())
	if err != nil || len(tids) < 3 {
		t.Fatalf("tasks %v (%v): no workers", tids, err)
	}
	for range cycles(50, 10) {
		if r := mustStop(t, tr, p.PID(), nothing); r.Threads != 1 {
			t.Errorf("%d threads", r.Threads)
		}
	}
	if s := state(t, p.PID()); s == 't' {
		t.Errorf("state %c", s)
	}
}

// TestStuck: a thread in an uninterruptible wait. A file system that never answers
// puts it there.
func TestStuck(t *testing.T) {
	dir := hangingFileSystem(t)
	tr := newTracer(t)
	p := start(t, "threads.c", "sleep", "3")
	before := number(t, p, "count")
	cat := exec.Command("/bin/sh", "-c", "exec cat "+dir+"/file")
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	awaitState(t, cat.Process.Pid, 'D')
	began := time.Now()
	_, err := tr.Stop(context.Background(), cat.Process.Pid, StopOptions{MaxStop: 300 * time.Millisecond}, nothing)
	var stuck *StuckError
	if !errors.Is(err, ErrThreadStuck) || !errors.As(err, &stuck) || stuck.Threads[0].State != 'D' {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %v", took)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := tr.Stop(ctx, cat.Process.Pid, StopOptions{}, nothing); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a context that ends: %v", err)
	}
	mustStop(t, tr, p.PID(), nothing) // another target, while one lingers
	if err := cat.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	testutils.Eventually(t, 2*time.Second, "end of the stuck process", func() error { return reap(cat.Process.Pid) })
	if number(t, p, "count") == before {
		t.Error("the other target does not work")
	}
}

// reap collects the child if it has ended: its end must have been passed on.
func reap(pid int) error {
	var status unix.WaitStatus
	got, err := unix.Wait4(pid, &status, unix.WNOHANG, nil)
	if err == nil && got == 0 {
		return unix.EAGAIN
	}
	if err == nil && !status.Signaled() {
		return fmt.Errorf("status %#x", status)
	}
	return err
}

// hangingFileSystem mounts one whose server answers nothing.
func hangingFileSystem(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ft-fuse-")
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("opening /dev/fuse (root and a kernel with FUSE are needed): %v", err)
	}
	opts := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd)
	if err := unix.Mount("functap-test", dir, "fuse", 0, opts); err != nil {
		t.Fatalf("mounting: %v", err)
	}
	t.Cleanup(func() {
		unix.Close(fd)
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		os.Remove(dir)
	})
	return dir
}
