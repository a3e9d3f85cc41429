package ptrace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// ErrNoBreakpoint: the machine grants no hardware breakpoint.
var ErrNoBreakpoint = errors.New("no hardware breakpoint")

// Start has a program started, and leaves it stopped, as by SIGSTOP, and not
// traced. start runs on the tracer's thread, and returns the process's id; it
// must have the kernel trace the new process (syscall.SysProcAttr.Ptrace).
// After an error beside a pid the process is still there.
//
// With toEntry it has run to its entry point by then: its libraries are loaded
// and their constructors have run, nothing of its own has. Otherwise, or if
// there are no hardware breakpoints (the second result says so), it has not run
// at all, and only the program itself and its loader are mapped.
//
// The kernel ignores set-user-id bits of a program that is started traced.
func (t *Tracer) Start(start func() (pid int, err error), toEntry bool) (reached bool, err error) {
	err = t.Do(func() error {
		pid, err := start()
		if err == nil {
			reached, err = runToEntry(pid, toEntry)
		}
		return err
	})
	return reached, err
}

func runToEntry(pid int, toEntry bool) (reached bool, err error) {
	if err := waitTrap(context.Background(), pid, 0); err != nil { // the exec
		return false, err
	}
	return leaveAtEntry(pid, toEntry)
}

// leaveAtEntry lets go of a program that stands behind its exec.
func leaveAtEntry(pid int, toEntry bool) (reached bool, err error) {
	if toEntry {
		reached, err = breakAtEntry(pid)
		if err != nil && !errors.Is(err, ErrNoBreakpoint) {
			return false, err
		}
	}
	// It takes this signal before an instruction of its own. The trap, which may
	// be a signal too, is dropped.
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		return false, fmt.Errorf("stopping: %w", exited(err))
	}
	if err := resume(unix.PTRACE_DETACH, pid, 0); err != nil {
		return false, fmt.Errorf("letting go: %w", exited(err))
	}
	return reached, waitGroupStop(pid)
}

// Follow lets a child go on that Start has left stopped, until it executes
// another program: that is then left as Start leaves the first one. Nothing else
// of the child is changed meanwhile, and the processes that it forks are not
// followed. ErrExited: it has ended, and is there to be waited for.
//
// Only the main thread's exec is seen. After an error the child runs free, at the
// latest from Close on.
func (t *Tracer) Follow(ctx context.Context, pid int, toEntry bool) (reached bool, err error) {
	err = t.Do(func() error {
		if err := seize(pid); err != nil {
			return fmt.Errorf("seizing: %w", exited(err))
		}
		if err := Continue(pid); err != nil {
			return fmt.Errorf("resuming: %w", err)
		}
		if err := waitTrap(ctx, pid, unix.PTRACE_EVENT_EXEC); err != nil {
			return err
		}
		reached, err = leaveAtEntry(pid, toEntry)
		return err
	})
	return reached, err
}

// RunToWrite lets a child that Start has left stopped run until it has written to
// the 8 bytes at addr, or is about to execute the instruction at the address end (0
// for none), and leaves it stopped again as Start does.
func (t *Tracer) RunToWrite(pid int, addr, end uint64) error {
	return t.Do(func() error {
		if err := seize(pid); err != nil {
			return fmt.Errorf("seizing: %w", exited(err))
		}
		status, err := waitStop(pid)
		if err != nil {
			return err
		}
		control := uint64(breakOnWrite0)
		if end != 0 {
			control |= breakOnExecution1
		}
		if err := setDebugRegs(pid, addr, end, control); err != nil {
			return fmt.Errorf("%w: %w", ErrNoBreakpoint, err)
		}
		if err := errors.Join(passOn(pid, status), Continue(pid)); err != nil {
			return err
		}
		// Not to be broken off: the breakpoint would kill a program that runs free.
		if err := waitTrap(context.Background(), pid, 0); err != nil {
			return err
		}
		if err := setDebugRegs(pid, 0, 0, 0); err != nil {
			return fmt.Errorf("removing the breakpoints: %w", exited(err))
		}
		_, err = leaveAtEntry(pid, false)
		return err
	})
}

// waitStop waits for the stop that a seized process which stands still answers with.
func waitStop(pid int) (unix.WaitStatus, error) {
	for n := 0; ; n++ {
		status, ok, err := waitChildNow(pid)
		switch {
		case err != nil:
			return 0, fmt.Errorf("waiting: %w", err)
		case ok && !status.Stopped():
			return 0, ErrExited
		case ok:
			return status, nil
		}
		napAfter(n)
	}
}

