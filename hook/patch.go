package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/plan"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/x86"
)

// Patch is what a call of Process.Patch has diverted. Sites may be in several
// patches at once; they stay patched, idle when nobody uses them, until the
// Process is closed.
type Patch struct {
	// Slots are the sites' slots, in the order of the sites given to Patch.
	// Sites that had to be left alone have none.
	Slots []*Slot
	// Refused are the sites that could not be patched now, with the reason.
	Refused []*UnpatchableError
	// Moved is how many threads and interrupted signal frames stood inside the
	// bytes that this patch overwrote. They went on in the copy.
	Moved int
}

// Refusals that only a running target shows.
const (
	// RefusedBytesDiffer: the code in memory is not that of the file.
	RefusedBytesDiffer = plan.BytesDiffer
	// RefusedForeignPatch: a breakpoint or somebody else's jump is there.
	RefusedForeignPatch = plan.ForeignPatch
	// RefusedUnloaded: the target has unloaded the library since Attach.
	RefusedUnloaded = plan.Unloaded
	// RefusedWindowTaken: a patched site's bytes overlap.
	RefusedWindowTaken = plan.WindowTaken
	// RefusedShadowStack: the function begins with a call, which its copy makes
	// by a push and a jump; a hardware shadow stack would not match.
	RefusedShadowStack = plan.ShadowStack
)

// Patch diverts the sites to their stubs: one stop of the target, whatever
// their number, and up to six where Go has suspended goroutines inside the bytes
// to overwrite. Sites whose bytes in memory are not the file's, and those in
// which a goroutine stays, are left out and listed in Refused. Sites that are
// patched already join without a stop. All slots are idle, or as other patches
// have set them.
//
// If the context ends or the stop takes longer than MaxPause, nothing has
// changed, except what an earlier stop has patched; that stays idle.
func (p *Process) Patch(ctx context.Context, sites []Site) (*Patch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if p.opts.Look {
		return nil, ErrLookOnly
	}
	return p.patch(ctx, sites)
}

func (p *Process) patch(ctx context.Context, sites []Site) (*Patch, error) {
	pt := &Patch{}
	fresh, err := p.sortOut(sites, pt)
	if err != nil {
		return nil, fmt.Errorf("checking the code in memory: %w", p.settle(err))
	}
	if err := p.foreign(pt.Refused); err != nil {
		return nil, fmt.Errorf("checking the code in memory: %w", err)
	}
	fresh, rts := p.goRuntimes(fresh, pt)
	if len(fresh) > 0 {
		if err := p.patchNew(ctx, fresh, rts, pt); err != nil {
			return nil, fmt.Errorf("patching %s: %w", functions(len(fresh)), p.settle(err))
		}
	}
	for _, st := range sites {
		if s := p.sites[st.Addr()]; s != nil && s.site.Function.sym.Addr == st.Function.sym.Addr {
			pt.Slots = append(pt.Slots, s)
		}
	}
	return pt, nil
}

// functions counts them in words.
func functions(n int) string {
	if n == 1 {
		return "1 function"
	}
	return fmt.Sprintf("%d functions", n)
}

// patchNew maps memory, writes stubs and records, and makes the stop.
func (p *Process) patchNew(ctx context.Context, sites []Site, rts goRuntimes, pt *Patch) error {
	s, err := p.ensureSession()
	if err != nil {
		return err
	}
	sites, slots := p.useSpare(sites)
	parts, err := p.neighbourhoods(ctx, s, sites)
	if err != nil {
		return err
	}
	for n, part := range parts {
		for _, st := range part {
			slot, err := n.addSite(st)
			if errors.Is(err, x86.ErrRelocRange) {
				pt.Refused = append(pt.Refused, st.refused(plan.RelocRange, "%v", err))
				continue
			}
			if err != nil {
				p.keepSpare(slots)
				return err
			}
			slots = append(slots, slot)
		}
	}
	refused, err := p.writePatient(ctx, s, slots, rts, &pt.Moved)
	pt.Refused = append(pt.Refused, refused...)
	return err
}

// useSpare takes what an earlier patch has made for some of the sites.
func (p *Process) useSpare(sites []Site) ([]Site, []*Slot) {
	var slots []*Slot
	sites = slices.DeleteFunc(sites, func(st Site) bool {
		s := p.spare[st.Addr()]
		if s == nil || !s.isOf(st) {
			return false
		}
		slots = append(slots, s)
		return true
	})
	return sites, slots
}

// keepSpare keeps what was not written after all. The stubs must stay: a thread
// may have been moved to a copy before the patch failed. So must the records, since
// a write may have failed half way: their sites are compared when all is cleaned up,
// and no second record may say something else about them.
func (p *Process) keepSpare(slots []*Slot) {
	for _, s := range slots {
		p.spare[s.site.Addr()] = s
	}
}

