package ptrace

import (
	"fmt"
	"slices"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// followExec notices that a thread executes another program. All others are
// killed then, and it takes the main thread's id, so that its own vanishes and the
// main thread's has yet to stop.
func (s *Stop) followExec(th *Thread) (leader []*Thread, err error) {
	if th.state == vanished {
		th.state = gone
		st, err := procfs.ReadStat(s.pid)
		switch {
		case err != nil || dead(st): // all are dying
		case th.tid == s.pid: // by a thread that was not seized yet
			th.state = execed
		default:
			leader = s.newLeader(st)
		}
	}
	if th.state == execed {
		return nil, fmt.Errorf("stopping process %d: %w", s.pid, ErrExeced)
	}
	return leader, nil
}

// newLeader makes the main thread's id a member that has yet to stop, unless it
// is one that stands still: recheck then tells whether it is another by now.
func (s *Stop) newLeader(st procfs.Stat) []*Thread {
	i := slices.IndexFunc(s.threads, func(th *Thread) bool { return th.tid == s.pid })
	if i < 0 && !s.known[s.pid] {
		return nil // not seized yet
	}
	if i < 0 {
		i = len(s.threads)
		s.threads = append(s.threads, s.newThread(s.pid))
		delete(s.tracer.lingering, s.pid) // the old one
	} else if st.State == 't' && s.threads[i].state == stopped {
		return nil
	}
	s.threads[i].state = running
	return s.threads[i : i+1]
}

// recheck asks for news of threads that stand still, and reports whether there
// was some. There is only if they were killed or replaced by one that has
// executed a program.
func (s *Stop) recheck() (news bool, err error) {
	for _, th := range s.inState(stopped) {
		status, ok, err := th.waitNow()
		if err != nil || th.replaced() {
			th.state = vanished
		} else if ok {
			th.accept(status)
		}
		news = news || ok || th.state == vanished
		if _, err := s.followExec(th); err != nil {
			return true, err
		}
	}
	return news, nil
}

// replaced tells whether the main thread's id has gone to a thread that is not
// traced, by an exec. For a process that is no child, waiting for it fails then.
func (th *Thread) replaced() bool {
	if !th.child {
		return false
	}
	st, err := procfs.ReadStatus(th.tid)
	// The status file has the tracing thread's id, and this is that thread.
	return err == nil && st.TracerPid != unix.Gettid()
}
