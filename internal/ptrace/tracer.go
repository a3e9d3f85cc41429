package ptrace

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrClosed is returned by every method of a closed Tracer.
var ErrClosed = errors.New("tracer is closed")

// Tracer is one goroutine on one operating system thread of its own. All ptrace
// requests and waits are made there, as the kernel demands. Its methods may be
// called from any goroutine; they run one after another.
type Tracer struct {
	requests chan *request
	quit     chan struct{}
	done     chan struct{}
	once     sync.Once
	tid      int
	// lingering holds threads that could not be let go because they did not
	// stop in time (or are exiting). They are let go as soon as they stop.
	lingering map[int]*Thread
}

type request struct {
	fn       func() error
	err      error
	panicked any
	goexit   bool
	done     chan struct{}
}

// NewTracer starts the tracer's thread. Close ends it.
func NewTracer() (*Tracer, error) {
	t := &Tracer{
		requests:  make(chan *request),
		quit:      make(chan struct{}),
		done:      make(chan struct{}),
		lingering: map[int]*Thread{},
	}
	ready := make(chan error)
	go t.start(ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return t, nil
}

// start finds a thread that can be given up later. The process's main thread is
// not one: the Go runtime never ends it, and only a thread's end lets go of what
// could not be detached.
func (t *Tracer) start(ready chan error) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		other := make(chan error)
		go t.start(other)
		err := <-other
		runtime.UnlockOSThread()
		ready <- err
		return
	}
	t.tid = unix.Gettid()
	// Waiting for stops is a matter of microseconds; the default slack of a
	// timer is 50 of them. It is this thread's own setting and ends with it.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		close(t.done)
		ready <- fmt.Errorf("setting the timer slack: %w", err)
		return
	}
	ready <- nil
	t.serve()
}

// serve runs until Close. The thread stays locked, so it ends with the
// goroutine; nothing is held then, because every request lets go of what it
// stopped, whatever happens in it.
func (t *Tracer) serve() {
	defer close(t.done)
	wait := time.Millisecond
	for {
		var look <-chan time.Time
		if len(t.lingering) > 0 {
			look = time.After(wait)
		}
		select {
		case <-t.quit:
			return
		case r := <-t.requests:
			r.run()
			wait = time.Millisecond
		case <-look:
			t.sweep()
			wait = min(wait+wait/8, 10*time.Millisecond)
		}
	}
}

// run executes the request; a panic is kept for the caller.
func (r *request) run() {
	finished := false
	defer func() {
		if !finished {
			r.panicked = recover()
			r.goexit = r.panicked == nil
		}
		close(r.done)
	}()
	r.err = r.fn()
	finished = true
}

// Do runs fn on the tracer's thread and returns its error. A panic in fn is
// raised again in the caller. If fn ends its goroutine (runtime.Goexit), so does
// the caller, and the tracer is closed. Within fn, Do runs its argument directly.
func (t *Tracer) Do(fn func() error) error {
	select {
	case <-t.done:
		return ErrClosed
	default:
	}
	if unix.Gettid() == t.tid { // only the tracer's own goroutine runs on its thread
		return fn()
	}
	r := &request{fn: fn, done: make(chan struct{})}
	select {
	case t.requests <- r:
	case <-t.done:
		return ErrClosed
	}
	<-r.done
	if r.panicked != nil {
		panic(r.panicked)
	}
	if r.goexit {
		runtime.Goexit()
	}
	return r.err
}

// TID is the id of the tracer's thread.
func (t *Tracer) TID() int { return t.tid }

// Close ends the tracer's thread after the request that is being served. The
// kernel then lets go of threads that never stopped. It may be called twice.
func (t *Tracer) Close() error {
	t.once.Do(func() { close(t.quit) })
	<-t.done
	return nil
}
