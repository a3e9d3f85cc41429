package ptrace

import (
	"context"
	"errors"
	"fmt"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// A hardware breakpoint is the one kind that changes no memory. Like any, it kills a
// program that meets it when nobody traces it any more: each is taken away before a
// program is let go, whatever has gone wrong, except if the tracer is killed.

// Debug registers in the kernel's struct user (sys/user.h): u_debugreg.
const (
	debugReg0 = 848
	debugReg1 = debugReg0 + 8
	debugReg7 = debugReg0 + 7*8

	// DR7: a register enabled for this thread; what for, and on how many bytes.
	breakOnExecution0 = 1
	breakOnExecution1 = 1 << 2
	breakOnWrite0     = 1 | 1<<16 | 2<<18 // 8 bytes
)

// setDebugRegs sets the addresses of two breakpoints, and then what they are.
func setDebugRegs(pid int, first, second, control uint64) error {
	for _, w := range []struct {
		reg   uintptr
		value uint64
	}{{debugReg7, 0}, {debugReg0, first}, {debugReg1, second}, {debugReg7, control}} {
		if err := rawPtrace(unix.PTRACE_POKEUSR, pid, w.reg, uintptr(w.value)); err != nil {
			return err
		}
	}
	return nil
}

// trapHardware is the si_code of a debug register's trap (TRAP_HWBKPT in siginfo.h).
const trapHardware = 4

// atBreakpoint reports whether a stop is that of a debug register. Programs have SIGTRAPs
// of their own.
func atBreakpoint(pid int, status unix.WaitStatus) bool {
	if status.StopSignal() != unix.SIGTRAP || eventOf(status) != 0 {
		return false
	}
	info, err := getSigInfo(pid)
	return err == nil && info.Code == trapHardware
}

func atExec(status unix.WaitStatus) bool { return eventOf(status) == unix.PTRACE_EVENT_EXEC }

// runToBreakpoint lets a program that has just been exec'ed run to its entry. One that
// executes another program before, in a constructor, is followed there: an exec clears
// the debug registers.
func runToBreakpoint(ctx context.Context, pid int) (bool, error) {
	const atEntry = 9
	for {
		auxv, err := procfs.Auxv(pid)
		if err != nil {
			return false, err
		}
		execed, err := runTo(ctx, pid, func() error {
			return setDebugRegs(pid, auxv[atEntry], 0, breakOnExecution0)
		}, func() error { return resume(unix.PTRACE_CONT, pid, 0) })
		if err != nil || !execed {
			return err == nil, err
		}
	}
}

// runTo sets breakpoints in a program that stands still, lets it run to one of them or
// to an exec, and takes them away.
func runTo(ctx context.Context, pid int, set, run func() error) (execed bool, err error) {
	if err := set(); err != nil {
		return false, fmt.Errorf("%w: %w", ErrNoBreakpoint, err)
	}
	err = run()
	if err == nil {
		err = waitFor(ctx, pid, func(s unix.WaitStatus) bool {
			execed = atExec(s)
			return execed || atBreakpoint(pid, s)
		})
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return false, errors.Join(err, disarm(pid))
	}
	if cerr := setDebugRegs(pid, 0, 0, 0); err == nil && cerr != nil {
		err = fmt.Errorf("removing the breakpoints: %w", exited(cerr))
	}
	return execed, err
}

// disarm takes the breakpoints from a program that runs, and lets it go.
func disarm(pid int) error {
	if interrupt(pid) != nil {
		// Traced since its exec, and not seized: what started it ends it.
		return nil
	}
	status, err := waitStop(pid)
	if err != nil {
		return err
	}
	if err := setDebugRegs(pid, 0, 0, 0); err != nil {
		return fmt.Errorf("removing the breakpoints: %w", exited(err))
	}
	sig := status.StopSignal()
	if eventOf(status) != 0 || atBreakpoint(pid, status) {
		sig = 0
	}
	return exited(resume(unix.PTRACE_DETACH, pid, sig))
}

// RunToWrite lets a child that Start has left stopped run until it has written to
// the 8 bytes at addr, or is about to execute the instruction at the address end (0
// for none), and leaves it stopped again as Start does. If ctx ends before, it runs on.
func (t *Tracer) RunToWrite(ctx context.Context, pid int, addr, end uint64) error {
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
		execed, err := runTo(ctx, pid, func() error { return setDebugRegs(pid, addr, end, control) },
			func() error { return errors.Join(passOn(pid, status), Continue(pid)) })
		if err == nil && execed {
			err = ErrExeced
		}
		if err != nil {
			return err
		}
		_, err = leaveAtEntry(ctx, pid, false)
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
