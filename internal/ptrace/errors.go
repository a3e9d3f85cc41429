package ptrace

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a target. Errors of this package wrap one of these and
// say in addition what was found and what helps.
var (
	ErrNoProcess     = errors.New("no such process")
	ErrSelf          = errors.New("a process cannot trace itself")
	ErrZombie        = errors.New("process has ended and waits for its parent (zombie)")
	ErrKernelThread  = errors.New("kernel thread")
	ErrAlreadyTraced = errors.New("already traced")
	ErrPermission    = errors.New("not permitted to trace")
)

// Causes of ErrPermission; each of them is also an ErrPermission.
var (
	ErrHidden        = permission("process is hidden")
	ErrYama          = permission("the Yama security module forbids it")
	ErrOtherUser     = permission("process belongs to another user")
	ErrNotDumpable   = permission("process is not dumpable")
	ErrUserNamespace = permission("process lives in another user namespace")
	ErrCapabilities  = permission("process has capabilities that the tracer lacks")
	ErrOwnSeccomp    = permission("the tracer itself is restricted by seccomp")
)

func permission(cause string) error { return fmt.Errorf("%w: %s", ErrPermission, cause) }

// What can go wrong during a stop. The target has been released unharmed.
var (
	ErrThreadStuck     = errors.New("thread does not stop")
	ErrThreadsUnstable = errors.New("threads keep appearing")
	ErrSharedVM        = errors.New("memory is shared with another process")
	ErrExited          = errors.New("process has exited")
	ErrNotHeld         = errors.New("process does not stand still any more, since somebody has continued it (NOT_HELD)")
	ErrExeced          = errors.New("process has executed another program")
)

// TracedError is an ErrAlreadyTraced.
type TracedError struct {
	TracerPID int
	Name      string // of the tracer, as in its comm file; may be empty
}

func (e *TracedError) Error() string {
	return fmt.Sprintf("%v by %s (pid %d); end that session first", ErrAlreadyTraced, e.Name, e.TracerPID)
}

// Unwrap makes the error an ErrAlreadyTraced.
func (e *TracedError) Unwrap() error { return ErrAlreadyTraced }

// StuckThread tells where a thread was that did not stop.
type StuckThread struct {
	TID   int
	State byte   // as in its stat file: D is an uninterruptible wait
	Wchan string // kernel function it waits in, if that may be known
}

// StuckError is an ErrThreadStuck.
type StuckError struct{ Threads []StuckThread }

func (e *StuckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v in time:", ErrThreadStuck)
	for _, t := range e.Threads {
		fmt.Fprintf(&b, " tid %d (state %c, in %s)", t.TID, t.State, t.Wchan)
	}
	return b.String()
}

// Unwrap makes the error an ErrThreadStuck.
func (e *StuckError) Unwrap() error { return ErrThreadStuck }

// SharedVMError is an ErrSharedVM.
type SharedVMError struct{ PIDs []int }

func (e *SharedVMError) Error() string {
	return fmt.Sprintf("%v %v, which would run while the target is stopped (vfork or clone with CLONE_VM)", ErrSharedVM, e.PIDs)
}

// Unwrap makes the error an ErrSharedVM.
func (e *SharedVMError) Unwrap() error { return ErrSharedVM }
