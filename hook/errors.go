package hook

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/plan"
	"github.com/functap/functap/internal/ptrace"
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
	// ErrNotHeld: a program that was started held was continued by somebody else.
	ErrNotHeld = ptrace.ErrNotHeld
	// ErrLookOnly: the Process was attached to with AttachOptions.Look.
	ErrLookOnly = errors.New("attached for looking only")
	// ErrBusy: another live functap works on the target.
	ErrBusy = errors.New("another functap is attached to the target")
	// ErrUnpatchable: a function cannot be hooked; *UnpatchableError says why.
	ErrUnpatchable = errors.New("function cannot be hooked")
	// ErrNoExit: a function's return cannot be hooked; *NoExitError says why.
	ErrNoExit = errors.New("function's return cannot be hooked")
	// ErrBytesDiffer: the bytes in memory are not what was planned for: the
	// batch was refused whole, nothing was written.
	ErrBytesDiffer = errors.New("code in memory is not what was planned for (BYTES_DIFFER)")
	// ErrPauseTooLong: MaxPause was over before anything was changed.
	// It is context.DeadlineExceeded too.
	ErrPauseTooLong error = pauseError{}
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

type pauseError struct{}

func (pauseError) Error() string {
	return "the target would stand still for too long (PAUSE_TOO_LONG)"
}

func (pauseError) Is(target error) bool { return target == context.DeadlineExceeded }

// Refusal is the name of a reason for which a function is not hooked, such as
// TOO_SHORT. Its Explain method gives a sentence.
type Refusal = plan.Refusal

// The reasons, which package plan and the checks of the running process give.
const (
	// TooShort: the function ends before the jump does, and what follows is not
	// filler that may be overwritten; nor is there filler near enough for a short
	// jump.
	TooShort = plan.TooShort // TOO_SHORT
	// JumpIntoWindow: something may bring a thread to a byte that the jump would
	// overwrite, other than the first.
	JumpIntoWindow = plan.JumpIntoWindow // JUMP_INTO_WINDOW
	// WindowTaken: another function begins inside the bytes to overwrite.
	WindowTaken = plan.WindowTaken // WINDOW_TAKEN
	// DecodeUnknown: the bytes at the entry are not instructions known to us.
	DecodeUnknown = plan.DecodeUnknown // DECODE_UNKNOWN
	// UnsupportedInsn: an instruction to displace cannot be moved.
	UnsupportedInsn = plan.UnsupportedInsn // UNSUPPORTED_INSN
	// CrossesPage: the jump would lie in two pages, which no single write changes
	// at once.
	CrossesPage = plan.CrossesPage // CROSSES_PAGE
	// NeverHook: the function runs where no hook may.
	NeverHook = plan.NeverHook // NEVER_HOOK
	// NotAnEntry: the name is not the start of a function: a cold part, a PLT
	// slot, or an address outside of code.
	NotAnEntry = plan.NotAnEntry // NOT_AN_ENTRY
	// Assembly: a Go function written in assembly.
	Assembly = plan.Assembly // ASSEMBLY
	// IFuncResolver: the symbol names a resolver that runs once while loading.
	IFuncResolver = plan.IFuncResolver // IFUNC_RESOLVER
	// RSEQ: the function holds a restartable sequence.
	RSEQ = plan.RSEQ // RSEQ
	// RelocRange: the displaced instructions refer to something that is out of
	// reach from every place near enough to jump to. A plan does not say where the
	// copy will be, so it is for whoever places it to find this.
	RelocRange = plan.RelocRange // RELOC_RANGE
	// DataInWindow: an instruction elsewhere reads the bytes to overwrite.
	DataInWindow = plan.DataInWindow // DATA_IN_WINDOW
	// BytesDiffer: the code in memory is not that of the file.
	BytesDiffer = plan.BytesDiffer // BYTES_DIFFER
	// ForeignPatch: a breakpoint or somebody else's jump is there.
	ForeignPatch = plan.ForeignPatch // FOREIGN_PATCH
	// Unloaded: the library is no longer mapped where it was.
	Unloaded = plan.Unloaded // UNLOADED
	// ShadowStack: the function begins with a call, which its copy makes by a
	// push and a jump; a hardware shadow stack would not match.
	ShadowStack = plan.ShadowStack // SHADOW_STACK
	// GoParked: a suspended goroutine goes on inside the bytes to overwrite.
	GoParked = plan.GoParked // GO_PARKED

	// ReturnsTwice: it keeps its return address and goes there again later.
	ReturnsTwice = plan.ReturnsTwice // RETURNS_TWICE
	// SwitchesStack: it leaves for another stack, or further up its own.
	SwitchesStack = plan.SwitchesStack // SWITCHES_STACK
	// CalleePops: it takes its arguments off the stack when it returns.
	CalleePops = plan.CalleePops // CALLEE_POPS
	// ReadsRA: it looks at its return address.
	ReadsRA = plan.ReadsRA // READS_RA
	// Unwinder: it walks the stack, or the walk depends on it.
	Unwinder = plan.Unwinder // UNWINDER
	// NoReturn: it does not return.
	NoReturn = plan.NoReturn // NO_RETURN
	// LoopsToEntry: a jump may come to the entry with something else than a return
	// address on the stack.
	LoopsToEntry = plan.LoopsToEntry // LOOPS_TO_ENTRY
	// GoStack: a Go function, whose return addresses the runtime reads.
	GoStack = plan.GoStack // GO_STACK
)

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

// NoExitError says why a function's return cannot be hooked, though its entry may be. It
// is ErrNoExit.
type NoExitError struct {
	Function string
	Addr     uint64
	Reason   Refusal
	Detail   string
}

func (e *NoExitError) Error() string {
	s := fmt.Sprintf("the return of %s at %#x cannot be hooked: %s", e.Function, e.Addr, e.Reason)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

// Is makes the error ErrNoExit.
func (e *NoExitError) Is(target error) bool { return target == ErrNoExit }
