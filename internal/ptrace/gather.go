package ptrace

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// gather stops threads until a look at the task directory, made while all known
// threads stand still, shows nobody new. A thread can only be born of one that
// runs, so then there is none left.
func (s *Stop) gather() error {
	s.undertaker = newUndertaker()
	defer s.undertaker.stop()
	for round := 0; ; round++ {
		changed, err := s.seizeNew()
		if err != nil {
			return err
		}
		if err := s.settle(); err != nil {
			return err
		}
		if !changed {
			if changed, err = s.recheck(); err != nil {
				return err
			}
		}
		if !changed {
			break
		}
		if err := s.expired(); err != nil {
			return s.unstable(err)
		}
		napAfter(round)
	}
	if err := s.dropWorkers(); err != nil {
		return err
	}
	if len(s.threads) == 0 {
		return s.nobody()
	}
	if s.only != 0 {
		return nil
	}
	return s.sharedVM()
}

// nobody says why no thread was found: the process is gone, or the only one left
// could not be seized while it executed a program.
func (s *Stop) nobody() error {
	if st, err := procfs.ReadStat(s.pid); err == nil && !dead(st) && s.only == 0 {
		return fmt.Errorf("stopping process %d: %w", s.pid, ErrExeced)
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, ErrExited)
}

func (s *Stop) unstable(cause error) error {
	if s.ctx.Err() == nil {
		cause = ErrThreadsUnstable
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, cause)
}

// seizeNew seizes and interrupts all threads not yet known. It reports whether
// the list may not be final: someone was new, was dying, or was left out of it.
// The last happens when a listed thread ends while the kernel makes the list.
func (s *Stop) seizeNew() (changed bool, err error) {
	tids, err := s.tasks()
	if err != nil {
		return false, err
	}
	for _, tid := range tids {
		if s.known[tid] {
			continue
		}
		member, err := s.seize(tid)
		if err != nil {
			return false, err
		}
		changed = changed || member
	}
	if s.only == 0 && !changed {
		st, err := procfs.ReadStat(s.pid)
		return err == nil && st.Threads != len(tids), nil
	}
	return changed, nil
}

// tasks lists the threads to stop, the main thread last: while that one is traced the
// kernel queues signals for the process that it ignores, and lets them end system calls of
// threads that are not stopped yet (sig_ignored in the kernel's signal.c).
func (s *Stop) tasks() ([]int, error) {
	if s.only != 0 {
		return []int{s.only}, nil
	}
	tids, err := procfs.Tasks(s.pid)
	if err != nil {
		return nil, fmt.Errorf("listing threads of process %d: %w", s.pid, ErrExited)
	}
	if i := slices.Index(tids, s.pid); i >= 0 {
		tids = append(slices.Delete(tids, i, i+1), s.pid)
	}
	return tids, nil
}

// seize makes tid a member. It reports whether the task directory must be read
// again because of it. A main thread that has ended before the others stays
// listed as a zombie until they end: it is known, but no member.
func (s *Stop) seize(tid int) (again bool, err error) {
	th, old := s.tracer.lingering[tid]
	if old && tid == s.pid && zombieLeader(tid) {
		s.known[tid] = true
		return false, nil
	}
	if old {
		delete(s.tracer.lingering, tid)
	} else {
		th = s.newThread(tid)
		if err := seize(tid); err != nil && !s.tookOver(tid) {
			return s.refused(tid, err)
		}
	}
	if s.since.IsZero() {
		s.since = time.Now()
	}
	s.known[tid] = true
	s.threads = append(s.threads, th)
	if tid != s.pid {
		s.undertaker.add(tid)
	}
	if err := interrupt(tid); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("interrupting thread %d: %w", tid, err)
	}
	return true, nil
}

// tookOver reports whether the main thread's id is by now that of a member which has
// executed another program.
func (s *Stop) tookOver(tid int) bool {
	if tid != s.pid || len(s.threads) == 0 {
		return false
	}
	st, err := procfs.ReadStatus(tid)
	return err == nil && st.TracerPid == unix.Gettid()
}

func (s *Stop) newThread(tid int) *Thread {
	return &Thread{tid: tid, child: s.child && tid == s.pid}
}

// refused judges a thread that could not be seized. Where no reason is found it
// was in the middle of an exec or an exit, and another look tells more.
func (s *Stop) refused(tid int, cause error) (again bool, err error) {
	if errors.Is(cause, unix.ESRCH) && tid != s.only {
		return true, nil
	}
	st, err := procfs.ReadStat(tid)
	switch {
	case err != nil && tid == s.only:
		return false, fmt.Errorf("stopping thread %d: %w", tid, ErrExited)
	case err != nil:
		return true, nil
	case dead(st) && tid == s.only:
		return false, fmt.Errorf("stopping thread %d: %w", tid, ErrZombie)
	case dead(st) && tid == s.pid:
		s.known[tid] = true
		return false, s.leaderOnly(st)
	case dead(st):
		return true, nil
	case st.Flags&flagIOWorker != 0:
		s.known[tid] = true
		return false, nil
	}
	err = diagnose(s.pid, tid, cause)
	if errors.Is(err, errUnexplained) && s.expired() == nil && s.puzzled < maxPuzzled {
		s.puzzled++
		return true, nil
	}
	return false, err
}

