package remote

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"golang.org/x/sys/unix"
)

// Errors of calls.
var (
	// ErrSeccomp says that a seccomp mode or filter of the thread forbids the call.
	ErrSeccomp = errors.New("forbidden by the target's seccomp restrictions")
	// ErrSignal says that a signal is in the way, such as that of a fault. The thread
	// is as it was, the signal will be delivered, and another thread or another stop
	// may be tried.
	ErrSignal = errors.New("a signal is about to be delivered")
	errClosed = errors.New("caller is closed")
)

// callLimit is how long a call may take. Those made here do not block, but the
// thread needs a processor, for which it may have to wait on a busy machine.
const callLimit = 5 * time.Second

// Values of the Seccomp line of a status file.
const (
	seccompStrict = 1
	seccompFilter = 2
)

// synchronous signals are left unblocked: blocked, the kernel would reset the
// target's handler for them when it has to raise one (force_sig).
const synchronous = 1<<(unix.SIGSEGV-1) | 1<<(unix.SIGBUS-1) | 1<<(unix.SIGILL-1) |
	1<<(unix.SIGFPE-1) | 1<<(unix.SIGTRAP-1) | 1<<(unix.SIGSYS-1)

// Caller makes system calls in a stopped thread. It is used on the tracer's
// thread, within the function given to Stop, and closed there.
type Caller struct {
	stop    *ptrace.Stop
	thread  *ptrace.Thread
	gadgets Gadgets
	region  Region

	orig     unix.PtraceRegs
	mask     uint64
	borrowed []byte // what was in region
	low      uint64 // data grows up from the region's start to here
	frame    frame  // bytes is nil if the thread cannot heal itself
	sp       uint64
	filtered bool
	marked   bool // a tracer that died had borrowed the region before
	closed   bool
}

// New borrows the thread and the region, which must be writable, unused memory of
// at least ScratchSize bytes (see ScratchRegion). A thread in seccomp's strict
// mode is refused with ErrSeccomp before anything is touched. With a seccomp
// filter it is for the caller to decide: a filter that kills cannot be survived.
func New(s *ptrace.Stop, th *ptrace.Thread, g Gadgets, region Region) (*Caller, error) {
	status, err := procfs.ReadTaskStatus(s.PID(), th.TID())
	if err != nil {
		return nil, err
	}
	if status.Seccomp == seccompStrict {
		return nil, fmt.Errorf("calling in thread %d: %w (strict mode)", th.TID(), ErrSeccomp)
	}
	if status.SigPnd&synchronous != 0 {
		return nil, fmt.Errorf("calling in thread %d: %w (it has just caused one itself)", th.TID(), ErrSignal)
	}
	c := &Caller{stop: s, thread: th, gadgets: g, region: region, low: region.Addr + uint64(len(mark)),
		filtered: status.Seccomp == seccompFilter}
	heals := g.Restorer != 0 && !slices.Contains(status.ThreadFeatures, "shstk")
	if err := c.save(heals); err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Heals tells whether the thread would recover if the tracer died now.
func (c *Caller) Heals() bool { return c.frame.bytes != nil }

// save reads all that will be restored, and changes nothing.
func (c *Caller) save(heals bool) error {
	regs, err := c.thread.Regs()
	if err != nil {
		return err
	}
	c.orig = *regs
	if c.mask, err = c.thread.SigMask(); err != nil {
		return err
	}
	c.borrowed = make([]byte, c.region.Size)
	if _, err := c.stop.Mem().ReadAt(c.borrowed, int64(c.region.Addr)); err != nil {
		return fmt.Errorf("reading the region to borrow: %w", err)
	}
	if bytes.HasPrefix(c.borrowed, mark) {
		// A dead tracer's: zeros were there before, and zeros are given back.
		clear(c.borrowed)
		c.marked = true
	}
	c.sp = c.region.end() - redZone
	if !heals {
		return nil
	}
	xstate, err := c.thread.XState()
	if err != nil {
		return err
	}
	c.frame = buildFrame(c.region.end(), c.gadgets.Restorer, state{ptrace.UserRegs(&c.orig), xstate, c.mask})
	c.sp = c.frame.addr
	if c.sp < c.region.Addr+redZone {
		return fmt.Errorf("%w: region of %d bytes is too small for a frame of %d", ErrNoScratch, c.region.Size, len(c.frame.bytes))
	}
	return nil
}

// enter makes the thread one that heals itself, and only then blocks signals, so
// that no handler runs on the borrowed memory.
func (c *Caller) enter() error {
	if err := c.writeFrame(); err != nil {
		return err
	}
	if err := c.prepare(unix.SYS_GETPID); err != nil {
		return err
	}
	return c.thread.SetSigMask(^uint64(synchronous) | c.mask)
}

func (c *Caller) writeFrame() error {
	if _, err := c.stop.Mem().WriteAt(mark, int64(c.region.Addr)); err != nil {
		return fmt.Errorf("marking borrowed memory: %w", err)
	}
	if c.frame.bytes == nil {
		return nil
	}
	if _, err := c.stop.Mem().WriteAt(c.frame.bytes, int64(c.frame.addr)); err != nil {
		return fmt.Errorf("writing a signal frame: %w", err)
	}
	return nil
}

// prepare sets the registers of a call, in one step.
func (c *Caller) prepare(nr uint64, args ...uint64) error {
	var a [6]uint64
	copy(a[:], args)
	r := c.orig
	r.Rip, r.Rsp, r.Rax, r.Orig_rax = c.gadgets.Syscall, c.sp, nr, ^uint64(0)
	r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9 = a[0], a[1], a[2], a[3], a[4], a[5]
	if err := c.thread.SetRegs(&r); err != nil {
		return err
	}
	return c.thread.Flush()
}

// Syscall makes the system call nr with up to six arguments and returns its
// result. A negative one is returned as a unix.Errno. Other errors mean that the
// Caller is of no more use; the thread has been restored if it still exists.
func (c *Caller) Syscall(nr uint64, args ...uint64) (uint64, error) {
	if c.closed {
		return 0, errClosed
	}
	result, err := c.call(nr, args)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("system call %d in thread %d: %w", nr, c.thread.TID(), err), c.Close())
	}
	if signed := int64(result); signed < 0 && signed > -4096 {
		return result, unix.Errno(-signed)
	}
	return result, nil
}

