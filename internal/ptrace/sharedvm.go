package ptrace

import (
	"errors"
	"fmt"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// sharedVM looks for processes outside the thread group that use the same
// memory: they are not held, and would execute code that is being changed.
// Children of processes with memory of their own cannot be such.
func (s *Stop) sharedVM() error { return s.vforks(s.threads) }

// vforks looks for them among the children of the given threads.
func (s *Stop) vforks(threads []*Thread) error {
	var found []int
	for _, th := range threads {
		sharing, err := s.sharingChildren(s.pid, th.tid)
		if err != nil {
			return err
		}
		found = append(found, sharing...)
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("stopping process %d: %w", s.pid, &SharedVMError{found})
}

func (s *Stop) sharingChildren(pid, tid int) (found []int, err error) {
	children, err := listChildren(pid, tid)
	if err != nil { // the thread has ended, or the kernel has no such files
		return nil, nil //nolint:nilerr // nothing can be found then
	}
	for _, child := range children {
		if !s.shares(tid, child) {
			continue
		}
		found = append(found, child)
		tasks, err := procfs.Tasks(child)
		if err != nil {
			continue // ended meanwhile; gather does not trust this round
		}
		for _, task := range tasks {
			deeper, err := s.sharingChildren(child, task)
			if err != nil {
				return nil, err
			}
			found = append(found, deeper...)
		}
	}
	return found, nil
}

// shares compares the memory of a thread and a child of it. Where the kernel
// does not answer (no kcmp, a child of another user), a parent that waits
// uninterruptibly for a child that has not executed anything is in a vfork.
func (s *Stop) shares(tid, child int) bool {
	same, err := sameVM(tid, child)
	if err == nil || errors.Is(err, unix.ESRCH) {
		return same
	}
	parent, err1 := procfs.ReadStat(tid)
	st, err2 := procfs.ReadStat(child)
	return err1 == nil && err2 == nil && parent.State == 'D' && st.Flags&flagNoExecYet != 0
}
