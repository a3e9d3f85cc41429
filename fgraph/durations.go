package fgraph

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/tsc"
	"github.com/functap/functap/trampoline"
)

// Options are the choices for Measure. The zero value is good.
type Options struct {
	// Unwinds measures also where ErrUnwinds would be the answer. An exception that has to
	// pass a wrapped function then ends the program.
	Unwinds bool
	// Self measures self times, too, which takes some 3 ns more a call.
	Self bool
}

// Durations measures how long the calls of a set of functions take. Safe for concurrent
// use.
type Durations struct {
	p       *hook.Process
	patch   *hook.Patch
	refused []*hook.NoExitError
	clock   tsc.Clock
	self    bool
	cancel  func() // of OnDetach

	closing sync.Once
	err     error // of closing

	mu    sync.Mutex
	parts []part
	done  bool
}

// part is one function's.
type part struct {
	slot  *hook.Slot
	meter *trampoline.Meter
	final *raw // the statistics, once they can no longer change
}

// Measure patches the sites, where they are not patched yet, and measures every call
// that begins from then on. Functions whose returns cannot be hooked are left out, and
// listed by NoExit; if none is left, the error is the first one's.
//
// Measuring ends with Close, or when the Process is closed.
func Measure(ctx context.Context, p *hook.Process, sites []hook.Site, opts *Options) (*Durations, error) {
	return measure(ctx, p, sites, opts, nil)
}

// eventsFor says what a site's program records. It is asked when all are patched.
type eventsFor func(context.Context, *hook.Slot) (*codegen.Events, error)

func measure(ctx context.Context, p *hook.Process, sites []hook.Site, opts *Options, events eventsFor) (*Durations, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := checkTarget(p, opts); err != nil {
		return nil, fmt.Errorf("measuring durations: %w", err)
	}
	d := &Durations{p: p, clock: tsc.Start(), self: opts.Self}
	sites, err := d.sortOut(sites)
	if err != nil {
		return nil, fmt.Errorf("measuring durations: %w", err)
	}
	if err := p.CheckTime(ctx); err != nil {
		return nil, fmt.Errorf("measuring durations: %w", err)
	}
	if d.patch, err = p.Patch(ctx, sites); err != nil {
		return nil, fmt.Errorf("measuring durations: %w", err)
	}
	if err := serveUnwinders(ctx, p, opts); err != nil {
		return nil, fmt.Errorf("measuring durations: %w", err)
	}
	d.cancel = p.OnDetach(d.freeze)
	if err := d.attach(ctx, events); err != nil {
		return nil, errors.Join(fmt.Errorf("measuring durations: %w", err), d.Close())
	}
	return d, nil
}

// checkTarget refuses targets in which no function can be wrapped.
func checkTarget(p *hook.Process, opts *Options) error {
	if err := checkCopies(p); err != nil {
		return err
	}
	return allowed(p.CheckUnwinders(), opts)
}

// serveUnwinders comes before the first function is wrapped.
func serveUnwinders(ctx context.Context, p *hook.Process, opts *Options) error {
	return allowed(p.ServeUnwinders(ctx), opts)
}

// allowed is nil for an ErrUnwinds that the options allow.
func allowed(err error, opts *Options) error {
	if opts.Unwinds && errors.Is(err, ErrUnwinds) {
		return nil
	}
	return err
}

// sortOut leaves out the sites whose returns cannot be hooked.
func (d *Durations) sortOut(sites []hook.Site) (good []hook.Site, err error) {
	for _, s := range sites {
		err := s.Exit()
		var no *hook.NoExitError
		switch {
		case err == nil:
			good = append(good, s)
		case errors.As(err, &no):
			d.refused = append(d.refused, no)
		default:
			return nil, err
		}
	}
	if len(good) == 0 && len(d.refused) > 0 {
		return nil, d.refused[0]
	}
	return good, nil
}

func (d *Durations) attach(ctx context.Context, events eventsFor) error {
	for _, s := range d.patch.Slots {
		p := part{slot: s, meter: &trampoline.Meter{Self: d.self}}
		if events != nil {
			var err error
			if p.meter.Events, err = events(ctx, s); err != nil {
				return err
			}
		}
		if err := trampoline.Attach(ctx, d.p, s, p.attachment()); err != nil {
			return err
		}
		if !d.keep(p) {
			return hook.ErrClosed
		}
	}
	return nil
}

func (p *part) attachment() trampoline.Attachment {
	return trampoline.Attachment{Meter: p.meter}
}

// keep reports false if the Process was closed meanwhile.
func (d *Durations) keep(p part) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done {
		return false
	}
	d.parts = append(d.parts, p)
	return true
}

// Read returns the statistics so far of each function, in the order of the sites that
// are measured. It may be called at any time, also after Close and after the target has
// ended. Until the Process is closed, calls that were left by longjmp are counted as
// inflight until their frame is found to be stale.
func (d *Durations) Read() []FunctionDurations {
	tick := d.clock.Tick()
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]FunctionDurations, len(d.parts))
	for i := range d.parts {
		p := &d.parts[i]
		r := p.final
		if r == nil {
			r = read(p.meter, false)
		}
		out[i] = r.times(p.slot.Site().Function, tick)
	}
	return out
}

// Refused lists the functions that could not be patched in the running target.
func (d *Durations) Refused() []*hook.UnpatchableError { return d.patch.Refused }

// NoExit lists the functions that are not measured since their returns cannot be hooked.
func (d *Durations) NoExit() []*hook.NoExitError { return d.refused }

// freeze keeps the statistics; the memory they are in goes away. After a detach
// everything that was running is counted.
func (d *Durations) freeze() { d.end(!d.gone()) }

// gone reports whether the target has ended, or begun another program: then what was
// running is what has not come back.
func (d *Durations) gone() bool {
	select {
	case <-d.p.Done():
		return true
	default:
		return d.p.Execed()
	}
}

func (d *Durations) end(detached bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done {
		return
	}
	d.done = true
	for i := range d.parts {
		d.parts[i].final = read(d.parts[i].meter, detached)
	}
}

// Close stops measuring; the statistics stay as they are. Calls that are running at that
// moment stay inflight. The functions stay patched until the Process is closed. It is
// idempotent, and no error after the Process was closed.
func (d *Durations) Close() error {
	d.closing.Do(func() { d.err = d.close() })
	return d.err
}

func (d *Durations) close() error {
	var errs []error
	for i := range d.parts {
		p := &d.parts[i]
		err := trampoline.Detach(d.p, p.slot, p.attachment())
		if !errors.Is(err, hook.ErrClosed) {
			errs = append(errs, err)
		}
	}
	d.end(false)
	d.cancel()
	return errors.Join(errs...)
}
