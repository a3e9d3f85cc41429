package hook

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/functap/functap/internal/gort"
	"github.com/functap/functap/internal/plan"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/sigframe"
)

// RefusedGoParked: a goroutine that is not on any thread will go on inside the
// bytes to overwrite, or it cannot be told whether one will.
//
// The Go runtime suspends goroutines at almost any instruction. The address at
// which such a goroutine goes on lies on its stack, where neither the runtime
// nor we could bear another one: the copy of a displaced instruction is
// nothing that the runtime can unwind. So its function has to wait. A stack check at a
// function's start is exempt from suspension, but a function with a small frame that
// calls nothing has no check.
const RefusedGoParked = plan.GoParked

// How long to wait, between stops, for goroutines to leave: 2, 4, 8, 16 and 32 ms.
// A runnable goroutine gets its turn within 10 ms if no others wait.
const (
	parkedFirstWait = 2 * time.Millisecond
	parkedLastWait  = 32 * time.Millisecond
)

// goRuntimes are the Go runtimes whose goroutines may be in sites to patch.
type goRuntimes []*gort.Runtime

// parked are sites that must not be patched now, with who is in the way.
type parked map[*Slot]string

// parkable: a goroutine may be suspended inside the site's bytes.
func (s Site) parkable() bool {
	return s.plan.Func.Go && s.plan.GoCheck == 0 && len(s.plan.Interior) > 0
}

// goRuntimes finds the runtimes of the images that sites are in. Sites of which it
// could not be told whether a goroutine is in them are refused.
func (p *Process) goRuntimes(sites []Site, pt *Patch) ([]Site, goRuntimes) {
	known := map[*Image]error{}
	var rts goRuntimes
	sites = slices.DeleteFunc(sites, func(st Site) bool {
		if !st.parkable() {
			return false
		}
		im := st.Function.im
		err, ok := known[im]
		if !ok {
			var rt *gort.Runtime
			if rt, err = gort.New(im.module, im.bias); err == nil {
				rts = append(rts, rt)
			}
			known[im] = err
		}
		if err != nil {
			pt.Refused = append(pt.Refused, st.goParked(unknownParked(err)))
		}
		return err != nil
	})
	return sites, rts
}

func (s Site) goParked(detail string) *UnpatchableError {
	return &UnpatchableError{s.Function.DisplayName(), s.Function.Addr(), RefusedGoParked, detail}
}

func unknownParked(why error) string {
	return "cannot tell whether a goroutine is suspended there: " + why.Error()
}

// writePatient writes, and tries again a few times where goroutines are in the
// way. It returns the refusals of sites that they were still in at the end. After
// an error in a later stop what the earlier ones have written stays, idle.
func (p *Process) writePatient(ctx context.Context, s *session, slots []*Slot, rts goRuntimes, moved *int) ([]*UnpatchableError, error) {
	for wait := parkedFirstWait; ; wait *= 2 {
		left, err := p.write(ctx, s, slots, rts, moved)
		if err != nil {
			p.keepSpare(slots)
			return nil, err
		}
		for _, slot := range slots {
			if _, ok := left[slot]; !ok {
				p.sites[slot.site.Addr()] = slot
				delete(p.spare, slot.site.Addr())
			}
		}
		slots = slices.SortedFunc(maps.Keys(left), func(a, b *Slot) int { return cmp.Compare(a.site.Addr(), b.site.Addr()) })
		if len(left) == 0 || wait > parkedLastWait || !pause(ctx, wait) {
			p.keepSpare(slots)
			return left.refusals(slots), nil
		}
	}
}

func (left parked) refusals(slots []*Slot) []*UnpatchableError {
	var out []*UnpatchableError
	for _, s := range slots {
		out = append(out, s.site.goParked(left[s]))
	}
	return out
}

// pause reports whether it has waited to the end.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// leave takes out what concerns sites that are not written after all.
func (fix *fixups) leave(left parked) {
	copies := map[uint64]bool{}
	for _, to := range interiors(slices.Collect(maps.Keys(left))) {
		copies[to] = true
	}
	maps.DeleteFunc(fix.threads, func(_ *ptrace.Thread, to uint64) bool { return copies[to] })
	fix.frames = slices.DeleteFunc(fix.frames, func(f fixup) bool { return copies[f.to] })
}

