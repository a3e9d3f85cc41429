package ptrace

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Step lets the thread execute one instruction, with registers flushed. A
// signal that arrives instead is kept for the thread's release. Like every
// trap flag, it would kill the thread if the tracer died meanwhile: it is for
// tests that look at each instruction, not for use on targets.
func (th *Thread) Step(limit time.Duration) error {
	if err := th.Flush(); err != nil {
		return err
	}
	th.have, th.state = false, running
	if err := resume(unix.PTRACE_SINGLESTEP, th.tid, 0); err != nil {
		th.state = gone
		return fmt.Errorf("stepping thread %d: %w", th.tid, exited(err))
	}
	kept := th.sig
	status, err := th.await(limit)
	if err != nil {
		return err
	}
	if th.accept(status); th.sig == unix.SIGTRAP {
		th.sig = kept
	}
	return nil
}

// Unstep takes the trap flag of Step from the thread, which stays where it is: the kernel
// does so when the thread goes on, and it is told to stop before its next instruction.
func (th *Thread) Unstep() error {
	if err := interrupt(th.tid); err != nil {
		return fmt.Errorf("stopping thread %d: %w", th.tid, exited(err))
	}
	if err := th.Flush(); err != nil {
		return err
	}
	if kept := th.sig; !th.goOn(0) {
		return fmt.Errorf("stopping thread %d: %w", th.tid, ErrExited)
	} else if th.sig == 0 {
		th.sig = kept
	}
	return nil
}
