package hook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
	"github.com/functap/functap/internal/ring"
)

// Rings are the event rings of a target's threads: one for each area, and one for
// calls of threads that have none or are on another stack. They are a memfd of their
// own, of which the target maps all but the first page:
//
//	0     ring.Magic, by which the tracer's own mapping is told from a target's
//	4096  ring 0, ring 1, ...  each ring.Size(Records), from a page on
//
// They are for package fgraph; one reader at a time.
type Rings struct {
	p       *Process
	mem     []byte
	addr    uint64 // of ring 0 in the target
	stride  uint64
	records uint64
	count   int
	areas   uint64 // where the areas are in the target
	reading bool
	numbers uint32 // given out
}

// Bounds of one ring, and of all together.
const (
	ringMost  = 1 << 15 // records: 1 MiB
	ringLeast = 1 << 10
	ringsMost = 1 << 30 // bytes
)

// Rings maps rings into the target, in a stop, or returns those it has. It needs a
// patch before it. Whoever gets them gives them back by Done; another one may have
// them then. ErrRingsBusy: somebody reads them.
func (p *Process) Rings(ctx context.Context) (*Rings, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	s := p.session
	if s == nil || len(s.arenas) == 0 {
		return nil, errors.New("rings: nothing is patched")
	}
	if s.rings == nil {
		r, err := p.newRings(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("mapping event rings: %w", p.settle(err))
		}
		s.rings = r
	}
	if s.rings.reading {
		return nil, ErrRingsBusy
	}
	s.rings.reading = true
	return s.rings, nil
}

// ErrRingsBusy: the events of a target are recorded for somebody else already.
var ErrRingsBusy = errors.New("the target's events are recorded for another reader (RINGS_BUSY)")

// Done lets another reader have the rings.
func (r *Rings) Done() {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.reading = false
}

func (p *Process) newRings(ctx context.Context, s *session) (*Rings, error) {
	r := &Rings{p: p, records: ringMost, count: 1}
	if !s.noGS {
		r.count += s.claims().AreaCount
		r.areas = s.claims().AreasAddr
	}
	for r.records > ringLeast && uint64(r.count)*ring.Size(r.records) > ringsMost {
		r.records /= 2
	}
	r.stride = (ring.Size(r.records) + pageSize - 1) &^ (pageSize - 1)
	if err := checkFileSize(pageSize + r.size()); err != nil {
		return nil, err
	}
	b := &builder{p: p, s: s, fd: -1}
	build := func(st *ptrace.Stop, c *remote.Caller) error { return b.buildRings(st, c, r) }
	if err := p.onAllThreads(ctx, "rings", build); err != nil {
		if b.begun() {
			err = errors.Join(err, p.onAllThreads(ctx, "undo", b.undo))
		}
		return nil, err
	}
	return r, p.setAreaRings(s, r)
}

// size is what the target maps.
func (r *Rings) size() uint64 { return uint64(r.count) * r.stride }

// buildRings makes the memfd and its mappings, with all threads stopped as for an
// arena.
func (b *builder) buildRings(st *ptrace.Stop, c *remote.Caller, r *Rings) (err error) {
	if err := b.undo(st, c); err != nil { // what a signal has cut off
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.undo(st, c))
		}
	}()
	if err := b.memfd(st, c); err != nil {
		return err
	}
	f, err := os.OpenFile(procPath(b.p.pid, fmt.Sprintf("fd/%d", b.fd)), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening the target's memfd: %w", err)
	}
	defer f.Close()
	if err := f.Truncate(int64(pageSize + r.size())); err != nil {
		return fmt.Errorf("sizing the target's memfd: %w", err)
	}
	at, err := c.Syscall(sysMmap, 0, r.size(), protRead|protWrite, mapShared, uint64(b.fd), pageSize)
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", r.size(), err)
	}
	b.mapped = append(b.mapped, arena.Range{Start: at, End: at + r.size()})
	if err := b.closeFD(st, c); err != nil {
		return err
	}
	r.addr = at
	if r.mem, err = arena.Map(f, pageSize+r.size()); err == nil {
		copy(r.mem, ring.Magic)
	}
	return err
}

// setAreaRings tells every area its ring. Word by word: threads claim areas meanwhile,
// in other words.
func (p *Process) setAreaRings(s *session, r *Rings) error {
	mem, err := openMem(p.pid)
	if err != nil {
		return err
	}
	defer mem.Close()
	var word [8]byte
	for i := range r.count - 1 {
		binary.LittleEndian.PutUint64(word[:], r.addr+uint64(i)*r.stride)
		at := s.claims().AreasAddr + uint64(i)*arena.AreaSize + arena.AreaRing
		if _, err := mem.WriteAt(word[:], int64(at)); err != nil {
			return fmt.Errorf("writing the areas: %w", err)
		}
	}
	return nil
}

// Count is how many rings there are. The last one is shared; ring i of the others is
// area i's.
func (r *Rings) Count() int { return r.count }

// Ring starts reading one.
func (r *Rings) Ring(i int) (*ring.Ring, error) {
	at := pageSize + uint64(i)*r.stride
	return ring.New(r.mem[at : at+ring.Size(r.records)])
}

// give notes a thread as a ring's. It is not running.
func (r *Rings) give(i, tid int) {
	ring.Give(r.mem[pageSize+uint64(i)*r.stride:], tid)
}

// Records is how many records each ring has, Shared the last one's address in the
// target: what programs must know.
func (r *Rings) Records() uint64 { return r.records }

// Shared is the address of the shared ring in the target.
func (r *Rings) Shared() uint64 { return r.addr + uint64(r.count-1)*r.stride }

// Owner is the FS base of the thread whose area i is, 0 if it is nobody's.
func (r *Rings) Owner(i int) (fsBase uint64) {
	at := r.areas + uint64(i)*arena.AreaSize + arena.AreaOwner
	mem, err := openMem(r.p.pid)
	if err != nil {
		return 0
	}
	defer mem.Close()
	w, err := word(mem, at)
	if err != nil {
		return 0
	}
	return w
}

// Number is a number for a site in records, which nothing else has had: a thread that is
// still in an earlier reader's program is told by its. ErrFull: there are no more.
func (r *Rings) Number() (uint32, error) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.numbers > ring.MaxSite {
		return 0, fmt.Errorf("%w: %d sites have been recorded", ErrFull, r.numbers)
	}
	r.numbers++
	return r.numbers - 1, nil
}
