package trampoline

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/functap/functap/hook"
)

// Counter counts the calls of a set of functions. Safe for concurrent use.
type Counter struct {
	p      *hook.Process
	patch  *hook.Patch
	cancel func() // of OnDetach

	closing sync.Once
	err     error // of closing

	mu    sync.Mutex
	cells []hook.Cell // beside patch.Slots
	final []uint64    // the counts, once they can no longer change
}

// FunctionCount is one function's number of calls.
type FunctionCount struct {
	Function *hook.Function
	Calls    uint64
}

// Count patches the sites, where they are not patched yet, and starts counting
// calls of each. Calls that a thread began before are not counted; every later
// one is, once, also when a signal handler or a new thread makes it. Calls
// made by fork children are nobody's: children count nothing.
//
// Counting ends with Close, or when the Process is closed.
func Count(ctx context.Context, p *hook.Process, sites []hook.Site) (*Counter, error) {
	patch, err := p.Patch(ctx, sites)
	if err != nil {
		return nil, fmt.Errorf("counting: %w", err)
	}
	c := &Counter{p: p, patch: patch}
	c.cancel = p.OnDetach(c.freeze)
	if err := c.attach(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("counting: %w", err), c.Close())
	}
	return c, nil
}

func (c *Counter) attach(ctx context.Context) error {
	for _, s := range c.patch.Slots {
		var cell hook.Cell
		err := c.p.WithRoom(ctx, func() (err error) {
			cell, err = s.NewCell()
			return err
		})
		if err != nil {
			return err
		}
		if !c.keep(cell) {
			return hook.ErrClosed
		}
		if err := Attach(ctx, c.p, s, Attachment{Cell: cell}); err != nil {
			return err
		}
	}
	return nil
}

// keep reports false if the Process was closed meanwhile.
func (c *Counter) keep(cell hook.Cell) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.final != nil {
		return false
	}
	c.cells = append(c.cells, cell)
	return true
}

// Read returns the number of calls so far of each function, in the order of
// the sites that are counted. It may be called at any time, also after Close
// and after the target has ended.
func (c *Counter) Read() []FunctionCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]FunctionCount, len(c.cells))
	for i := range c.cells {
		out[i] = FunctionCount{c.patch.Slots[i].Site().Function, c.count(i)}
	}
	return out
}

func (c *Counter) count(i int) uint64 {
	if c.final != nil {
		return c.final[i]
	}
	return c.cells[i].Read()
}

// Refused lists the functions that could not be patched in the running target,
// with the reason.
func (c *Counter) Refused() []*hook.UnpatchableError { return c.patch.Refused }

// freeze keeps the counts; the memory they are in goes away.
func (c *Counter) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.final != nil {
		return
	}
	c.final = make([]uint64, len(c.cells))
	for i, cell := range c.cells {
		c.final[i] = cell.Read()
	}
}

// Close stops counting; the counts stay as they are. Calls that are inside a
// counting program at that moment may be counted or not. The functions stay
// patched, idle if nothing else is attached, until the Process is closed. It is
// idempotent, and no error after the Process was closed.
//
// Where others count the same functions, memory in the target is needed to go
// on without this one. If there is none this one goes on too, unread, and the
// error says so.
func (c *Counter) Close() error {
	c.closing.Do(func() { c.err = c.close() })
	return c.err
}

func (c *Counter) close() error {
	var errs []error
	removed := make([]bool, len(c.cells))
	for i, cell := range c.cells {
		s := c.patch.Slots[i]
		err := Detach(c.p, s, Attachment{Cell: cell})
		removed[i] = err == nil
		if !errors.Is(err, hook.ErrClosed) {
			errs = append(errs, err)
		}
	}
	c.freeze()
	c.cancel()
	for i, cell := range c.cells {
		if removed[i] {
			c.patch.Slots[i].Release(cell)
		}
	}
	return errors.Join(errs...)
}
