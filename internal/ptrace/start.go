package ptrace

import (
	"errors"
	"fmt"

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
	if err := waitTrap(pid); err != nil { // the exec
		return false, err
	}
	if toEntry {
		reached, err = breakAtEntry(pid)
		if err != nil && !errors.Is(err, ErrNoBreakpoint) {
			return false, err
		}
	}
	// The trap is a signal to be delivered: another one is put in its place.
	if err := resume(unix.PTRACE_DETACH, pid, unix.SIGSTOP); err != nil {
		return false, fmt.Errorf("letting go: %w", exited(err))
	}
	return reached, waitGroupStop(pid)
}

// waitTrap waits until the only thread stands at a SIGTRAP. Other signals are
// delivered.
func waitTrap(pid int) error {
	for {
		var status unix.WaitStatus
		_, err := ignoringEINTR(func() (int, error) { return unix.Wait4(pid, &status, unix.WALL, nil) })
		switch {
		case err != nil:
			return fmt.Errorf("waiting: %w", err)
		case !status.Stopped():
			return ErrExited
		case status.StopSignal() == unix.SIGTRAP:
			return nil
		}
		if err := resume(unix.PTRACE_CONT, pid, status.StopSignal()); err != nil {
			return fmt.Errorf("resuming: %w", exited(err))
		}
	}
}

// Debug registers in the kernel's struct user (sys/user.h): u_debugreg.
const (
	debugReg0 = 848
	debugReg7 = debugReg0 + 7*8

	breakOnExecution0 = 1 // DR7: register 0 enabled for this thread, one byte, execution
)

// breakAtEntry lets a program that has just been exec'ed run to its entry.
func breakAtEntry(pid int) (bool, error) {
	const atEntry = 9
	auxv, err := procfs.Auxv(pid)
	if err != nil {
		return false, err
	}
	for _, w := range []struct{ reg, value uint64 }{{debugReg0, auxv[atEntry]}, {debugReg7, breakOnExecution0}} {
		if err := rawPtrace(unix.PTRACE_POKEUSR, pid, uintptr(w.reg), uintptr(w.value)); err != nil {
			return false, fmt.Errorf("%w: %w", ErrNoBreakpoint, err)
		}
	}
	if err := resume(unix.PTRACE_CONT, pid, 0); err != nil {
		return false, fmt.Errorf("resuming: %w", exited(err))
	}
	if err := waitTrap(pid); err != nil {
		return false, err
	}
	var regs unix.PtraceRegs
	if err := getRegs(pid, &regs); err != nil {
		return false, fmt.Errorf("reading registers: %w", exited(err))
	}
	if regs.Rip != auxv[atEntry] {
		return false, fmt.Errorf("it stopped at %#x instead of its entry %#x", regs.Rip, auxv[atEntry])
	}
	for _, reg := range []uintptr{debugReg7, debugReg0} {
		if err := rawPtrace(unix.PTRACE_POKEUSR, pid, reg, 0); err != nil {
			return false, fmt.Errorf("removing the breakpoint: %w", exited(err))
		}
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
