package hook

import (
	"fmt"

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
	return nil
}

// eachFrame calls f for every signal frame on the stopped threads' stacks, with
// the instruction pointer that it will return to.
func (p *Process) eachFrame(st *ptrace.Stop, f func(*ptrace.Thread, sigframe.Frame, uint64) error) error {
	maps, err := p.mapsInStop()
	if err != nil {
		return err
	}
	finder := sigframe.Finder{Mem: st.Mem(), Maps: maps, Restorers: p.restorers}
	if p.runsGo() {
		finder.Limit = goFrameLimit
	}
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		frames, err := finder.Find(r.Rip, r.Rsp)
		if err != nil {
			return fmt.Errorf("looking for signal frames of thread %d: %w", th.TID(), err)
		}
		for _, fr := range frames {
			ip, err := fr.IP()
			if err != nil {
				return err
			}
			if err := f(th, fr, ip); err != nil {
				return err
			}
		}
	}
	return nil
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
		{sigframe.R13, &c.r13}, {frameEflags, &c.flags},
	}
}
