package ptrace

import (
	"context"
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
		return fmt.Errorf("stopping process %d: %w", s.pid, ErrExited)
	}
	if s.only != 0 {
		return nil
	}
	return s.sharedVM()
}

func (s *Stop) unstable(cause error) error {
	if cause == context.DeadlineExceeded && s.ctx.Err() == nil {
		return fmt.Errorf("stopping process %d: %w", s.pid, ErrThreadsUnstable)
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

func (s *Stop) tasks() ([]int, error) {
	if s.only != 0 {
		return []int{s.only}, nil
	}
	tids, err := procfs.Tasks(s.pid)
	if err != nil {
		return nil, fmt.Errorf("listing threads of process %d: %w", s.pid, ErrExited)
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
		th = &Thread{tid: tid}
		if err := seize(tid); err != nil {
			return s.refused(tid, err)
		}
	}
	if s.since.IsZero() {
		s.since = time.Now()
	}
	s.known[tid] = true
	s.threads = append(s.threads, th)
	if err := interrupt(tid); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("interrupting thread %d: %w", tid, err)
	}
	return true, nil
}

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
	return false, diagnose(s.pid, tid, cause)
}

// leaderOnly refuses a process of which nothing but the zombie is left.
func (s *Stop) leaderOnly(st procfs.Stat) error {
	if st.Threads > 1 {
		return nil
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, ErrZombie)
}

// settle waits until every member has stopped or is gone.
func (s *Stop) settle() error {
	start := time.Now()
	for n := 0; ; n++ {
		s.look(n)
		if err := s.followExec(); err != nil {
			return err
		}
		waiting := s.inState(running)
		if len(waiting) == 0 {
			s.bury()
			return nil
		}
		if n > quick {
			if err := s.late(waiting, time.Since(start)); err != nil {
				return err
			}
		}
		napAfter(n)
	}
}

// look polls the members that run; from the second look on also for a main
// thread that ended between being seized and being stopped.
func (s *Stop) look(n int) {
	for _, th := range s.inState(running) {
		if !th.poll() && n > quick && th.tid == s.pid && zombieLeader(s.pid) {
			s.remove(th)
			s.tracer.letGo(th) // its end is collected when the others have ended
		}
	}
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

func (s *Stop) remove(th *Thread) {
	s.threads = slices.DeleteFunc(s.threads, func(other *Thread) bool { return other == th })
}

// followExec notices that a thread executes another program. All others are
// killed then, and it takes the main thread's id, so that its own vanishes.
func (s *Stop) followExec() error {
	for _, th := range s.inState(vanished) {
		th.state = gone
		if st, err := procfs.ReadStat(s.pid); err != nil || dead(st) {
			continue // all are dying
		} else if th.tid == s.pid {
			th.state = execed // by a thread that was not seized yet
		} else if st.State != 't' {
			s.awaitLeader()
		}
	}
	if len(s.inState(execed)) > 0 {
		return fmt.Errorf("stopping process %d: %w", s.pid, ErrExeced)
	}
	return nil
}

// awaitLeader makes the main thread's id a member that has yet to stop.
func (s *Stop) awaitLeader() {
	for _, th := range s.threads {
		if th.tid == s.pid {
			th.state = running
			return
		}
	}
	s.known[s.pid] = true
	s.threads = append(s.threads, &Thread{tid: s.pid})
}

// recheck asks for news of threads that stand still, and reports whether there
// was some. There is only if they were killed or replaced by one that has
// executed a program.
func (s *Stop) recheck() (news bool, err error) {
	for _, th := range s.threads {
		status, ok, err := waitNow(th.tid)
		if err != nil {
			th.state = vanished
		} else if ok {
			th.accept(status)
		}
		news = news || ok || err != nil
	}
	return news, s.followExec()
}

// late looks at threads that take their time.
func (s *Stop) late(waiting []*Thread, since time.Duration) error {
	if since > vforkPatience {
		if err := s.vforks(waiting); err != nil {
			return err
		}
	}
	err := s.expired()
	switch {
	case err == nil:
		return nil
	case err != context.DeadlineExceeded || s.ctx.Err() != nil:
		return fmt.Errorf("stopping process %d: %w", s.pid, err)
	}
	stuck := &StuckError{}
	for _, th := range waiting {
		stuck.Threads = append(stuck.Threads, describeStuck(th.tid))
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, stuck)
}

// poll looks once whether the thread has stopped or ended. A signal that was
// about to be delivered is delivered: the pending interrupt then stops the
// thread again before it executes anything, so that every member ends up in the
// same kind of stop, with its signals where the kernel would have put them.
func (th *Thread) poll() bool {
	if th.state != running {
		return true
	}
	status, ok, err := waitNow(th.tid)
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
		if resume(unix.PTRACE_CONT, th.tid, sig) != nil {
			return false // killed: its end is still to be waited for
		}
	}
	return th.state != running
}

// bury forgets members that ended; their ids may come back as new threads.
func (s *Stop) bury() {
	s.threads = slices.DeleteFunc(s.threads, func(th *Thread) bool {
		if th.state == gone {
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
