package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

// AttachOptions are the choices for Attach. The zero value is good.
type AttachOptions struct {
	// Logger gets what is worth knowing but no error; nil discards it.
	Logger *slog.Logger
	// MaxPause bounds how long the target may stand still before a change is
	// made: after that the threads are let go and Patch fails with
	// ErrPauseTooLong or the cause, having changed nothing. 0 means that 1 s is
	// allowed for all threads to stop. A detach is not bound by it.
	MaxPause time.Duration
	// NoRealTime keeps the tracer's thread at its own priority during stops.
	// By default it asks for real-time priority, which needs a privilege
	// (RLIMIT_RTPRIO or CAP_SYS_NICE) and shortens stops of busy targets.
	NoRealTime bool
	// TrySeccomp goes on although a thread of the target has a seccomp filter.
	// A filter that kills for mmap or memfd_create then kills the target.
	TrySeccomp bool
	// Look is for looking only: Attach does not clean up after a functap that
	// died, and a live one is no reason to fail. Patch fails with ErrLookOnly.
	Look bool
}

// Process is a target. It is made by Attach and put right by Close.
type Process struct {
	pid    int
	opts   AttachOptions
	log    *slog.Logger
	tracer *ptrace.Tracer
	ident  identity

	room sync.RWMutex // see WithRoom; taken before mu
	mu   sync.Mutex   // orders all changes of the target
	// restorers is what signal frames are recognised by; see prepareFrames.
	restorers []uint64

	images       []*Image
	session      *session         // nil until the first patch
	sites        map[uint64]*Slot // by address of the overwritten bytes
	spare        map[uint64]*Slot // made, but not written; for the next patch
	unwinders    *unwinders       // nil until somebody asks
	switches     *bool            // the target switches stacks itself; see prepareContexts
	stopMaps     []procfs.Mapping // see mapsInStop
	detaching    bool
	searched     func(addr uint64, b []byte) // is shown all memory that eachFrame reads
	pauses       []Pause
	onDetach     []*func()
	beforeDetach []*func()
	cleaned      Cleaned
	former       []int // fork children of a program that was replaced, see FollowExec
	closed       bool

	watch *ptrace.Watch
	done  chan struct{}
}

// Attach prepares for hooking process pid: it checks that it may be traced,
// reads its maps and opens its files. It stops nothing and changes nothing,
// except that it first cleans up what a functap that was killed has left
// there. Another functap that is alive makes it fail with ErrBusy.
//
// If the target is a child of the calling process, do not be in a Wait for it
// while it is being stopped (Patch, Close and the like): the kernel offers a
// child's ptrace stops to every waiter of its parent, so that Wait would
// return early. Wait on Done first.
func Attach(ctx context.Context, pid int, opts *AttachOptions) (*Process, error) {
	p, err := newProcess(pid, opts)
	if err == nil {
		if err = p.settle(p.start(ctx)); err != nil {
			p.tracer.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("attaching to process %d: %w", pid, err)
	}
	return p, nil
}

// newProcess is what Attach and Recover have in common: checks, and the
// tracer's thread.
func newProcess(pid int, opts *AttachOptions) (*Process, error) {
	p := &Process{pid: pid, sites: map[uint64]*Slot{}, spare: map[uint64]*Slot{}, done: make(chan struct{})}
	if opts != nil {
		p.opts = *opts
	}
	if p.log = p.opts.Logger; p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if err := afterOthers(context.Background(), func() error { return ptrace.Check(pid) }); err != nil {
		return nil, wrapExit(err)
	}
	var err error
	if p.ident, err = identify(pid); err != nil {
		return nil, err
	}
	p.tracer, err = ptrace.NewTracer()
	return p, err
}

func (p *Process) start(ctx context.Context) error {
	if !p.opts.Look {
		if _, err := p.sweepRemains(ctx, false); err != nil {
			return err
		}
	}
	maps, err := mapsOf(p.pid)
	if err != nil {
		return err
	}
	if p.images, err = images(p.pid, maps); err != nil {
		return err
	}
	if len(p.images) == 0 {
		return fmt.Errorf("process %d has no executable file mapped", p.pid)
	}
	if p.watch, err = ptrace.WatchExit(p.pid); err != nil {
		return err
	}
	go func() {
		<-p.watch.Gone
		close(p.done)
	}()
	return nil
}

// PID is the target's process id.
func (p *Process) PID() int { return p.pid }

// Done is closed when the target has ended (or the Process was closed).
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitStatus tells how the target has ended, once Done is closed. It is not known before
// Linux 6.15, nor after Close of a target that goes on.
func (p *Process) ExitStatus() (status syscall.WaitStatus, known bool) {
	select {
	case <-p.done:
		s, known := p.watch.Status()
		return syscall.WaitStatus(s), known
	default:
		return 0, false
	}
}

// Images are the files that the target had mapped at Attach, the program
// first.
func (p *Process) Images() iter.Seq[*Image] { return slices.Values(p.images) }

// Executable is the target's program.
func (p *Process) Executable() *Image { return p.images[0] }

// OnDetach has f called once by Close, when no thread of the target runs
// generated code any more and its counters can still be read. f must not call
// methods of the Process. cancel takes that back; it waits for a Close that is
// under way.
func (p *Process) OnDetach(f func()) (cancel func()) {
	return p.listen(&p.onDetach, f)
}

// BeforeDetach is OnDetach at the beginning of Close, while everything still runs.
func (p *Process) BeforeDetach(f func()) (cancel func()) { return p.listen(&p.beforeDetach, f) }

func (p *Process) listen(list *[]*func(), f func()) (cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &f
	*list = append(*list, e)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		*list = slices.DeleteFunc(*list, func(x *func()) bool { return x == e })
	}
}

