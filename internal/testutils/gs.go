package testutils

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const stopTimeout = 5 * time.Second

// readGSBases fills in the GS base of every thread, which only a tracer can read, and
// drops the threads that have ended.
func readGSBases(pid int, threads map[int]Thread) error {
	result := make(chan error)
	go func() {
		// The kernel knows a tracer by its thread, and lets go of everything that a
		// thread traces when it ends: after an error it does, being still locked.
		runtime.LockOSThread()
		err := readGSBasesHere(pid, threads)
		if err == nil {
			runtime.UnlockOSThread()
		}
		result <- err
	}()
	return <-result
}

func readGSBasesHere(pid int, threads map[int]Thread) error {
	for tid, th := range threads {
		if th.State == 'Z' || th.State == 'X' {
			continue // a leader that ended before its threads has no registers
		}
		base, err := readGSBase(pid, tid)
		switch {
		case gone(err):
			delete(threads, tid)
		case err != nil:
			return fmt.Errorf("reading the GS base of thread %d (traced by %d): %w", tid, th.TracerPID, err)
		default:
			th.GSBase = base
			threads[tid] = th
		}
	}
	return nil
}

func readGSBase(pid, tid int) (base uint64, err error) {
	err = stopped(tid, func() error {
		var regs unix.PtraceRegs
		err := unix.PtraceGetRegs(tid, &regs)
		base = regs.Gs_base
		if err == nil && interrupted(regs) && !signalPending(pid, tid) {
			restart(&regs)
			err = unix.PtraceSetRegs(tid, &regs)
		}
		return err
	})
	return base, err
}

// stopped calls fn while one thread is stopped. The calling goroutine must be locked
// to its thread.
func stopped(tid int, fn func() error) error {
	if err := unix.PtraceSeize(tid); err != nil {
		return err
	}
	if err := unix.PtraceInterrupt(tid); err != nil {
		return err
	}
	if err := waitStopped(tid); err != nil {
		return err
	}
	return errors.Join(fn(), unix.PtraceDetach(tid))
}

// waitStopped waits for the stop that PTRACE_INTERRUPT asks for, and passes on the
// signals that come before it.
func waitStopped(tid int) error {
	for deadline := time.Now().Add(stopTimeout); time.Now().Before(deadline); {
		var status unix.WaitStatus
		got, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case got == 0:
			time.Sleep(50 * time.Microsecond)
		case !status.Stopped():
			return syscall.ESRCH
		case int(status)>>16 == unix.PTRACE_EVENT_STOP:
			return nil
		default:
			// The request to stop is answered by any stop (ptrace_stop in the kernel's
			// signal.c), so by this one, too.
			if err := unix.PtraceInterrupt(tid); err != nil {
				return err
			}
			if err := unix.PtraceCont(tid, int(status.StopSignal())); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("not stopped within %v", stopTimeout)
}

// interrupted tells that a system call is about to return EINTR because of our stop. The
// kernel restarts the other calls itself.
func interrupted(r unix.PtraceRegs) bool {
	return int64(r.Rax) == -int64(unix.EINTR) && int64(r.Orig_rax) >= 0
}

func restart(r *unix.PtraceRegs) {
	r.Rip -= 2 // back on the syscall instruction
	r.Rax = r.Orig_rax
	r.Orig_rax = ^uint64(0)
}

// signalPending: then EINTR is what the program must see.
func signalPending(pid, tid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", pid, tid))
	if err != nil {
		return false
	}
	f := statusFields(string(text))
	mask := func(key string) uint64 {
		n, _ := strconv.ParseUint(f[key], 16, 64)
		return n
	}
	return (mask("SigPnd")|mask("ShdPnd"))&^mask("SigBlk") != 0
}
