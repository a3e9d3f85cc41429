package ptrace

import (
	"fmt"
	"os"
	"sync"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// Watch waits for the end of a process. It holds a pidfd, so a later process of the same
// number is not mistaken for it; it traces nothing.
type Watch struct {
	// Gone is closed when the process has ended or Stop was called.
	Gone   <-chan struct{}
	Stop   func()
	status unix.WaitStatus
	known  bool
}

// Status tells how the process has ended, once Gone is closed, where the kernel says that
// to others than its parent (of a zombie, or since Linux 6.15).
func (w *Watch) Status() (status unix.WaitStatus, known bool) { return w.status, w.known }

// WatchExit starts watching a process.
func WatchExit(pid int) (*Watch, error) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watching process %d: %w", pid, exited(err))
	}
	// The pipe ends the wait when stop closes its writing end.
	r, w, err := os.Pipe()
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("watching process %d: %w", pid, err)
	}
	ch := make(chan struct{})
	watch := &Watch{Gone: ch, Stop: sync.OnceFunc(func() { w.Close() })}
	go func() {
		defer close(ch)
		defer unix.Close(fd)
		defer func() { watch.status, watch.known = exitStatus(pid, fd) }()
		defer r.Close()
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
		for {
			n, err := unix.Poll(fds, -1)
			if err == unix.EINTR {
				continue
			}
			if err != nil || n > 0 {
				return
			}
		}
	}()
	return watch, nil
}

// SignalName is a signal's name, such as SIGSEGV, or its number if it has none.
func SignalName(sig unix.Signal) string {
	if n := unix.SignalName(sig); n != "" {
		return n
	}
	return fmt.Sprintf("signal %d", int(sig))
}

// exitStatus asks for the status of a zombie or, when its parent has waited for it, what
// its pidfd has kept.
func exitStatus(pid, pidfd int) (unix.WaitStatus, bool) {
	st, err := procfs.ReadStat(pid)
	if err == nil && st.State == 'Z' && unix.PidfdSendSignal(pidfd, 0, nil, 0) == nil {
		return unix.WaitStatus(st.ExitCode), st.ExitCode != 0
	}
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	if err := unix.IoctlPidfdInfo(pidfd, &info); err != nil || info.Mask&unix.PIDFD_INFO_EXIT == 0 {
		return 0, false
	}
	return unix.WaitStatus(info.Exit_code), true
}
