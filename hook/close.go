package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/functap/functap/internal/arena"
)

// Close puts the target back: one stop in which the original bytes return and
// threads leave generated code, then another one to unmap what was
// mapped. The error is ErrDraining if something had to stay; Close may then
// be called again. A target that has ended is no error. Close is idempotent.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if err := p.detach(context.Background()); err != nil {
		return fmt.Errorf("detaching from process %d: %w", p.pid, err)
	}
	p.closed = true
	p.watch.Stop()
	for _, im := range p.images {
		im.module.Close()
	}
	return p.tracer.Close()
}

func (p *Process) detach(ctx context.Context) error {
	if p.session == nil || len(p.session.arenas) == 0 {
		return nil
	}
	for _, f := range p.beforeDetach {
		(*f)()
	}
	for _, n := range p.session.arenas {
		n.endSlots()
	}
	c, err := p.clean(ctx, p.session.remains())
	p.cleaned = p.cleaned.and(c)
	err = p.settle(err)
	if errors.Is(err, ErrExited) || errors.Is(err, ErrExeced) {
		err = nil // there is nothing to put back
	}
	if err != nil {
		return err
	}
	for _, f := range p.onDetach {
		(*f)()
	}
	p.endSession()
	return nil
}

// endSession lets go of the tracer's side, after the target's is gone.
func (p *Process) endSession() {
	s := p.session
	p.session = nil
	p.tracer.Do(func() error {
		if s.lock != nil {
			s.lock.Release()
		}
		return nil
	})
	if s.rings != nil {
		if err := arena.Unmap(s.rings.mem); err != nil {
			p.log.Warn("unmapping event rings here", "err", err)
		}
	}
	for _, n := range s.arenas {
		if err := n.Unmap(); err != nil {
			p.log.Warn("unmapping an arena here", "err", err)
		}
	}
	clear(p.sites)
	clear(p.spare)
}

// endSlots makes later updates of slots fail: their memory goes away.
func (n *neighbourhood) endSlots() {
	for _, s := range n.slots {
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
	}
}

// and is what two attempts have put right together.
func (c Cleaned) and(o Cleaned) Cleaned {
	o.Sites += c.Sites
	o.Threads += c.Threads
	o.Frames += c.Frames
	o.Mappings += c.Mappings
	o.Descriptors += c.Descriptors
	o.Removed += c.Removed
	o.Unloaded += c.Unloaded
	return o
}

// Cleaned is what Close has put right.
func (p *Process) Cleaned() Cleaned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cleaned
}

// looksMost is how often what another functap is mapping or unmapping is looked at
// once more.
const looksMost = 20

// look finds what of functap's is in the process.
func (p *Process) look() (*remains, error) {
	mem, err := openMem(p.pid)
	if err != nil {
		return nil, wrapExit(err)
	}
	defer mem.Close()
	for try := 0; ; try++ {
		r, err := findRemains(p.pid, mem)
		if err == nil || try == looksMost || ended(p.pid) {
			return r, wrapGone(err)
		}
		time.Sleep(time.Millisecond) // it was unmapped between being found and being read
	}
}
