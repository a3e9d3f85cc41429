package hook

import (
	"fmt"

	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/sigframe"
)

// fixup moves one saved instruction pointer of a signal frame from inside a
// window to the same instruction's copy.
type fixup struct {
	frame sigframe.Frame
	to    uint64
}

func (f fixup) apply() error {
	if err := f.frame.SetIP(f.to); err != nil {
		return fmt.Errorf("moving an interrupted signal frame: %w", err)
	}
	return nil
}

// interiors maps every instruction boundary strictly inside bytes that will
// be overwritten to the same instruction in the displaced copy.
func interiors(slots []*Slot) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for _, s := range slots {
		for _, off := range s.site.plan.Interior {
			if to, ok := s.copyOf(off); ok {
				m[s.site.Addr()+uint64(off)] = to
			}
		}
	}
	return m
}

// copyOf is where the copy has the instruction at an offset into the window.
func (s *Slot) copyOf(off uint8) (uint64, bool) {
	for _, e := range s.n.ExitsOf(s.unit) {
		if e.Off >= codegen.CopyOffset && e.Pop == 0 && e.Delta == int16(off) {
			return s.stub + uint64(e.Off), true
		}
	}
	return 0, false
}

// fixups are all threads and frames that stand inside bytes that will be
// overwritten.
type fixups struct {
	threads map[*ptrace.Thread]uint64 // to where
	frames  []fixup
	seen    []seenFrame // all, inside or not
}

// seenFrame is a signal frame found on a thread's stacks.
type seenFrame struct {
	thread *ptrace.Thread
	frame  sigframe.Frame
	ip     uint64
}

// planFixups finds them; nothing is changed yet.
func (p *Process) planFixups(st *ptrace.Stop, slots []*Slot) (fixups, error) {
	inside := interiors(slots)
	fix := fixups{threads: map[*ptrace.Thread]uint64{}}
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return fix, err
		}
		if to, ok := inside[r.Rip]; ok {
			fix.threads[th] = to
		}
	}
	err := p.eachFrame(st, func(th *ptrace.Thread, f sigframe.Frame, ip uint64) error {
		fix.seen = append(fix.seen, seenFrame{th, f, ip})
		if to, ok := inside[ip]; ok {
			fix.frames = append(fix.frames, fixup{f, to})
		}
		return nil
	})
	return fix, err
}

// apply moves them to the copies, at once.
func (fix fixups) apply(st *ptrace.Stop) error {
	for th, to := range fix.threads {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		moved := *r
		moved.Rip = to
		if err := th.SetRegs(&moved); err != nil {
			return err
		}
	}
	for _, th := range st.Threads() {
		if err := th.Flush(); err != nil {
			return err
		}
	}
	for _, f := range fix.frames {
		if err := f.apply(); err != nil {
			return err
		}
	}
	return nil
}
