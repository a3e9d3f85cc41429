package fgraph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/ring"
)

// RecordOptions are the choices for Record. The zero value is good.
type RecordOptions struct {
	Options
	// Longer records only calls that took at least so long, and these only when they
	// have ended. 0 records the entry and exit of every call.
	Longer time.Duration
	// Interval is how often the rings are looked at; 0 means 10 ms. An event is told
	// one or two of these after it was made. Shorter ones cost the target time.
	Interval time.Duration
}

const defaultInterval = 10 * time.Millisecond

// Recorder records calls of a set of functions as events, and measures them as
// Durations does. Safe for concurrent use, though events are for one reader.
//
// Each thread of the target writes its events to a ring of its own, from which Read
// takes them. Where nobody reads, rings run full, and events are lost and counted; the
// target is never held up.
type Recorder struct {
	p        *hook.Process
	d        *Durations
	interval time.Duration
	longer   time.Duration
	cancel   func() // of OnDetach

	closing sync.Once
	err     error // of closing

	mu    sync.Mutex // taken under the Process's own; it is not called meanwhile
	rings *hook.Rings
	reader
	names    threadNames
	queue    []Event // read, and not told yet
	drained  bool    // the rings are not read any more
	ended    bool    // nothing more comes
	over     chan struct{}
	deadline time.Time
	changed  chan struct{} // closed when deadline changes
}

// Record patches the sites, where they are not patched yet, and records every call
// that begins from then on, until Close, or until the Process is closed. Functions
// whose returns cannot be hooked are left out, as by Measure. One Recorder can be at a
// target at a time: hook.ErrRingsBusy.
func Record(ctx context.Context, p *hook.Process, sites []hook.Site, opts *RecordOptions) (*Recorder, error) {
	var o RecordOptions
	if opts != nil {
		o = *opts
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	r := &Recorder{p: p, interval: o.Interval, longer: o.Longer, over: make(chan struct{}), changed: make(chan struct{}),
		names: threadNames{p.PID(), map[int]string{}}}
	r.reader.start()
	d, err := measure(ctx, p, sites, &o.Options, r.events)
	if err != nil {
		r.release()
		return nil, fmt.Errorf("recording: %w", err)
	}
	r.mu.Lock()
	r.d = d
	r.mu.Unlock()
	before, after := p.BeforeDetach(r.look), p.OnDetach(r.detached)
	r.cancel = func() { before(); after() }
	return r, nil
}

// events says what a site's program records; the first time, rings are made.
func (r *Recorder) events(ctx context.Context, s *hook.Slot) (*codegen.Events, error) {
	if r.rings == nil {
		rings, err := r.p.Rings(ctx)
		if err != nil {
			return nil, err
		}
		if err := r.open(r.p, rings); err != nil {
			rings.Done()
			return nil, err
		}
		r.rings = rings
	}
	id, err := r.rings.Number()
	if err != nil {
		return nil, err
	}
	r.functions[id] = s.Site().Function
	return &codegen.Events{Site: id, Records: r.rings.Records(), Shared: r.rings.Shared(), Longer: r.ticks(r.longer)}, nil
}

func (r *Recorder) ticks(d time.Duration) uint64 {
	if d <= 0 {
		return 0
	}
	return uint64(float64(d)/r.begin.Tick()) + 1
}

// release gives the rings back. It is not called under mu, since the Process is.
func (r *Recorder) release() {
	r.mu.Lock()
	rings := r.rings
	r.rings = nil
	r.mu.Unlock()
	if rings != nil {
		rings.Done()
	}
}

// Read waits for the next event. io.EOF: recording has ended, and all events are
// told. os.ErrDeadlineExceeded: there was none in time.
func (r *Recorder) Read() (Event, error) {
	var e Event
	err := r.ReadInto(&e)
	return e, err
}

// ReadInto is Read into memory of the caller's.
func (r *Recorder) ReadInto(e *Event) error {
	for {
		found, err := r.take(e)
		if found || err != nil {
			return err
		}
		if err := r.unblock(); err != nil {
			return err
		}
		if err := r.wait(); err != nil {
			return err
		}
	}
}

// take takes an event that has been read, or reads some.
func (r *Recorder) take(e *Event) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 && !r.drained && time.Since(r.looked) >= r.interval {
		r.round(false, r.tell)
	}
	if len(r.queue) == 0 {
		if r.ended {
			return false, io.EOF
		}
		return false, nil
	}
	*e = r.queue[0]
	r.queue = r.queue[1:]
	return true, nil
}