// addSite writes a site's stub, slot and recovery record. The order makes any
// prefix of it harmless: nothing refers to the stub before the text does.
func (n *neighbourhood) addSite(st Site) (*Slot, error) {
	index, err := n.AddSite(arena.Site{Addr: st.Addr()})
	if err != nil {
		return nil, err
	}
	s := &Slot{site: st, n: n, index: index, current: -1}
	d := st.displaced()
	gen := func(at uint64) (codegen.Code, error) { return codegen.Stub(at, n.SlotAddr(index), d) }
	if s.stub, s.unit, err = n.place(uint32(index), arena.UnitStub, d.Bytes, gen); err != nil {
		return nil, fmt.Errorf("stub for %s: %w", st.Function.Name(), err)
	}
	n.StoreSlot(index, s.stub+codegen.CopyOffset)
	rec, err := s.record()
	if err != nil {
		return nil, fmt.Errorf("jump of %s: %w", st.Function.Name(), err)
	}
	n.WriteSite(index, rec)
	n.slots = append(n.slots, s)
	return s, nil
}

// record is what the site's bytes are and will be.
func (s *Slot) record() (arena.Site, error) {
	st := s.site
	r := arena.Site{Addr: st.Addr(), State: arena.SitePlanned, Patch: st.plan.Patch, Unit: uint32(s.unit)}
	copy(r.Original[:], st.overwritten())
	from := st.Addr()
	if st.plan.Hole != 0 {
		from = st.holeAddr()
		r.HoleAddr, r.Hole = from, 5
		copy(r.HoleOriginal[:], st.Function.im.module.Bytes(st.plan.Hole, 5))
	}
	jump, err := codegen.Jump(from, s.stub)
	if err != nil {
		return r, err
	}
	if st.plan.Hole == 0 {
		copy(r.Written[:], jump)
		return r, nil
	}
	copy(r.HoleWritten[:], jump)
	r.Written[0] = 0xeb // jmp rel8
	r.Written[1] = byte(from - (st.Addr() + 2))
	return r, nil
}

// write is the one stop: check everything, then change everything. Until the
// first thread's registers are changed nothing has been done that a release
// of the target would have to undo. Sites that goroutines are in are left out.
func (p *Process) write(ctx context.Context, s *session, slots []*Slot, rts goRuntimes, moved *int) (left parked, err error) {
	if err := p.prepareFrames(); err != nil {
		return nil, err
	}
	w := newTextWriter(slots)
	since := time.Now()
	err = p.stopAll(ctx, "patch", func(st *ptrace.Stop) error {
		if err := errors.Join(s.notice(st), checkGS(st, s)); err != nil {
			return err
		}
		if err := s.checkTLS(st); err != nil {
			return err
		}
		if err := w.verify(st.Mem()); err != nil {
			return err
		}
		fix, err := p.planFixups(st, slots)
		if err != nil {
			return err
		}
		if left, err = rts.findParked(st, slots, fix); err != nil {
			return err
		}
		fix.leave(left)
		w.leave(left)
		if err := errors.Join(ctx.Err(), p.checkPause(since)); err != nil {
			return err
		}
		*moved += len(fix.threads) + len(fix.frames)
		return p.commit(st, s, w, fix)
	})
	var foreign errForeignGS
	if errors.As(err, &foreign) && !s.noGS {
		p.log.Info("counting in shared cells only", "because", foreign)
		s.dropAreas()
		return p.write(ctx, s, slots, rts, moved)
	}
	return left, err
}

// dropAreas gives areas up for the whole session. No program uses them yet: a
// target's first patch finds out.
func (s *session) dropAreas() {
	s.noGS = true
	for _, n := range s.arenas {
		n.claim = [3]uint64{}
	}
}

// commit changes the target. If the tracer dies between any two steps the
// target runs on correctly:
//
//   - GS set, text not: nothing reads GS.
//   - Threads moved from windows to copies, text not: the copies are whole and
//     lead back behind the window.
//   - Some pages written: each site is in one page and a page's bytes are
//     written by one call that the kernel does not interrupt inside a page; a
//     short jump's hole is written before the jump to it, and is filler.
//   - All written, records still "planned": a successor compares bytes.
func (p *Process) commit(st *ptrace.Stop, s *session, w *textWriter, fix fixups) error {
	if err := p.giveAreas(st, s); err != nil {
		return err
	}
	if err := fix.apply(st); err != nil {
		return err
	}
	if err := w.write(st.Mem()); err != nil {
		return err
	}
	for _, slot := range w.slots {
		slot.n.SetSiteState(slot.index, arena.SiteActive)
	}
	return nil
}
