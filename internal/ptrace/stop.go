package ptrace

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/functap/functap/internal/procfs"
)

const (
	defaultMaxStop = time.Second
	// vforkPatience is how long everybody is held for a vfork to end.
	vforkPatience = 10 * time.Millisecond
	// maxPause is how long everybody is let go in between.
	maxPause = 20 * time.Millisecond
	// maxPuzzled is how often a refusal without a reason is tried again.
	maxPuzzled = 5
)

// StopOptions are the options of Stop. The zero value is the normal choice.
type StopOptions struct {
	// MaxStop limits the time until all threads have stopped; 0 means 1 s.
	// It does not limit the function that is then called.
	MaxStop time.Duration
	// NoRealTime keeps the tracer's thread at its normal priority.
	NoRealTime bool
}

// Report tells what a stop cost. It is also valid beside an error.
type Report struct {
	Threads  int           // held while the function ran
	Stopped  time.Duration // from the first request to stop to the last release
	RealTime bool          // the tracer's thread had real-time priority meanwhile
	Rewound  int           // system calls restarted that would have returned EINTR
}

// Stop is a stopped process, or one stopped thread of it. It is valid only
// within the function that it is given to, on the tracer's thread.
type Stop struct {
	ctx      context.Context
	tracer   *Tracer
	pid      int
	only     int // the one thread to stop, or 0 for all
	threads  []*Thread
	known    map[int]bool
	mem      *Mem
	deadline time.Time
	since    time.Time // first interrupt
	rewound  int
	child    bool // the process is a child of the tracing one
	puzzled  int  // refusals that had no reason
	// undertaker is there while threads are being gathered.
	undertaker *undertaker
}

// PID is the process's id.
func (s *Stop) PID() int { return s.pid }

// Threads are the stopped threads. Kernel workers of io_uring, which never run
// code of the process, and a main thread that has ended are not among them.
func (s *Stop) Threads() []*Thread { return s.threads }

// Mem is the process's memory. It is closed when the stop ends.
func (s *Stop) Mem() *Mem { return s.mem }

// Stop stops all threads of the process pid, runs fn on the tracer's thread, and
// releases them, whatever fn does. The error of fn is returned as it is.
//
// Processes outside the thread group that share the memory are waited for;
// ErrSharedVM is returned if they do not go away in time. Only descendants can
// be found.
func (t *Tracer) Stop(ctx context.Context, pid int, o StopOptions, fn func(*Stop) error) (Report, error) {
	return t.stop(ctx, pid, 0, o, fn)
}

// StopThread stops the thread tid of process pid alone, runs fn on the tracer's
// thread and releases it. The process's other threads go on running.
func (t *Tracer) StopThread(ctx context.Context, pid, tid int, o StopOptions, fn func(*Stop, *Thread) error) (Report, error) {
	return t.stop(ctx, pid, tid, o, func(s *Stop) error { return fn(s, s.threads[0]) })
}

func (t *Tracer) stop(ctx context.Context, pid, only int, o StopOptions, fn func(*Stop) error) (Report, error) {
	limit := o.MaxStop
	if limit == 0 {
		limit = defaultMaxStop
	}
	var report Report
	err := t.Do(func() error {
		if !o.NoRealTime {
			// Before the clock starts: a busy target can keep a thread of normal
			// priority waiting for seconds.
			restore, granted := raisePriority()
			report.RealTime = granted
			defer restore()
		}
		defer holdSIGCHLD()()
		if err := precheck(pid, only); err != nil {
			return err
		}
		child, err := procfs.ReadStat(pid)
		if err != nil {
			return missing(pid)
		}
		s := &Stop{ctx: ctx, tracer: t, pid: pid, only: only, child: child.PPID == os.Getpid(),
			deadline: time.Now().Add(limit)}
		return s.retry(&report, fn)
	})
	return report, err
}

// retry lets everybody go for a while when another process shares the memory:
// the end of a vfork is waited for in peace.
func (s *Stop) retry(report *Report, fn func(*Stop) error) (shared error) {
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		s.tracer.sweep()
		s.threads, s.known, s.since = nil, map[int]bool{}, time.Time{}
		err := s.run(report, fn)
		switch {
		case errors.Is(err, ErrSharedVM):
			shared = err
		case errors.Is(err, ErrThreadStuck) && shared != nil:
			return shared
		default:
			return err
		}
		nap(pause)
		if s.expired() != nil {
			return shared
		}
	}
}

// run is one attempt. fn runs only if everything stands still.
func (s *Stop) run(report *Report, fn func(*Stop) error) (err error) {
	defer func() {
		if lost := s.release(); err == nil {
			err = lost
		}
		report.Rewound = s.rewound
		if !s.since.IsZero() {
			report.Stopped = time.Since(s.since)
		}
	}()
	if err := s.gather(); err != nil {
		return err
	}
	report.Threads = len(s.threads)
	if s.mem, err = OpenMem(s.threads[0].tid); err != nil {
		return err
	}
	defer s.mem.Close() //nolint:errcheck // nothing is buffered
	s.mem.poker = s
	return fn(s)
}

// expired tells whether the wait for the stop must end, and why.
func (s *Stop) expired() error {
	if err := s.ctx.Err(); err != nil {
		return context.Cause(s.ctx)
	}
	if time.Now().After(s.deadline) {
		return context.DeadlineExceeded
	}
	return nil
}
