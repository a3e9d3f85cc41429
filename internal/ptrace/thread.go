package ptrace

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Thread is one stopped thread. Its methods may only be used within the function
// given to Stop or StopThread.
type Thread struct {
	tid   int
	state threadState
	child bool        // main thread of a child of the tracing process
	group bool        // stands in a group stop (SIGSTOP and the like)
	sig   unix.Signal // to be delivered when it goes on
	regs  unix.PtraceRegs
	have  bool // regs holds its registers
	dirty bool // regs differ from the kernel's
}

type threadState int

const (
	running threadState = iota // told to stop, has not yet
	stopped
	execed   // stopped, but in another program
	vanished // not ours any more: ended or renamed by an exec
	gone     // ended
)

// TID is the thread's id in the tracer's pid namespace.
func (th *Thread) TID() int { return th.tid }

// GroupStopped tells whether job control (SIGSTOP, SIGTSTP...) had stopped the
// thread. It stays stopped after the release, until somebody sends SIGCONT.
func (th *Thread) GroupStopped() bool { return th.group }

// Regs returns the thread's registers. They are read once; the result is the
// thread's own copy, valid until the next SetRegs or RunToSyscall.
//
// Orig_rax is the number of the system call that the thread was in, negative if
// none. Rax then tells how the call will go on: -ERESTARTSYS (-512), -513 and
// -514 restart it at Rip-2, -516 continues a sleep.
func (th *Thread) Regs() (*unix.PtraceRegs, error) {
	if th.have {
		return &th.regs, nil
	}
	if err := getRegs(th.tid, &th.regs); err != nil {
		return nil, fmt.Errorf("reading registers of thread %d: %w", th.tid, exited(err))
	}
	th.have = true
	return &th.regs, nil
}

// SetRegs changes the thread's registers when it is released, or at Flush.
//
// Keep Orig_rax as Regs gave it. The kernel then restarts an interrupted system
// call at the new Rip minus two, so a Rip that is moved to a copy of the code
// must stand behind a copy of the same syscall instruction. It always does, when
// whole instructions were copied in one piece: a thread in such a state stands
// directly behind its syscall instruction.
func (th *Thread) SetRegs(r *unix.PtraceRegs) error {
	if th.state != stopped {
		return fmt.Errorf("setting registers of thread %d: %w", th.tid, ErrExited)
	}
	th.regs, th.have, th.dirty = *r, true, true
	return nil
}

// Flush writes registers set by SetRegs to the thread now.
func (th *Thread) Flush() error {
	if !th.dirty {
		return nil
	}
	if err := setRegs(th.tid, &th.regs); err != nil {
		return fmt.Errorf("writing registers of thread %d: %w", th.tid, exited(err))
	}
	th.dirty = false
	return nil
}

// SigMask is the set of blocked signals that the thread will have in user mode;
// bit n-1 stands for signal n.
func (th *Thread) SigMask() (uint64, error) {
	mask, err := getSigMask(th.tid)
	if err != nil {
		return 0, fmt.Errorf("reading the signal mask of thread %d: %w", th.tid, exited(err))
	}
	return mask, nil
}

// SetSigMask replaces the set of blocked signals at once.
func (th *Thread) SetSigMask(mask uint64) error {
	if err := setSigMask(th.tid, mask); err != nil {
		return fmt.Errorf("setting the signal mask of thread %d: %w", th.tid, exited(err))
	}
	return nil
}

// XState returns the thread's extended state as an XSAVE image in the standard
// (not compacted) format. Its bytes 464 to 471 are the set of state components
// that the kernel keeps.
func (th *Thread) XState() ([]byte, error) {
	img, err := getXState(th.tid)
	if err != nil {
		return nil, fmt.Errorf("reading extended state of thread %d: %w", th.tid, exited(err))
	}
	return img, nil
}

// Inject makes the thread continue with sig if it stands at the delivery of that
// signal, as after RunToSyscall has returned it. The siginfo is kept.
func (th *Thread) Inject(sig unix.Signal) { th.sig = sig }

// exited translates the kernel's answer for a thread that was killed while held.
func exited(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("%w: %w", ErrExited, err)
	}
	return err
}

