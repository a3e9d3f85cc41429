package ptrace

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// WatchExit returns a channel that is closed when process pid has ended or
// stop was called, and what tells how it has ended, where the kernel says that (Linux
// 6.15, or to its parent's user before it is waited for). It holds a pidfd, so a later process of the same number is
// not mistaken for it; it traces nothing.
func WatchExit(pid int) (gone <-chan struct{}, stop func(), err error) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, nil, fmt.Errorf("watching process %d: %w", pid, exited(err))
	}
	// The pipe ends the wait when stop closes its writing end.
	r, w, err := os.Pipe()
	if err != nil {
		unix.Close(fd)
		return nil, nil, fmt.Errorf("watching process %d: %w", pid, err)
	}
	ch := make(chan struct{})
	go func() {
		defer close(ch)
		defer unix.Close(fd)
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
	return ch, sync.OnceFunc(func() { w.Close() }), nil
}