// leaderOnly refuses a process of which nothing but the zombie is left.
func (s *Stop) leaderOnly(st procfs.Stat) error {
	if st.Threads > 1 {
		return nil
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, ErrZombie)
}

// settle waits until every member has stopped or is gone. It looks at one after
// the other, and sleeps while that one has not stopped: looking at all again and
// again would take the processor from them.
func (s *Stop) settle() error {
	start := time.Now()
	waiting := s.inState(running)
	if len(waiting) > 2 {
		// They need a processor to stop on, and a tracer with real-time priority
		// that looks without pause would keep its own from them.
		nap(time.Duration(len(waiting)) * 2 * time.Microsecond)
	}
	for n := 0; len(waiting) > 0; {
		th := waiting[0]
		if th.poll() {
			leader, err := s.followExec(th)
			if err != nil {
				return err
			}
			waiting, n = append(waiting[1:], leader...), 0
			continue
		}
		if n++; n > quick {
			if err := s.late(th, n, time.Since(start)); err != nil {
				return err
			}
		}
		napAfter(n)
	}
	s.bury()
	return nil
}

func (s *Stop) inState(state threadState) []*Thread {
	var found []*Thread
	for _, th := range s.threads {
		if th.state == state {
			found = append(found, th)
		}
	}
	return found
}

// zombieLeader tells whether the main thread has ended and others have not.
func zombieLeader(pid int) bool {
	st, err := procfs.ReadStat(pid)
	return err == nil && dead(st) && st.Threads > 1
}

// late looks why th takes its time, at the n-th look in vain. It must not take much
// itself: with real-time priority it would be at the expense of those waited for.
func (s *Stop) late(th *Thread, n int, since time.Duration) error {
	if th.tid == s.pid && zombieLeader(s.pid) { // ended between being seized and being stopped
		th.state = gone
		s.tracer.lingering[s.pid] = s.newThread(s.pid) // to collect its end after the others'
		return nil
	}
	if th.replaced() {
		th.state = vanished
		_, err := s.followExec(th)
		return err
	}
	if n%32 == 0 {
		// An exec waits until the threads that it has killed are collected.
		if _, err := s.recheck(); err != nil {
			return err
		}
	}
	if since > vforkPatience && n%16 == 0 {
		// A thread that has taken the main thread's id by an exec may have lost
		// the request to stop on the way. Asking twice makes one stop.
		interrupt(th.tid) //nolint:errcheck // a thread that is gone shows elsewhere
		if err := s.vforks([]*Thread{th}); err != nil {
			return err
		}
	}
	err := s.expired()
	if err == nil {
		return nil
	}
	if shared := s.vforks(s.inState(running)); shared != nil {
		return shared
	}
	if s.ctx.Err() != nil {
		return fmt.Errorf("stopping process %d: %w", s.pid, err)
	}
	return s.stuck()
}

// stuck describes the threads that have not stopped after all. There may be none:
// only the first of them was looked at last.
func (s *Stop) stuck() error {
	e := &StuckError{}
	for _, th := range s.inState(running) {
		if !th.poll() {
			e.Threads = append(e.Threads, describeStuck(th.tid))
		}
	}
	if len(e.Threads) == 0 {
		return nil
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, e)
}

// poll looks once whether the thread has stopped or ended. A signal that was
// about to be delivered is delivered, and the thread told again to stop: any stop
// answers the request before it (ptrace_stop in the kernel's signal.c). It stops before
// it executes anything, so that every member ends up in the same kind of stop, with its
// signals where the kernel would have put them.
func (th *Thread) poll() bool {
	if th.state != running {
		return true
	}
	status, ok, err := th.waitNow()
	switch {
	case err != nil:
		th.state = vanished
		return true
	case !ok:
		return false
	}
	th.accept(status)
	if th.state == stopped && th.sig != 0 {
		sig := th.sig
		th.state, th.sig = running, 0
		interrupt(th.tid) //nolint:errcheck // killed: its end is still to be waited for
		if resume(unix.PTRACE_CONT, th.tid, sig) != nil {
			return false
		}
	}
	return th.state != running
}

// bury forgets members that ended; their ids may come back as new threads, except
// that of a main thread whose zombie remains.
func (s *Stop) bury() {
	s.threads = slices.DeleteFunc(s.threads, func(th *Thread) bool {
		if _, zombie := s.tracer.lingering[th.tid]; th.state == gone && !zombie {
			delete(s.known, th.tid)
		}
		return th.state == gone
	})
}

// dropWorkers lets go of io_uring workers: they have no user mode registers.
func (s *Stop) dropWorkers() error {
	var failed error
	s.threads = slices.DeleteFunc(s.threads, func(th *Thread) bool {
		r, err := th.Regs()
		if err != nil {
			failed = err
			return false
		}
		worker := r.Rip == 0 && r.Rsp == 0
		if worker {
			s.tracer.letGo(th)
		}
		return worker
	})
	return failed
}
