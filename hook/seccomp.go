package hook

import (
	"errors"
	"fmt"

	"github.com/functap/functap/internal/procfs"
)

// ErrSeccomp: a thread of the target is under seccomp. In strict mode any
// system call that we made through it would kill the process. With a filter
// that cannot be known beforehand, so it is tried only if the caller says so
// (AttachOptions.TrySeccomp).
var ErrSeccomp = errors.New("target is restricted by seccomp (SECCOMP)")

// Values of the Seccomp line in a status file.
const (
	seccompStrict = 1
	seccompFilter = 2
)

// checkSeccomp refuses, before anything is touched, targets that might be
// killed by the few system calls that map memory.
func (p *Process) checkSeccomp() error {
	tids, err := procfs.Tasks(p.pid)
	if err != nil {
		return wrapGone(err)
	}
	for _, tid := range tids {
		st, err := procfs.ReadTaskStatus(p.pid, tid)
		if err != nil {
			continue // ended meanwhile
		}
		switch {
		case st.Seccomp == seccompStrict:
			return fmt.Errorf("%w: thread %d is in strict mode, which allows no system call that maps memory", ErrSeccomp, tid)
		case st.Seccomp == seccompFilter && !p.opts.TrySeccomp:
			return fmt.Errorf("%w: thread %d has a filter, which may kill the process for memfd_create, mmap, madvise or munmap; if you know that it allows them, say so (--try-seccomp)", ErrSeccomp, tid)
		}
	}
	return nil
}
