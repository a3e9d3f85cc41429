package hook

import (
	"fmt"
	"slices"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/sigframe"
)

// goFrameLimit is how far above a stack pointer frames are looked for in Go
// programs: signal stacks have 32 KiB, and what follows them is the heap.
const goFrameLimit = 64 << 10

// prepareFrames finds, with the target running, the code that its signal
// handlers return to; signal frames are recognised by its address.
func (p *Process) prepareFrames() error {
	maps, err := mapsOf(p.pid)
	if err != nil {
		return wrapGone(err)
	}
	mem, err := openMem(p.pid)
	if err != nil {
		return wrapExit(err)
	}
	defer mem.Close()
	p.restorers = sigframe.Restorers(maps, mem)
	p.prepareContexts(maps)
	return nil
}

// eachFrame calls f for every signal frame on the stopped threads' stacks, with
// the instruction pointer that it will return to; then, where the target
// switches stacks itself, for all others that eachSuspended finds. One that can be
// reached from several threads' stacks is shown with each of them; f must see for
// itself that it has changed it already.
func (p *Process) eachFrame(st *ptrace.Stop, f frameFunc) error {
	maps, err := p.mapsInStop()
	if err != nil {
		return err
	}
	restorers, err := p.wrappedRestorers(st)
	if err != nil {
		return err
	}
	finder := &sigframe.Finder{Mem: st.Mem(), Maps: maps, Restorers: restorers}
	finder.Bytes = p.searched
	runsGo := p.runsGo()
	if runsGo {
		finder.Limit = goFrameLimit
	}
	seen, switched, switches := map[uint64]bool{}, false, p.switchesStacks()
	for _, th := range st.Threads() {
		own, err := threadFrames(th, finder, seen, func(th *ptrace.Thread, fr sigframe.Frame, ip uint64) error {
			if over, err := isOver(th, fr); err != nil || over && !switches {
				return err
			}
			return f(th, fr, ip)
		})
		if err != nil {
			return err
		}
		switched = switched || !own && !runsGo
	}
	if !switched && !switches {
		return nil
	}
	return p.eachSuspended(finder, seen, func(fr sigframe.Frame) error {
		return showFrame(st.Threads()[0], fr, f)
	})
}

// wrappedRestorers adds to the restorers the addresses that are in their place while
// handlers run that are wrapped.
func (p *Process) wrappedRestorers(st *ptrace.Stop) ([]uint64, error) {
	if p.session == nil || !p.session.wraps.Load() {
		return p.restorers, nil
	}
	s, err := readShadow(p.pid, st.Mem(), p.session.remains().tables)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(p.restorers)
	err = s.running(func(f *placed) error {
		if slices.Contains(p.restorers, f.RA) {
			all = append(all, f.Back)
		}
		return nil
	})
	slices.Sort(all)
	return slices.Compact(all), err
}

// threadFrames does that for one thread, and reports whether it is on a stack of its own.
func threadFrames(th *ptrace.Thread, finder *sigframe.Finder, seen map[uint64]bool, f frameFunc) (own bool, err error) {
	r, err := th.Regs()
	if err != nil {
		return false, err
	}
	frames, err := finder.Find(r.Rip, r.Rsp)
	if err != nil {
		return false, fmt.Errorf("looking for signal frames of thread %d: %w", th.TID(), err)
	}
	own = ownStack(finder.Maps, r.Rsp, r.Fs_base)
	for _, fr := range frames {
		seen[fr.Addr] = true
		sp, err := fr.Get(sigframe.RSP)
		if err != nil {
			return false, err
		}
		own = own || ownStack(finder.Maps, sp, r.Fs_base)
		if err := showFrame(th, fr, f); err != nil {
			return false, err
		}
	}
	return own, nil
}

// isOver reports whether the thread has returned from a handler whose frame is still there:
// it is on the stack that the handler interrupted, and at or below where, while the frame is
// above that, so on an alternate stack, which is above this one.
func isOver(th *ptrace.Thread, fr sigframe.Frame) (bool, error) {
	r, err := th.Regs()
	if err != nil {
		return false, err
	}
	sp, err := fr.Get(sigframe.RSP)
	return r.Rsp <= sp && sp < fr.Addr, err
}

// frameFunc is called with a frame, a thread that may return to it, and to where.
type frameFunc = func(*ptrace.Thread, sigframe.Frame, uint64) error

func showFrame(th *ptrace.Thread, fr sigframe.Frame, f frameFunc) error {
	ip, err := fr.IP()
	if err != nil {
		return err
	}
	return f(th, fr, ip)
}

// loadFrame reads what a signal frame will put into registers.
func loadFrame(f sigframe.Frame, ip uint64) (cpu, error) {
	c := cpu{rip: ip}
	for _, r := range c.saved() {
		v, err := f.Get(r.reg)
		if err != nil {
			return c, err
		}
		*r.v = v
	}
	return c, nil
}

// storeFrame writes it back.
func storeFrame(f sigframe.Frame, c cpu) error {
	for _, r := range c.saved() {
		if err := f.Set(r.reg, *r.v); err != nil {
			return err
		}
	}
	return f.SetIP(c.rip)
}

// eflags follows the general registers in a frame.
const frameEflags = sigframe.RIP + 1

type savedReg struct {
	reg sigframe.Register
	v   *uint64
}

func (c *cpu) saved() []savedReg {
	return []savedReg{
		{sigframe.RSP, &c.rsp}, {sigframe.RAX, &c.rax}, {sigframe.RCX, &c.rcx},
		{sigframe.RDX, &c.rdx}, {sigframe.RDI, &c.rdi}, {sigframe.RSI, &c.rsi}, {sigframe.R13, &c.r13}, {frameEflags, &c.flags},
	}
}