func (c *Caller) call(nr uint64, args []uint64) (uint64, error) {
	if err := c.prepare(nr, args...); err != nil {
		return 0, err
	}
	if err := c.run(); err != nil { // to the entry
		return 0, err
	}
	if err := c.run(); err != nil { // to the return
		return 0, err
	}
	r, err := c.thread.Regs()
	if err != nil {
		return 0, err
	}
	if c.filtered && r.Rax == nr { // perhaps rolled back by a filter that traps
		return r.Rax, c.trapped()
	}
	return r.Rax, nil
}

// run lets the thread go on to the next end of a system call. A SIGSTOP, which
// cannot be blocked, is let through: the thread goes on nevertheless while it is
// traced, and is found stopped when it is released.
func (c *Caller) run() error {
	for {
		event, err := c.thread.RunToSyscall(callLimit)
		switch {
		case err != nil:
			return err
		case event.Syscall:
			return nil
		case event.Signal == unix.SIGSTOP:
			c.thread.Inject(unix.SIGSTOP)
		case event.Signal != 0:
			return c.interrupted(event)
		}
	}
}

// interrupted keeps a signal that somebody sent for the thread's release. One that
// the kernel raised is the call's own fault: New refuses threads that had one.
func (c *Caller) interrupted(event ptrace.Event) error {
	if event.Code <= 0 {
		c.thread.Inject(event.Signal)
		return fmt.Errorf("%w (%v)", ErrSignal, event.Signal)
	}
	return fmt.Errorf("the kernel raised %v (code %d)", event.Signal, event.Code)
}

// trapped looks for the SIGSYS of a seccomp filter that answers with a trap, and
// takes it away.
func (c *Caller) trapped() error {
	status, err := procfs.ReadTaskStatus(c.stop.PID(), c.thread.TID())
	if err != nil {
		return err
	}
	if status.SigPnd&(1<<(unix.SIGSYS-1)) == 0 {
		return nil
	}
	const sysSeccomp = 1
	event, err := c.thread.RunToSyscall(callLimit)
	switch {
	case err != nil:
		return err
	case event.Signal == unix.SIGSYS && event.Code == sysSeccomp:
		return fmt.Errorf("%w (a filter traps)", ErrSeccomp)
	}
	return c.interrupted(event)
}

// Data places b in the target's memory until Close and returns its address.
func (c *Caller) Data(b []byte) (uint64, error) {
	if c.closed {
		return 0, errClosed
	}
	addr := c.low
	if addr+uint64(len(b)) > c.sp-redZone {
		return 0, fmt.Errorf("%w: %d bytes of data do not fit", ErrNoScratch, len(b))
	}
	if _, err := c.stop.Mem().WriteAt(b, int64(addr)); err != nil {
		return 0, fmt.Errorf("placing data: %w", err)
	}
	c.low = (addr + uint64(len(b)) + 15) &^ 15
	return addr, nil
}

// Close restores the thread's signal mask and registers and the borrowed memory,
// in an order that leaves the thread able to heal itself until it is itself. It
// may be called more than once.
func (c *Caller) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	if err := c.thread.SetSigMask(c.mask); err != nil {
		return err
	}
	if err := c.thread.SetRegs(&c.orig); err != nil {
		return err
	}
	if err := c.thread.Flush(); err != nil {
		return err
	}
	return c.giveBack()
}

// giveBack restores only what was written: untouched pages stay untouched.
func (c *Caller) giveBack() error {
	if c.marked {
		if _, err := c.stop.Mem().WriteAt(c.borrowed, int64(c.region.Addr)); err != nil {
			return fmt.Errorf("clearing borrowed memory: %w", err)
		}
		return nil
	}
	for _, part := range []Region{
		{c.region.Addr, c.low - c.region.Addr},
		{c.frame.addr, uint64(len(c.frame.bytes))},
	} {
		if part.Size == 0 {
			continue
		}
		at := part.Addr - c.region.Addr
		if _, err := c.stop.Mem().WriteAt(c.borrowed[at:at+part.Size], int64(part.Addr)); err != nil {
			return fmt.Errorf("restoring borrowed memory: %w", err)
		}
	}
	return nil
}