// Pause is one time the target stood still.
type Pause struct {
	Why      string        // "map", "patch", "collect", "detach", "unmap", "rings", "look"
	Stopped  time.Duration // from the first thread stopped to the last resumed
	Threads  int           // stopped
	RealTime bool          // the tracer ran at real-time priority meanwhile
}

// Pauses lists the stops so far, oldest first.
func (p *Process) Pauses() []Pause {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.pauses)
}

// detachPatience is how long a detach may wait for all threads to stop,
// whatever MaxPause is: giving up would leave the hooks in.
const detachPatience = 5 * time.Second

func (p *Process) stopOptions() ptrace.StopOptions {
	o := ptrace.StopOptions{MaxStop: p.opts.MaxPause, NoRealTime: p.opts.NoRealTime}
	if p.detaching {
		o.MaxStop = detachPatience
	}
	return o
}

// tooLong names a stop that failed because MaxPause was shorter than the second
// that threads have otherwise.
func (p *Process) tooLong(err error) error {
	late := errors.Is(err, ptrace.ErrThreadStuck) || errors.Is(err, ptrace.ErrThreadsUnstable)
	if late && p.opts.MaxPause > 0 && !p.detaching {
		return fmt.Errorf("%w: %w", ErrPauseTooLong, err)
	}
	return err
}

// checkPause fails if the target has stood still for longer than it may.
func (p *Process) checkPause(since time.Time) error {
	if limit := p.opts.MaxPause; limit > 0 && time.Since(since) > limit {
		return fmt.Errorf("%w: %v are over and nothing is changed yet", ErrPauseTooLong, limit)
	}
	return nil
}

// stopAll runs fn with all threads stopped, after checking that the process
// still is the one that was attached to.
func (p *Process) stopAll(ctx context.Context, why string, fn func(*ptrace.Stop) error) error {
	var rep ptrace.Report
	err := afterOthers(ctx, func() (err error) {
		rep, err = p.tracer.Stop(ctx, p.pid, p.stopOptions(), func(s *ptrace.Stop) error {
			if err := p.ident.check(p.pid); err != nil {
				return err
			}
			p.stopMaps = nil
			return fn(s)
		})
		return err
	})
	p.paused(why, rep)
	return wrapExit(p.tooLong(err))
}

// mapsInStop are the target's mappings, which do not change while all its
// threads stand still: they are read once a stop.
func (p *Process) mapsInStop() ([]procfs.Mapping, error) {
	if p.stopMaps == nil {
		maps, err := mapsOf(p.pid)
		if err != nil {
			return nil, err
		}
		p.stopMaps = maps
	}
	return p.stopMaps, nil
}

func (p *Process) paused(why string, r ptrace.Report) {
	if r.Threads > 0 {
		p.pauses = append(p.pauses, Pause{why, r.Stopped, r.Threads, r.RealTime})
		p.log.Debug("target stopped", "why", why, "threads", r.Threads, "for", r.Stopped, "realtime", r.RealTime)
	}
}

// wrapExit makes the sentinels of this package out of those below it.
func wrapExit(err error) error {
	switch {
	case errors.Is(err, ptrace.ErrExited), errors.Is(err, ptrace.ErrNoProcess), errors.Is(err, ptrace.ErrZombie):
		return fmt.Errorf("%w: %w", ErrExited, err)
	case errors.Is(err, ptrace.ErrExeced):
		return fmt.Errorf("%w: %w", ErrExeced, err)
	}
	return err
}

// identity tells a process from a later one with its PID, and a program from
// the one it execs: the kernel builds a new auxiliary vector, with new random
// addresses, for each exec.
type identity struct {
	start uint64
	auxv  []byte
	exe   os.FileInfo
}

func identify(pid int) (identity, error) {
	st, err := procfs.ReadStat(pid)
	if err != nil {
		return identity{}, wrapGone(err)
	}
	auxv, err := os.ReadFile(procPath(pid, "auxv"))
	if err != nil {
		return identity{}, fmt.Errorf("reading the auxiliary vector: %w", wrapVanished(err))
	}
	exe, err := os.Stat(procPath(pid, "exe"))
	if err != nil {
		return identity{}, fmt.Errorf("looking at the program's file: %w", wrapVanished(err))
	}
	return identity{st.StartTime, auxv, exe}, nil
}

func (id identity) check(pid int) error {
	now, err := identify(pid)
	switch {
	case err != nil:
		return err
	case now.start != id.start:
		return ErrExited
	case !os.SameFile(now.exe, id.exe) || !bytes.Equal(now.auxv, id.auxv):
		return ErrExeced
	}
	return nil
}

// wrapVanished is for files of procfs that were opened here.
func wrapVanished(err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("%w: %w", ErrExited, err)
	}
	return err
}

func wrapGone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%w: %w", ErrExited, err)
	}
	return err
}