// setDebugRegs sets the addresses of two breakpoints, and then what they are.
func setDebugRegs(pid int, first, second, control uint64) error {
	for _, w := range []struct {
		reg   uintptr
		value uint64
	}{{debugReg7, 0}, {debugReg0, first}, {debugReg0 + 8, second}, {debugReg7, control}} {
		if err := rawPtrace(unix.PTRACE_POKEUSR, pid, w.reg, uintptr(w.value)); err != nil {
			return err
		}
	}
	return nil
}

// passOn has a thread do what it would have done without a tracer.
func passOn(pid int, status unix.WaitStatus) error {
	request, sig := unix.PTRACE_CONT, status.StopSignal()
	if eventOf(status) != 0 {
		if eventOf(status) == unix.PTRACE_EVENT_STOP && sig != unix.SIGTRAP {
			request = unix.PTRACE_LISTEN // it is stopped, until SIGCONT
		}
		sig = 0
	}
	if err := resume(request, pid, sig); err != nil && !errors.Is(err, unix.ESRCH) { // killed: the wait tells
		return fmt.Errorf("resuming: %w", err)
	}
	return nil
}

// waitTrap waits until the main thread stands at a SIGTRAP with this event: 0, or
// a PTRACE_EVENT. Everything else is passed on. It takes as long as the program
// likes, and leaves its end to be waited for.
func waitTrap(ctx context.Context, pid, event int) error {
	const rest = 5 * time.Millisecond
	for n := 0; ctx.Err() == nil; n++ {
		status, ok, err := waitChildNow(pid)
		switch {
		case err != nil:
			return fmt.Errorf("waiting: %w", err)
		case !ok && n < 100:
			napAfter(n)
		case !ok:
			nap(rest)
		case !status.Stopped():
			return ErrExited
		case status.StopSignal() == unix.SIGTRAP && eventOf(status) == event:
			return nil
		default:
			if err := passOn(pid, status); err != nil {
				return err
			}
			n = 0
		}
	}
	return ctx.Err()
}

// Debug registers in the kernel's struct user (sys/user.h): u_debugreg.
const (
	debugReg0 = 848
	debugReg7 = debugReg0 + 7*8

	// DR7: a register enabled for this thread; what for, and on how many bytes.
	breakOnExecution0 = 1
	breakOnExecution1 = 1 << 2
	breakOnWrite0     = 1 | 1<<16 | 2<<18 // 8 bytes
)

// breakAtEntry lets a program that has just been exec'ed run to its entry.
func breakAtEntry(pid int) (bool, error) {
	const atEntry = 9
	auxv, err := procfs.Auxv(pid)
	if err != nil {
		return false, err
	}
	if err := setDebugRegs(pid, auxv[atEntry], 0, breakOnExecution0); err != nil {
		return false, fmt.Errorf("%w: %w", ErrNoBreakpoint, err)
	}
	if err := resume(unix.PTRACE_CONT, pid, 0); err != nil {
		return false, fmt.Errorf("resuming: %w", exited(err))
	}
	// Not to be broken off: the breakpoint would kill a program that runs free.
	if err := waitTrap(context.Background(), pid, 0); err != nil {
		return false, err
	}
	var regs unix.PtraceRegs
	if err := getRegs(pid, &regs); err != nil {
		return false, fmt.Errorf("reading registers: %w", exited(err))
	}
	if regs.Rip != auxv[atEntry] {
		return false, fmt.Errorf("it stopped at %#x instead of its entry %#x", regs.Rip, auxv[atEntry])
	}
	if err := setDebugRegs(pid, 0, 0, 0); err != nil {
		return false, fmt.Errorf("removing the breakpoint: %w", exited(err))
	}
	return true, nil
}

// waitGroupStop waits until the process stands still without being traced.
func waitGroupStop(pid int) error {
	for n := 0; ; n++ {
		st, err := procfs.ReadStat(pid)
		if err != nil || dead(st) {
			return ErrExited
		}
		if st.State == 'T' {
			return nil
		}
		napAfter(n)
	}
}

// Continue lets a process go on that Start has left stopped.
func Continue(pid int) error { return exited(unix.Kill(pid, unix.SIGCONT)) }
