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
	ctx := context.Background()                   // its starter kills it rather than wait
	if err := waitTrap(ctx, pid, 0); err != nil { // the exec
		return false, err
	}
	// So that another exec, by a constructor, can be told from other traps.
	if err := rawPtrace(unix.PTRACE_SETOPTIONS, pid, 0, seizeOptions); err != nil {
		return false, fmt.Errorf("setting options: %w", exited(err))
	}
	return leaveAtEntry(ctx, pid, toEntry)
}

// leaveAtEntry lets go of a program that stands behind its exec.
func leaveAtEntry(ctx context.Context, pid int, toEntry bool) (reached bool, err error) {
	if toEntry {
		reached, err = runToBreakpoint(ctx, pid)
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
		reached, err = leaveAtEntry(ctx, pid, toEntry)
		return err
	})
	return reached, err
}

// passOn has a thread do what it would have done without a tracer. A signal that the
// process ignores does not come to a thread that is not traced; here it has ended a
// system call, which is made again.
func passOn(pid int, status unix.WaitStatus) error {
	request, sig := unix.PTRACE_CONT, status.StopSignal()
	switch {
	case eventOf(status) != 0:
		if eventOf(status) == unix.PTRACE_EVENT_STOP && sig != unix.SIGTRAP {
			request = unix.PTRACE_LISTEN // it is stopped, until SIGCONT
		}
		sig = 0
	case ignored(pid)&signalSet(sig) != 0:
		th := &Thread{tid: pid, state: stopped}
		th.rewind()
		if err := th.Flush(); err != nil {
			return err
		}
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
	return waitFor(ctx, pid, func(status unix.WaitStatus) bool {
		return status.StopSignal() == unix.SIGTRAP && eventOf(status) == event
	})
}

func waitFor(ctx context.Context, pid int, wanted func(unix.WaitStatus) bool) error {
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
		case wanted(status):
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
