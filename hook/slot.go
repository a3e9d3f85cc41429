package hook

import (
	"fmt"
	"sync"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
)

// Slot is a patched site's switch: the word through which its stub jumps.
// While nothing is stored in it the site is idle: the stub runs the displaced
// instructions and returns to the function.
//
// Slots are for package trampoline; the types of their methods are internal.
type Slot struct {
	site  Site
	n     *neighbourhood
	index int    // of site record and slot
	stub  uint64 // address
	unit  int    // of the stub

	mu       sync.Mutex
	ended    bool // the Process was closed
	attached any
	behind   func(to uint64) // stores where an answer hands on to, if the slot names that
	current  int             // unit that the slot names, -1 when idle
	retired  []int           // units that it named before
	released []int           // cells that only retired units name
	finished []finished      // statistics of which the same is true
}

// Site is the site the slot belongs to.
func (s *Slot) Site() Site { return s.site }

// Displaced is what a program for this site must know of it.
func (s *Slot) Displaced() codegen.Displaced { return s.site.displaced() }

// Wrapped is what a program must know that calls the function. Precondition: the site's
// Exit has no objection; so what jumps to the entry has nothing below the stack pointer.
func (s *Slot) Wrapped() codegen.Displaced {
	d := s.site.displaced()
	d.Copy = s.stub + codegen.CopyOffset
	d.SelfLoop = false
	return d
}

// Env is what a program for this site must know of its arena.
func (s *Slot) Env() codegen.Env {
	owner, kind := s.n.session.ownerCheck(s.site)
	e := codegen.Env{Consts: s.n.Consts(), Claim: s.n.claim[kind], Owner: owner, TID: s.n.session.tid, Frames: s.n.claims.Frames, Slow: s.n.slow, Areas: !s.n.session.noGS}
	if e.Claim != 0 {
		e.AreaCells = int32(arena.AreaCells + 8*s.n.Index)
	}
	return e
}

// NewCell takes a counter that starts at 0. After ErrFull, Collect may make room.
func (s *Slot) NewCell() (Cell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return Cell{}, ErrClosed
	}
	i, err := s.n.AddCell(s.n.claims)
	if err != nil {
		return Cell{}, fmt.Errorf("counter for %s: %w", s.site.Function.Name(), err)
	}
	return Cell{s.n, i}, nil
}

// Release gives a cell up that no attachment uses any more. A thread may still be
// in a program that counts in it, so it is given out again only after a Collect
// that has freed all of the slot's earlier programs.
func (s *Slot) Release(c Cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.released = append(s.released, c.index)
	}
}

// Cell is one counter in the target's memory.
type Cell struct {
	n     *neighbourhood
	index int
}

// Place is where programs find the cell.
func (c Cell) Place() codegen.Cell {
	return codegen.Cell{Shared: c.n.SharedCellAddr(c.index), Offset: int32(c.index) * arena.CellSize}
}

// Read adds the cell up. It is exact for all calls that have been made, costs
// the target nothing, and may be done at any time until the Process is closed.
func (c Cell) Read() uint64 { return c.n.Read(c.index, c.n.claims) }

// Generator assembles a program for an address and returns the offset at which
// it is entered. The length must not depend on the address.
type Generator func(at uint64) (codegen.Code, int, error)

// Change is what Update offers while it holds the slot. It is of no use afterwards.
type Change struct {
	Attached any // at present; nil at first
	s        *Slot
}

// NewStats takes statistics that start at 0. After ErrFull, Collect may make room.
func (c *Change) NewStats() (*Stats, error) { return c.s.newStats() }

// Update replaces what is attached to the site. f returns the new attachments, a value
// that must not be changed afterwards, with the program that serves them; no program
// makes the site idle. The program is written into the arena, then the slot pointed
// at it by one aligned 8-byte store: each call of the function runs the old or
// the new program whole, and no thread is stopped. The old program's memory is
// kept until a stop shows that nobody is in it.
//
// After an error, which may be f's own, nothing has changed. After ErrFull, Collect may
// make room.
func (s *Slot) Update(f func(*Change) (attached any, g Generator, err error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return ErrClosed
	}
	attached, gen, err := f(&Change{s.attached, s})
	if err != nil {
		return err
	}
	to, unit := s.stub+codegen.CopyOffset, -1
	if gen != nil {
		at, entry, u, err := s.program(gen)
		if err != nil {
			return fmt.Errorf("program for %s: %w", s.site.Function.Name(), err)
		}
		to, unit = at+uint64(entry), u
	}
	s.lead(to)
	if s.current >= 0 {
		s.retired = append(s.retired, s.current)
	}
	s.attached, s.current = attached, unit
	return nil
}

// lead makes calls of the function go to a unit from now on.
func (s *Slot) lead(to uint64) {
	if s.behind != nil {
		s.behind(to)
		return
	}
	s.n.StoreSlot(s.index, to)
}

func (s *Slot) program(gen Generator) (at uint64, entry, unit int, err error) {
	at, unit, err = s.n.place(uint32(s.index), arena.UnitProgram, s.site.window(), func(at uint64) (c codegen.Code, err error) {
		c, entry, err = gen(at)
		return c, err
	})
	return at, entry, unit, err
}