// Event is what RunToSyscall met.
type Event struct {
	Syscall bool        // entry to or return from a system call
	Signal  unix.Signal // the signal about to be delivered, if Syscall is false
	Code    int32       // its si_code
}

// RunToSyscall lets the thread run, with registers flushed, to the next entry to
// or return from a system call, or to the delivery of a signal. A signal met is
// dropped unless Inject is called. After limit, the thread is interrupted where
// it is and ErrThreadStuck returned; if even that does not stop it within
// another limit, it is released when it does.
func (th *Thread) RunToSyscall(limit time.Duration) (Event, error) {
	if err := th.Flush(); err != nil {
		return Event{}, err
	}
	sig := th.sig
	th.sig, th.have, th.state = 0, false, running
	if err := resume(unix.PTRACE_SYSCALL, th.tid, sig); err != nil {
		th.state = gone
		return Event{}, fmt.Errorf("resuming thread %d: %w", th.tid, exited(err))
	}
	status, err := th.await(limit)
	if errors.Is(err, ErrThreadStuck) {
		interrupt(th.tid) //nolint:errcheck // a thread that is gone shows in await
		if status, second := th.await(limit); second == nil {
			th.accept(status)
		}
		return Event{}, err
	}
	if err != nil {
		return Event{}, err
	}
	return th.event(status)
}

func (th *Thread) waitNow() (unix.WaitStatus, bool, error) {
	if !th.child {
		return waitNow(th.tid)
	}
	status, ok, err := waitChildNow(th.tid)
	if !ok && err == nil && th.state == running {
		status, ok = stolen(th.tid)
	}
	return status, ok, err
}

// await waits for the thread's next stop.
func (th *Thread) await(limit time.Duration) (unix.WaitStatus, error) {
	start := time.Now()
	for n := 0; ; n++ {
		status, ok, err := th.waitNow()
		switch {
		case err != nil:
			th.state = gone
			return 0, fmt.Errorf("waiting for thread %d: %w: %w", th.tid, ErrExited, err)
		case ok:
			return status, nil
		case time.Since(start) > limit:
			return 0, &StuckError{[]StuckThread{describeStuck(th.tid)}}
		}
		napAfter(n)
	}
}

// quick is the number of looks after which a thread is no longer expected to stop
// at once.
const quick = 4

const syscallStop = unix.SIGTRAP | 0x80 // with PTRACE_O_TRACESYSGOOD

func (th *Thread) event(status unix.WaitStatus) (Event, error) {
	if th.accept(status); th.state != stopped {
		return Event{}, fmt.Errorf("running thread %d: %w", th.tid, ErrExited)
	}
	if status.StopSignal() == syscallStop {
		return Event{Syscall: true}, nil
	}
	if eventOf(status) != 0 {
		return Event{}, nil
	}
	info, err := getSigInfo(th.tid)
	if err != nil {
		return Event{}, fmt.Errorf("reading the signal of thread %d: %w", th.tid, exited(err))
	}
	th.sig = 0
	return Event{Signal: status.StopSignal(), Code: info.Code}, nil
}

// eventOf is the PTRACE_EVENT in a wait status.
func eventOf(status unix.WaitStatus) int { return int(status>>16) & 0xff }

// accept records a wait status. At the delivery of a signal the thread is left
// standing, with the signal to be delivered when it goes on.
func (th *Thread) accept(status unix.WaitStatus) {
	th.have = false
	if !status.Stopped() {
		th.state = gone
		return
	}
	th.state = stopped
	switch eventOf(status) {
	case unix.PTRACE_EVENT_STOP:
		th.group = status.StopSignal() != unix.SIGTRAP
	case unix.PTRACE_EVENT_EXEC:
		th.state = execed
	case 0:
		if sig := status.StopSignal(); sig != syscallStop {
			th.sig = sig
		}
	}
}

// napAfter is the pause after the n-th look in vain.
func napAfter(n int) {
	switch {
	case n < quick: // a thread that runs on another processor stops within that time
	case n < 30:
		nap(20 * time.Microsecond)
	case n < 100: // it waits for a processor
		nap(200 * time.Microsecond)
	default:
		nap(time.Millisecond)
	}
}
