package ptrace

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// undertaker collects killed threads while the tracer's thread cannot.
//
// An exec kills all other threads and waits until they have been collected, which
// for traced ones is the tracer's duty. Meanwhile it holds the mutex that
// PTRACE_SEIZE takes (cred_guard_mutex). A tracer that already holds threads and
// seizes one more would wait for the exec, and the exec for the tracer, for ever.
// Waiting may be done by any thread of the tracing process: this is one.
type undertaker struct {
	mu    sync.Mutex
	tids  []int
	timer *time.Timer
}

// patience is how long seizing may take before somebody looks after the dead.
const patience = 10 * time.Millisecond

func newUndertaker() *undertaker {
	u := &undertaker{}
	u.timer = time.AfterFunc(patience, u.work)
	return u
}

// add gives a thread, never the main one, which the kernel buries itself.
func (u *undertaker) add(tid int) {
	u.mu.Lock()
	u.tids = append(u.tids, tid)
	u.mu.Unlock()
}

// stop returns when the undertaker will not touch a thread any more.
func (u *undertaker) stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tids = nil
	u.timer.Stop()
}

func (u *undertaker) work() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, tid := range u.tids {
		// Stops are left to the tracer. A thread that is dead remains so.
		event, _, err := waitID(tid, unix.WEXITED|unix.WNOWAIT)
		if err == nil && event != 0 && event != cldTrapped && event != cldStopped {
			waitID(tid, unix.WEXITED) //nolint:errcheck // the tracer may have been quicker
		}
	}
	if u.tids != nil {
		u.timer.Reset(time.Millisecond)
	}
}
