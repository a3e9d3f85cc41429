package hook

import (
	"errors"
	"fmt"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/sigframe"
)

// Who is in generated code when it is taken away: threads, and code that signals have
// interrupted.

// evictThreads moves threads out of generated code and takes GS back.
func (c *cleaner) evictThreads(st *ptrace.Stop) error {
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		u := *r
		s, err := cpuOf(th)
		if err != nil {
			return err
		}
		moved, err := c.evictor.move(&s)
		var stranded errStranded
		var nobody errNobody
		var waits errWaits
		switch {
		case errors.As(err, &waits):
			c.waits = append(c.waits, fmt.Sprintf("thread %d: %v", th.TID(), err))
			continue
		case errors.As(err, &stranded), errors.As(err, &nobody):
			c.left("thread %d: %v", th.TID(), err)
			continue
		case err != nil:
			return err
		}
		ours := c.ours(u.Gs_base)
		if !moved && !ours {
			continue
		}
		if moved {
			c.out.Threads++
			u.Rip, u.Rsp, u.Rax, u.Rcx, u.Rdx, u.Eflags = s.rip, s.rsp, s.rax, s.rcx, s.rdx, s.flags
			u.Rdi, u.Rsi = s.rdi, s.rsi
		}
		if ours {
			u.Gs_base = 0
		}
		if err := th.SetRegs(&u); err != nil {
			return err
		}
		if err := th.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// ours reports whether an address is in any mapping of ours.
func (c *cleaner) ours(addr uint64) bool {
	for _, r := range c.r.ranges {
		if addr >= r.Start && addr < r.End {
			return true
		}
	}
	return false
}

// holdSlots notes which slots' programs threads are in.
func (c *cleaner) holdSlots(st *ptrace.Stop) error {
	for _, th := range st.Threads() {
		u, err := cpuOf(th)
		if err != nil {
			return err
		}
		c.evictor.hold(&u)
	}
	return nil
}

func cpuOf(th *ptrace.Thread) (cpu, error) {
	r, err := th.Regs()
	if err != nil {
		return cpu{}, err
	}
	return cpu{rip: r.Rip, rsp: r.Rsp, rax: r.Rax, rcx: r.Rcx, rdx: r.Rdx, rdi: r.Rdi, rsi: r.Rsi, r13: r.R13, flags: r.Eflags, gs: r.Gs_base}, nil
}

// evictFrames does the same for code that signals interrupted.
func (c *cleaner) evictFrames(st *ptrace.Stop) error {
	c.evictor.frames = true
	defer func() { c.evictor.frames = false }()
	return c.p.eachFrame(st, func(th *ptrace.Thread, f sigframe.Frame, ip uint64) error {
		s, err := loadFrame(f, ip)
		if err != nil {
			return err
		}
		r, err := th.Regs()
		if err != nil {
			return err
		}
		s.gs = r.Gs_base
		moved, err := c.evictor.move(&s)
		var stranded errStranded
		var nobody errNobody
		var waits errWaits
		if errors.As(err, &waits) {
			c.waits = append(c.waits, fmt.Sprintf("a signal frame of thread %d: %v", th.TID(), err))
			return nil
		}
		if errors.As(err, &nobody) {
			return nil
		}
		if errors.As(err, &stranded) {
			c.left("a signal frame of thread %d: %v", th.TID(), err)
			return nil
		}
		if err != nil || !moved {
			return err
		}
		c.out.Threads++
		return storeFrame(f, s)
	})
}