// leave takes out what concerns sites that are not to be written now.
func (w *textWriter) leave(left parked) {
	in := func(s *Slot) bool { _, ok := left[s]; return ok }
	w.slots = slices.DeleteFunc(slices.Clone(w.slots), in)
	w.keep(func(e edit) bool { return !in(e.slot) })
}

// goScan looks for goroutines that will go on inside bytes that will be
// overwritten.
type goScan struct {
	mem    io.ReaderAt
	rts    goRuntimes
	inside map[uint64]*Slot // by the addresses at which they could
	found  parked
}

// findParked looks at all goroutines that are suspended, and at threads that
// are about to suspend one or have just resumed one.
func (rts goRuntimes) findParked(st *ptrace.Stop, slots []*Slot, fix fixups) (parked, error) {
	if len(rts) == 0 {
		return nil, nil
	}
	g := goScan{st.Mem(), rts, map[uint64]*Slot{}, parked{}}
	for _, s := range slots {
		for _, off := range s.site.plan.Interior {
			if s.site.plan.Func.Go {
				g.inside[s.site.Addr()+uint64(off)] = s
			}
		}
	}
	for _, rt := range rts {
		if err := g.goroutines(rt); err != nil {
			return nil, err
		}
	}
	if err := g.threads(st); err != nil {
		return nil, err
	}
	return g.found, g.frames(fix.seen)
}

func (g *goScan) goroutines(rt *gort.Runtime) error {
	gs, err := rt.Preempted(g.mem)
	if errors.Is(err, gort.ErrUnknown) {
		g.all(err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, gr := range gs {
		b := make([]byte, min(gort.PreemptFrame, gr.StackHi-gr.SP))
		if _, err := g.mem.ReadAt(b, int64(gr.SP)); err != nil {
			return fmt.Errorf("reading the stack of goroutine %d: %w", gr.ID, err)
		}
		g.note(rt.Resumes(gr.PC, b), fmt.Sprintf("goroutine %d is suspended there", gr.ID))
	}
	return nil
}

// all defers every site that a goroutine could be in.
func (g *goScan) all(why error) {
	for _, s := range g.inside {
		if s.site.parkable() {
			g.found[s] = unknownParked(why)
		}
	}
}

func (g *goScan) note(addrs []uint64, who string) {
	for _, a := range addrs {
		if s := g.inside[a]; s != nil {
			g.found[s] = who
		}
	}
}

const suspending = "a goroutine is just being suspended or resumed there"

// threads looks at the stacks of those that run. A thread in a system call
// resumes nobody, and what its stack shows may be long past.
func (g *goScan) threads(st *ptrace.Stop) error {
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		if int64(r.Orig_rax) < 0 {
			g.running(r.Rip, r.Rsp)
		}
	}
	return nil
}

// running looks at what is on top of a stack of unknown size.
func (g *goScan) running(ip, sp uint64) {
	b := make([]byte, gort.PreemptFrame)
	// A thread may have any stack pointer; what is not readable is no goroutine's stack.
	n, _ := g.mem.ReadAt(b, int64(sp))
	for _, rt := range g.rts {
		g.note(rt.Resumes(ip, b[:n]), suspending)
	}
}

// frames looks at what signal handlers have interrupted. The runtime's handler
// may already have read where, and be about to suspend the goroutine at that very
// address: it would be of no use to move the frame.
func (g *goScan) frames(frames []seenFrame) error {
	for _, f := range frames {
		if live, err := g.live(f); err != nil || !live {
			if err != nil {
				return err
			}
			continue
		}
		sp, err := f.frame.Get(sigframe.RSP)
		if err != nil {
			return err
		}
		g.note([]uint64{f.ip}, suspending)
		g.running(f.ip, sp)
	}
	return nil
}

// live tells a frame to which its thread will return from one that is left
// over on a stack that no handler runs on now: it might be there for hours. Handlers
// run on alternate stacks, which the frames tell (uc_stack); Go insists on them.
func (g *goScan) live(f seenFrame) (bool, error) {
	const ssDisable = 2
	var b [24]byte
	if _, err := g.mem.ReadAt(b[:], int64(f.frame.Addr+sigframe.OffSSFlags-8)); err != nil {
		return false, fmt.Errorf("reading a signal frame: %w", err)
	}
	base, flags, size := binary.LittleEndian.Uint64(b[:]), b[8], binary.LittleEndian.Uint64(b[16:])
	r, err := f.thread.Regs()
	if err != nil {
		return false, err
	}
	return flags&ssDisable != 0 || r.Rsp-base < size, nil
}
