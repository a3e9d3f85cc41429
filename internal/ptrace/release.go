package ptrace

import (
	"fmt"
	"slices"
	"time"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// release lets everybody go, first preparing all, then detaching all, so that
// the first to run does not compete with the preparation of the last. It
// reports ErrExited if nobody was left.
func (s *Stop) release() error {
	s.leaderFirst() // for the reason for which it was stopped last
	s.dispense()
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
	if lost > 0 && (lost == len(s.threads) || killed(s.pid)) {
		return fmt.Errorf("releasing process %d: %w", s.pid, ErrExited)
	}
	return nil
}

func (s *Stop) leaderFirst() {
	i := slices.IndexFunc(s.threads, func(th *Thread) bool { return th.tid == s.pid })
	if i > 0 {
		s.threads[0], s.threads[i] = s.threads[i], s.threads[0]
	}
}

const (
	// dispenseMost bounds how many signals are handed out in one stop: somebody may be
	// sending more all the time.
	dispenseMost = 64
	// takeLimit is how long a thread may need to take one.
	takeLimit = 20 * time.Millisecond
)

// dispense has signals that came for the whole process meanwhile taken, by one thread
// each while the others stand still. So it is known whose system calls they end; all
// others are made again.
func (s *Stop) dispense() {
	for range dispenseMost {
		th := s.taker()
		if th == nil || !th.take() {
			return
		}
	}
}

// taker is a thread that would take a signal of the process's, the main thread first, as
// the kernel has it (complete_signal).
func (s *Stop) taker() *Thread {
	for _, th := range s.threads {
		st, err := procfs.ReadStatus(th.tid)
		if err != nil {
			continue
		}
		pending := st.ShdPnd &^ ignoredOf(st)
		if pending == 0 {
			return nil
		}
		if pending&^st.SigBlk != 0 && th.state == stopped && th.sig == 0 && !th.group {
			return th
		}
	}
	return nil
}

// take lets the thread go on to the delivery of a signal, which is the first thing that
// it does. The signal is delivered when the thread is let go; one that is ignored is not.
// Until then, some hundred microseconds, it is this tracer's to lose, should that be
// killed. To deliver it at once would put the thread into its handler, in which it cannot
// take the next one: then others would, and their system calls be ended, for each stop of
// a process that gets thousands a second.
func (th *Thread) take() bool {
	if th.Flush() != nil || !th.goOn(0) {
		return false
	}
	if th.state == stopped && ignored(th.tid)&signalSet(th.sig) != 0 {
		th.sig = 0
	}
	return th.state == stopped
}

// goOn lets the thread run to its next stop.
func (th *Thread) goOn(sig unix.Signal) bool {
	th.have, th.state = false, running
	if resume(unix.PTRACE_CONT, th.tid, sig) != nil {
		return false
	}
	status, err := th.await(takeLimit)
	if err != nil {
		interrupt(th.tid) //nolint:errcheck // it is let go when it stops, or is gone
		return false
	}
	th.accept(status)
	return true
}

// killed reports whether nothing of the process is going to run again, some threads of
// which are gone. One that was killed needs a moment to end all of them.
func killed(pid int) bool {
	const exiting = 4 // PF_EXITING
	for n := range 50 {
		st, err := procfs.ReadStat(pid)
		if err != nil || dead(st) || st.Flags&exiting != 0 {
			return true
		}
		napAfter(n)
	}
	return false
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

// deliverable tells whether a signal is queued for the thread that it does not block and
// that the process does not ignore. While a process is traced the kernel queues ignored
// ones too; they interrupt nothing.
func deliverable(tid int) (bool, error) {
	st, err := procfs.ReadStatus(tid)
	if err != nil {
		return false, err
	}
	wanted := ^st.SigBlk &^ ignoredOf(st)
	if st.SigPnd&wanted != 0 || st.ShdPnd&wanted == 0 || st.Tgid == tid {
		return (st.SigPnd|st.ShdPnd)&wanted != 0, nil
	}
	// One that came for the process just now: the main thread takes it if it can.
	leader, err := procfs.ReadStatus(st.Tgid)
	return err == nil && st.ShdPnd&wanted&leader.SigBlk != 0, nil
}

// signalSet is the set of one signal.
func signalSet(sig unix.Signal) uint64 {
	if sig <= 0 {
		return 0
	}
	return 1 << (sig - 1)
}

// ignoredByDefault are signals whose default is to do nothing (signal(7)). SIGCONT has
// done what it does when it is sent.
const ignoredByDefault = 1<<(unix.SIGCHLD-1) | 1<<(unix.SIGCONT-1) | 1<<(unix.SIGURG-1) | 1<<(unix.SIGWINCH-1)

func ignoredOf(st procfs.Status) uint64 { return st.SigIgn | ignoredByDefault&^st.SigCgt }

// ignored are the signals that a process ignores.
func ignored(pid int) uint64 {
	st, err := procfs.ReadStatus(pid)
	if err != nil {
		return 0
	}
	return ignoredOf(st)
}
