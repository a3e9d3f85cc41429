package trampoline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
)

// Counter counts the calls of a set of functions.
type Counter struct {
	p     *hook.Process
	patch *hook.Patch
	cells []hook.Cell // beside patch.Slots

	mu     sync.Mutex
	final  []uint64 // the counts, once they can no longer change
	closed bool
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
	if err := c.attach(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("counting: %w", err), c.Close())
	}
	p.OnDetach(c.freeze)
	return c, nil
}

func (c *Counter) attach(ctx context.Context) error {
	for _, s := range c.patch.Slots {
		cell, err := s.NewCell()
		if err != nil {
			return err
		}
		c.cells = append(c.cells, cell)
		err = add(s, cell)
		if errors.Is(err, arena.ErrFull) {
			if _, err := c.p.Collect(ctx); err != nil {
				return err
			}
			err = add(s, cell)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attached is a site's immutable list of counters.
type attached []hook.Cell

func add(s *hook.Slot, cell hook.Cell) error {
	return s.Update(func(old any) (any, hook.Generator) {
		list, _ := old.(attached)
		list = append(slices.Clone(list), cell)
		return list, program(s, list)
	})
}

func remove(s *hook.Slot, cell hook.Cell) error {
	return s.Update(func(old any) (any, hook.Generator) {
		list, _ := old.(attached)
		list = slices.DeleteFunc(slices.Clone(list), func(c hook.Cell) bool { return c == cell })
		return list, program(s, list)
	})
}

// program generates for a list; for an empty one the site is idle.
func program(s *hook.Slot, list attached) hook.Generator {
	if len(list) == 0 {
		return nil
	}
	places := make([]codegen.Cell, len(list))
	for i, c := range list {
		places[i] = c.Place()
	}
	d, env := s.Displaced(), s.Env()
	return func(at uint64) (codegen.Code, int, error) { return codegen.Count(at, d, env, places) }
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
	final := make([]uint64, len(c.cells))
	for i := range c.cells {
		final[i] = c.cells[i].Read()
	}
	c.final, c.closed = final, true
}

// Close stops counting. Calls that are inside a counting program at that moment
// may still be counted. The functions stay patched, idle, until the Process is
// closed. It is idempotent.
func (c *Counter) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	var errs []error
	for i, cell := range c.cells {
		errs = append(errs, remove(c.patch.Slots[i], cell))
	}
	return errors.Join(append(errs, c.patch.Close())...)
}
