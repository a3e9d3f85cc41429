package ptrace

import (
	"fmt"
	"slices"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// release lets everybody go, first preparing all, then detaching all, so that
// the first to run does not compete with the preparation of the last. It
// reports ErrExited if nobody was left.
func (s *Stop) release() error {
	for _, th := range s.threads {
		if th.poll() && th.state == stopped && s.tracer.prepare(th) {
			s.rewound++
		}
	}
	lost := 0
	for _, th := range s.threads {
		if !s.tracer.letGo(th) {
			lost++
		}
	}
	if lost > 0 && lost == len(s.threads) {
		return fmt.Errorf("releasing process %d: %w", s.pid, ErrExited)
	}
	return nil
}

// prepare writes pending register changes and reports whether a system call was
// rewound.
func (t *Tracer) prepare(th *Thread) bool {
	rewound := th.rewind()
	th.Flush() //nolint:errcheck // fails only if the thread was killed, which letGo sees
	return rewound
}

// letGo detaches a thread, or leaves it to sweep if it does not stand still. It
// reports whether the thread lives on as it was meant to.
func (t *Tracer) letGo(th *Thread) bool {
	if th.state == gone || th.state == vanished {
		return false
	}
	if th.state != running && resume(unix.PTRACE_DETACH, th.tid, th.sig) == nil {
		return true
	}
	// Not stopped yet, or killed while it was held: then its end must be
	// collected here before its parent can learn of it.
	alive := th.state == running
	th.state, th.sig, th.have, th.dirty = running, 0, false, false
	t.lingering[th.tid] = th
	return alive
}

// sweep lets go of lingering threads that have stopped or ended meanwhile.
func (t *Tracer) sweep() {
	for tid, th := range t.lingering {
		if th.replaced() {
			delete(t.lingering, tid)
			continue
		}
		if !th.poll() {
			continue
		}
		delete(t.lingering, tid)
		if th.state == stopped {
			t.prepare(th)
		}
		t.letGo(th)
	}
}

// restartable are the system calls that return EINTR after a stop although
// nothing has happened, and that may simply be made again. The others either are
// restarted by the kernel or, like close, must not be repeated.
var restartable = []uint64{
	unix.SYS_EPOLL_WAIT, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2,
	unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_MSGRCV, unix.SYS_MSGSND,
	unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_TIMEDSEND,
	unix.SYS_IO_GETEVENTS, unix.SYS_IO_PGETEVENTS, unix.SYS_IO_URING_ENTER,
	unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_FUTEX, unix.SYS_FLOCK, unix.SYS_FCNTL,
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_CONNECT,
	unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_RECVMMSG,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG,
	unix.SYS_READ, unix.SYS_READV, unix.SYS_WRITE, unix.SYS_WRITEV,
	unix.SYS_POLL, unix.SYS_PPOLL, unix.SYS_SELECT, unix.SYS_PSELECT6,
}

// interrupted tells whether the thread is about to return from a restartable
// call with EINTR.
func interrupted(r *unix.PtraceRegs) bool {
	const userCode64 = 0x33
	return int64(r.Rax) == -int64(unix.EINTR) && int64(r.Orig_rax) >= 0 &&
		r.Cs == userCode64 && slices.Contains(restartable, r.Orig_rax)
}

// rewind makes a thread repeat a call that our interrupt ended with EINTR. If a
// signal is waiting for the thread, the EINTR may be due to that one, and a
// program that counts on it would hang without: then it is left alone. A signal
// that comes after the release and before the thread has entered its call again
// runs its handler and interrupts nothing, as after the kernel's own restarts.
func (th *Thread) rewind() bool {
	r, err := th.Regs()
	if err != nil || th.sig != 0 || !interrupted(r) || !th.behindSyscall(r.Rip) {
		return false
	}
	if waiting, err := deliverable(th.tid); err != nil || waiting {
		return false
	}
	repeat(r, r.Orig_rax)
	th.dirty = true
	return true
}

// repeat puts a thread back to its syscall instruction.
func repeat(r *unix.PtraceRegs, nr uint64) {
	r.Rip -= 2
	r.Rax = nr
	r.Orig_rax = ^uint64(0)
}

// UserRegs are the registers with which a thread stopped with r goes on in user
// mode if no signal is delivered to it: the kernel's own restart of an
// interrupted system call (arch_do_signal_or_restart) and ours are applied.
func UserRegs(r *unix.PtraceRegs) unix.PtraceRegs {
	u := *r
	if int64(r.Orig_rax) < 0 {
		return u
	}
	switch int64(r.Rax) {
	case -512, -513, -514: // ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND
		repeat(&u, r.Orig_rax)
	case -516: // ERESTART_RESTARTBLOCK
		repeat(&u, unix.SYS_RESTART_SYSCALL)
	default:
		if interrupted(r) {
			repeat(&u, r.Orig_rax)
		}
	}
	return u
}

// behindSyscall looks for the syscall instruction (0f 05) that ends at rip.
func (th *Thread) behindSyscall(rip uint64) bool {
	word, err := peek(th.tid, rip-8)
	return err == nil && word>>48 == 0x050f
}

// deliverable tells whether an unblocked signal is queued for the thread or its
// process.
func deliverable(tid int) (bool, error) {
	st, err := procfs.ReadStatus(tid)
	if err != nil {
		return false, err
	}
	return (st.SigPnd|st.ShdPnd)&^st.SigBlk != 0, nil
}
