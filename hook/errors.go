package hook

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/plan"
)

// Errors of this package. Each may be wrapped with the step in which it came
// up; test with errors.Is.
var (
	// ErrClosed: the Process was closed before.
	ErrClosed = os.ErrClosed
	// ErrExited: the target has ended.
	ErrExited = os.ErrProcessDone
	// ErrExeced: the target runs another program now; what was hooked is gone.
	ErrExeced = errors.New("the target has started another program (TARGET_EXECED)")
	// ErrLookOnly: the Process was attached to with AttachOptions.Look.
	ErrLookOnly = errors.New("attached for looking only")
	// ErrBusy: another live functap works on the target.
	ErrBusy = errors.New("another functap is attached to the target")
	// ErrUnpatchable: a function cannot be hooked; *UnpatchableError says why.
	ErrUnpatchable = errors.New("function cannot be hooked")
	// ErrBytesDiffer: the bytes in memory are not what was planned for: the
	// batch was refused whole, nothing was written.
	ErrBytesDiffer = errors.New("code in memory is not what was planned for (BYTES_DIFFER)")
	// ErrPauseTooLong: MaxPause was over before anything was changed.
	ErrPauseTooLong = fmt.Errorf("the target would stand still for too long (PAUSE_TOO_LONG): %w", context.DeadlineExceeded)
	// ErrNoMatch: a pattern matches no function; *NoMatchError has near names.
	ErrNoMatch = errors.New("no function matches")
	// ErrDraining: something of ours must stay in the target for now, since a
	// thread may still need it; Close again later, or recover.
	ErrDraining = errors.New("a part stays in the target until threads have left it (DRAINING)")
	// ErrFull: no room is left in the memory that was mapped into the target, since
	// too many attachments share the same functions. Closing some makes room.
	ErrFull = arena.ErrFull
	// ErrNoNearMemory: no room for generated code within reach of the functions.
	ErrNoNearMemory = arena.ErrNoNearMemory
)

// Refusal is the name of a reason for which a function is not hooked, such as
// TOO_SHORT. Its Explain method gives a sentence.
type Refusal = plan.Refusal

// UnpatchableError says why a function cannot be hooked. It is ErrUnpatchable.
type UnpatchableError struct {
	Function string
	Addr     uint64
	Reason   Refusal
	Detail   string
}

func (e *UnpatchableError) Error() string {
	s := fmt.Sprintf("%s at %#x cannot be hooked: %s", e.Function, e.Addr, e.Reason)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

// Is makes the error ErrUnpatchable.
func (e *UnpatchableError) Is(target error) bool { return target == ErrUnpatchable }
