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
	"github.com/functap/functap/internal/ptrace"
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
const RefusedGoParked Refusal = "GO_PARKED"

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
			pt.Refused = append(pt.Refused, st.goParked("cannot tell whether a goroutine is suspended there: "+err.Error()))
		}
		return err != nil
	})
	return sites, rts
}

func (s Site) goParked(detail string) *UnpatchableError {
	return &UnpatchableError{s.Function.DisplayName(), s.Function.Addr(), RefusedGoParked, detail}
}

// writePatient writes, and tries again a few times where goroutines are in the
// way. It returns the sites that they were still in at the end.
func (p *Process) writePatient(ctx context.Context, s *session, slots []*Slot, rts goRuntimes) (parked, error) {
	for wait := parkedFirstWait; ; wait *= 2 {
		left, err := p.write(ctx, s, slots, rts)
		if err != nil {
			p.forget(slots)
			return nil, err
		}
		for _, slot := range slots {
			if _, ok := left[slot]; !ok {
				p.sites[slot.site.Addr()] = slot
			}
		}
		slots = slices.SortedFunc(maps.Keys(left), func(a, b *Slot) int { return cmp.Compare(a.site.Addr(), b.site.Addr()) })
		if len(left) == 0 || wait > parkedLastWait || !pause(ctx, wait) {
			p.forget(slots)
			return left, nil
		}
	}
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

// goScan looks for goroutines that will go on inside bytes that will be
// overwritten.
type goScan struct {
	inside map[uint64]*Slot // by the addresses at which they could
	found  parked
}

// findParked looks at all goroutines that were suspended, and at threads that are about
// to suspend one or have just resumed one, whose registers do not show it yet.
func (rts goRuntimes) findParked(st *ptrace.Stop, slots []*Slot, fix fixups) (parked, error) {
	if len(rts) == 0 {
		return nil, nil
	}
	g := goScan{map[uint64]*Slot{}, parked{}}
	for _, s := range slots {
		for _, off := range s.site.plan.Interior {
			if s.site.plan.Func.Go {
				g.inside[s.site.Addr()+uint64(off)] = s
			}
		}
	}
	for _, rt := range rts {
		if err := g.goroutines(st.Mem(), rt); err != nil {
			return nil, err
		}
	}
	return g.found, g.threads(st, fix)
}

func (g *goScan) goroutines(mem io.ReaderAt, rt *gort.Runtime) error {
	gs, err := rt.Preempted(mem)
	if errors.Is(err, gort.ErrUnknown) {
		g.all(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, gr := range gs {
		n := min(gort.PreemptFrame, gr.StackHi-gr.SP)
		if err := g.stack(mem, gr.SP, n, fmt.Sprintf("goroutine %d is suspended there", gr.ID)); err != nil {
			return fmt.Errorf("reading the stack of goroutine %d: %w", gr.ID, err)
		}
	}
	return nil
}

// all defers every site that a goroutine could be in.
func (g *goScan) all(why string) {
	for _, s := range g.inside {
		if s.site.parkable() {
			g.found[s] = "cannot tell whether a goroutine is suspended there: " + why
		}
	}
}

const suspending = "a goroutine is being suspended or resumed there"

// threads looks at the stacks of threads that run, which change soon. A thread in a
// system call is not suspending anybody. A handler that has interrupted a window may
// have decided already to suspend the goroutine at that address.
func (g *goScan) threads(st *ptrace.Stop, fix fixups) error {
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		if int64(r.Orig_rax) >= 0 {
			continue
		}
		if err := g.top(st.Mem(), r.Rsp); err != nil {
			return err
		}
	}
	for _, f := range fix.stacks {
		if s := g.inside[f.ip]; s != nil {
			g.found[s] = suspending
		}
		if err := g.top(st.Mem(), f.sp); err != nil {
			return err
		}
	}
	return nil
}

// top looks at what is on top of a stack of unknown size.
func (g *goScan) top(mem io.ReaderAt, sp uint64) error {
	const word = 8
	err := g.stack(mem, sp, gort.PreemptFrame, suspending)
	if err != nil { // it ends before
		toPage := pageSize - sp%pageSize
		err = g.stack(mem, sp, min(toPage, gort.PreemptFrame)&^(word-1), suspending)
	}
	if err != nil {
		return fmt.Errorf("reading a stack at %#x: %w", sp, err)
	}
	return nil
}

// stack looks for the addresses among the words of n bytes.
func (g *goScan) stack(mem io.ReaderAt, sp, n uint64, who string) error {
	b := make([]byte, n)
	if _, err := mem.ReadAt(b, int64(sp)); err != nil {
		return err
	}
	for ; len(b) >= 8; b = b[8:] {
		if s := g.inside[binary.LittleEndian.Uint64(b)]; s != nil {
			g.found[s] = who
		}
	}
	return nil
}
