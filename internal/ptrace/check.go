package ptrace

import (
	"errors"
	"fmt"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// Check says whether process pid may be traced by this one, as far as that
// can be told without touching it. The error wraps one of this package's
// sentinels and names the cause and the way out.
//
// Opening a process's memory asks the kernel the same question as ptrace does,
// security modules included; only that another tracer is there does not
// matter for it.
func Check(pid int) error {
	if err := precheck(pid, 0); err != nil {
		return err
	}
	st, err := procfs.ReadStat(pid)
	if err != nil {
		return missing(pid)
	}
	if dead(st) && st.Threads < 2 {
		return fmt.Errorf("stopping process %d: %w; its parent %d has to wait for it", pid, ErrZombie, st.PPID)
	}
	target := party{pid: pid}
	if target.status, err = procfs.ReadStatus(pid); err != nil {
		return missing(pid)
	}
	for _, cause := range []func(me, target party) error{kernelThread, traced} {
		if err := cause(party{}, target); err != nil {
			return fmt.Errorf("stopping process %d: %w", pid, err)
		}
	}
	if dead(st) {
		return nil // the main thread has ended and others have not: the stop asks them
	}
	mem, err := OpenMem(pid)
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return diagnose(pid, pid, err)
	case err != nil:
		return err
	}
	return mem.Close()
}

// RealTimeAllowed tries whether a tracer's thread gets real-time priority.
func RealTimeAllowed() (granted bool, err error) {
	t, err := NewTracer()
	if err != nil {
		return false, err
	}
	err = t.Do(func() error {
		restore, ok := raisePriority()
		granted = ok
		restore()
		return nil
	})
	return granted, errors.Join(err, t.Close())
}
