package hook

import (
	"context"
	"errors"
	"fmt"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/sigframe"
)

// Collect makes the memory of replaced programs and released cells usable again,
// in one stop that shows which programs no thread and no interrupted signal frame
// stands in. It returns how many programs were freed. While a fork child shares the memory nothing is
// freed, since it may run any of them.
func (p *Process) Collect(ctx context.Context) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, ErrClosed
	}
	if p.session == nil {
		return 0, nil
	}
	n, err := p.collect(ctx)
	if err != nil {
		return n, fmt.Errorf("collecting programs: %w", p.settle(err))
	}
	return n, nil
}

// collections is how often memory is made for one thing: threads may stand in what
// has just been replaced.
const collections = 20

// WithRoom runs do, which takes memory in the target (Slot.NewCell, Slot.Update). If
// it fails with ErrFull, Collect makes room and it runs again, while all others who
// use WithRoom wait: what was freed for one is not taken by another. do must not use
// WithRoom or methods of the Process itself. The error of do is returned as it is.
func (p *Process) WithRoom(ctx context.Context, do func() error) error {
	p.room.RLock()
	err := do()
	p.room.RUnlock()
	if !errors.Is(err, ErrFull) {
		return err
	}
	p.room.Lock()
	defer p.room.Unlock()
	for try := 0; try < collections && errors.Is(err, ErrFull); try++ {
		freed, cerr := p.Collect(ctx)
		if cerr != nil {
			return cerr
		}
		if err = do(); freed == 0 && try > 0 {
			break // nothing is to be freed: it is really full
		}
	}
	return err
}

func (p *Process) collect(ctx context.Context) (n int, err error) {
	if err := p.prepareFrames(); err != nil {
		return 0, err
	}
	// Looking at all processes takes long, so in the stop only new ones are.
	known, children, err := p.survey(nil)
	if err != nil || len(children) > 0 {
		return 0, err
	}
	err = p.stopAll(ctx, "collect", func(st *ptrace.Stop) error {
		_, children, err := p.survey(known)
		if err != nil || len(children) > 0 {
			return err
		}
		used, err := p.standing(st)
		if err != nil {
			return err
		}
		n = p.session.free(used)
		return nil
	})
	return n, err
}

// unitKey names a unit across arenas.
type unitKey struct {
	n    *neighbourhood
	unit int
}

// Deserted makes one stop and reports whether nobody stands in a program then: what
// one has begun and not finished, nobody will finish.
func (p *Process) Deserted(ctx context.Context) (deserted bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.session == nil {
		return false, ErrClosed
	}
	if err := p.prepareFrames(); err != nil {
		return false, err
	}
	err = p.stopAll(ctx, "look", func(st *ptrace.Stop) error {
		used, err := p.standing(st)
		deserted = len(used) == 0
		return err
	})
	return deserted, p.settle(err)
}

// standing are the units that somebody is in, or will return to from the
// claim routine.
func (p *Process) standing(st *ptrace.Stop) (map[unitKey]bool, error) {
	used := map[unitKey]bool{}
	tables := map[*neighbourhood]*arena.Tables{}
	mark := func(addr uint64) {
		n := p.session.findCode(addr)
		if n == nil {
			return
		}
		if tables[n] == nil {
			tables[n] = n.Tables()
		}
		if _, i, ok := tables[n].Find(addr); ok {
			used[unitKey{n, i}] = true
		}
	}
	// Shared routines keep the address that they return to in one of these, or on the stack.
	mem := evictor{mem: st.Mem()}
	standsAt := func(rip, rsp uint64, more ...uint64) {
		if p.session.findCode(rip) == nil {
			return
		}
		mark(rip)
		for _, below := range []uint64{40, 56, 72} {
			if token, err := mem.word(rsp - below); err == nil {
				mark(token)
			}
		}
		for _, a := range more {
			mark(a)
		}
	}
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return nil, err
		}
		standsAt(r.Rip, r.Rsp, r.Rcx, r.R13, r.Gs_base)
		mark(r.Gs_base) // of a claim routine that a signal has interrupted
	}
	// Functions that are wrapped will return to the program that called them. Frames that
	// nobody will return by keep their program too: its statistics are in them.
	if p.session.wraps.Load() {
		frames, err := readFrames(p.pid, st.Mem(), p.session.remains().tables)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			mark(f.Back)
		}
	}
	err := p.eachFrame(st, func(_ *ptrace.Thread, f sigframe.Frame, ip uint64) error {
		c, err := loadFrame(f, ip)
		standsAt(c.rip, c.rsp, c.rcx, c.r13)
		return err
	})
	return used, err
}

// free gives back what is retired and not used.
func (s *session) free(used map[unitKey]bool) int {
	freed := 0
	for _, n := range s.arenas {
		for _, slot := range n.slots {
			freed += slot.free(used)
		}
	}
	return freed
}

func (s *Slot) free(used map[unitKey]bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []int
	for _, u := range s.retired {
		if used[unitKey{s.n, u}] {
			kept = append(kept, u)
			continue
		}
		s.n.freeUnit(u)
	}
	freed := len(s.retired) - len(kept)
	s.retired = kept
	if len(kept) == 0 {
		for _, c := range s.released {
			s.n.FreeCell(c)
		}
		for _, f := range s.finished {
			f.last()
			s.n.FreeRun(f.first, arena.StatCells)
		}
		s.released, s.finished = nil, nil
	}
	return freed
}