// wait waits for the next round.
func (r *Recorder) wait() error {
	r.mu.Lock()
	pause := r.interval - time.Since(r.looked)
	deadline, changed := r.deadline, r.changed
	r.mu.Unlock()
	if !deadline.IsZero() {
		left := time.Until(deadline)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		pause = min(pause, left)
	}
	if pause <= 0 {
		return nil
	}
	select {
	case <-r.over:
	case <-changed:
	case <-time.After(pause):
	}
	return nil
}

// unblock gives up records that nobody will finish.
func (r *Recorder) unblock() error {
	r.mu.Lock()
	stuck := !r.drained && r.stuckLong()
	r.mu.Unlock()
	if !stuck {
		return nil
	}
	deserted, err := r.p.Deserted(context.Background())
	if errors.Is(err, hook.ErrClosed) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if deserted && !r.drained {
		r.skip()
	}
	return err
}

// SetDeadline makes Read fail with os.ErrDeadlineExceeded when it has no event at
// that time. The zero value is for none.
func (r *Recorder) SetDeadline(t time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deadline = t
	close(r.changed)
	r.changed = make(chan struct{})
}

// Events are all events until the end. An error of Read ends them, io.EOF without
// being told.
func (r *Recorder) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, err := r.Read()
			if err == io.EOF || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// tell queues what the rings say.
func (r *Recorder) tell(tid int, c call, at func(uint64) time.Time) {
	r.names.note(tid)
	e := Event{Time: at(c.Time), TID: tid, Depth: c.depth, Unsure: c.unsure, Unwound: c.unwound}
	switch c.Kind {
	case ring.Entry, ring.Join:
		e.Type = Entry
		if !c.shared {
			e.Caller = c.Start
		}
	case ring.Exit:
		e.Type, e.Duration, e.Self = Exit, e.Time.Sub(at(c.Start)), -1
		if c.selfKnown {
			e.Self = e.Time.Sub(at(c.Time - c.self))
		}
	case ring.Lost:
		e.Type, e.Missing = Lost, c.Start
	}
	if r.longer > 0 {
		e.Depth = -1
	}
	switch {
	case e.Type != Lost:
		e.Function = r.functions[c.Site]
	case e.Missing == 0:
		return // told with those that follow
	}
	r.queue = append(r.queue, e)
}

// Durations are the statistics of the functions. They are exact also where events are
// lost.
func (r *Recorder) Durations() *Durations { return r.d }

// drain takes the last events; the memory they are in goes away. Once only.
func (r *Recorder) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.drained {
		r.round(true, r.tell)
		r.drained = true
	}
}

// end lets Read say that nothing more comes.
func (r *Recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		close(r.over)
	}
}

// detached is what a detach calls.
func (r *Recorder) detached() {
	r.drain()
	r.end()
}

// look reads the rings while threads can still be told by what is in their memory.
func (r *Recorder) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.drained {
		r.round(false, r.tell)
	}
}

// Close ends recording. What was recorded until then can still be read. The functions
// stay patched until the Process is closed. It is idempotent, ends a Read that waits,
// and is no error after the Process was closed.
func (r *Recorder) Close() error {
	r.closing.Do(func() {
		r.err = r.d.Close()
		r.cancel()
		r.drain()
		r.release()
		r.end()
	})
	return r.err
}
