package hook

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/functap/functap/internal/arena"
)

// cpu is the part of a thread's state, in registers or in a signal frame, by
// which it is moved out of generated code.
type cpu struct {
	rip, rsp, rax, rcx, rdx, rdi, rsi, r13, flags uint64
	gs                                            uint64 // read only
}

// evictor moves threads from generated code to where they would be if it had
// never run, or had run to its end. It knows only what is in the arenas, so
// it serves detach and, after a tracer's death, recover alike.
type evictor struct {
	tables []*arena.Tables
	mem    io.ReaderAt
	shadow *shadow // nil where there is nothing to count
	// frames: what is moved is in a signal frame.
	frames bool
	// asked are the sites that lead to answers. They stay hooked as long as somebody unwinds.
	asked map[uint64]bool
	// answers: threads are moved out of answers to unwinders and of what leads there, and
	// only out of those.
	answers bool
}

// errStranded: a place in a unit that has no exit. It cannot happen
// unless the arena's tables were damaged; the code must stay then.
type errStranded uint64

// errNobody: a place in generated code at which nobody can be: where there is no unit, or
// behind a wrapped function's return, with a return address that leads to a program
// although the callers' were put back. A signal frame that says so was left over, perhaps
// from the time of an earlier session.
type errNobody uint64

func (e errNobody) Error() string {
	return fmt.Sprintf("nobody can be at %#x in generated code", uint64(e))
}

func (e errStranded) Error() string {
	return fmt.Sprintf("no way out of generated code at %#x", uint64(e))
}

// in returns the arena whose code holds addr.
func (e *evictor) in(addr uint64) *arena.Tables {
	for _, t := range e.tables {
		if addr-t.Code < t.CodeSize {
			return t
		}
	}
	return nil
}

// move changes c so that it continues in original code, and reports whether it
// had to. The original bytes must be back, or be put back before it runs.
func (e *evictor) move(c *cpu) (bool, error) {
	exit, site, in, err := e.way(c)
	if !in || err != nil {
		return false, err
	}
	return true, e.restore(c, exit, site)
}

// way is the way out, if there is one to take.
func (e *evictor) way(c *cpu) (exit arena.Exit, site arena.Site, in bool, err error) {
	t := e.in(c.rip)
	if t == nil || e.isLate(t, c.rip) != e.answers {
		return exit, site, false, nil
	}
	if exit, site, err = e.exit(t, c, c.rip); err != nil || exit.Token == arena.TokenNone {
		return exit, site, true, err
	}
	// In a shared routine: the program that went there says what is saved, at
	// the address to which the routine would return.
	token, err := e.token(exit.Token, c)
	if err != nil {
		return exit, site, true, err
	}
	call := exit.Call
	exit, site, err = e.exit(t, c, token)
	exit.Call = call
	return exit, site, true, err
}

// hold notes in whose program a thread is.
func (e *evictor) hold(c *cpu) {
	if exit, _, in, err := e.way(c); in && err == nil && exit.Call < arena.AnswerRestart {
		e.shadow.held[slotOf(c, exit.Call)] = true
	}
}

// token is the address to which a shared routine will return.
func (e *evictor) token(where arena.Token, c *cpu) (uint64, error) {
	switch where {
	case arena.TokenRCX:
		return c.rcx, nil
	case arena.TokenR13:
		return c.r13, nil
	case arena.TokenGSBase:
		return c.gs, nil
	case arena.TokenOut:
		return e.word(c.rsp - 56)
	}
	return e.word(c.rsp - 40)
}

// isLate reports whether threads may come to addr, and stay there, until the answers go: in
// an answer, or in a stub that leads to one. The copy in that stub is how an answer calls the
// function, whose entry is a jump until then.
func (e *evictor) isLate(t *arena.Tables, addr uint64) bool {
	u, _, _ := t.Find(addr)
	s, ok := t.SiteOf(u)
	return u.Kind == arena.UnitAnswer || ok && u.Kind == arena.UnitStub && e.asked[s.Addr]
}

func (e *evictor) exit(t *arena.Tables, c *cpu, addr uint64) (arena.Exit, arena.Site, error) {
	u, _, ok := t.Find(addr)
	if !ok {
		return arena.Exit{}, arena.Site{}, errNobody(addr)
	}
	x, ok := t.ExitAt(u, addr)
	if !ok {
		return arena.Exit{}, arena.Site{}, errStranded(addr)
	}
	site, ok := t.SiteOf(u)
	if !ok && x.Token == arena.TokenNone && !returned(x.Call) {
		return arena.Exit{}, arena.Site{}, errStranded(addr)
	}
	return x, site, nil
}

// returned: the way out is to the caller, whatever the site.
func returned(c arena.Call) bool { return c >= arena.CallBack && c < arena.AnswerRestart }

// eflags bits that lahf leaves in ah, and the one that seto leaves in al.
const (
	lahfBits = 0xd5
	ofBit    = 1 << 11
)

const zeroBit = 1 << 6

// slot is where the return address is, and registers are saved below.
func slotOf(c *cpu, call arena.Call) uint64 {
	switch call {
	case arena.CallDropped, arena.CallBack, arena.CallJoinLeft, arena.CallRecorded, arena.CallLeft:
		return c.rsp - 8
	}
	return c.rsp
}

// restore loads what the program had saved and goes to the original code: to the
// function, or to its caller if it has returned.
func (e *evictor) restore(c *cpu, x arena.Exit, site arena.Site) error {
	if x.Call >= arena.AnswerRestart {
		return e.leaveAnswer(c, x, site)
	}
	base := slotOf(c, x.Call)
	if e.shadow != nil && !(e.frames && e.shadow.held[base]) {
		e.shadow.evicted(base, x.Call, c)
	}
	if x.Saved&arena.SavedFlags != 0 {
		w, err := e.word(base - 16)
		if err != nil {
			return err
		}
		c.flags = c.flags&^(lahfBits|ofBit) | w>>8&lahfBits | w&1*ofBit
	}
	if x.Saved&arena.SavedSecond != 0 {
		w, err := e.word(base - 24)
		if err != nil {
			return err
		}
		c.rcx = w
	}
	if x.Saved&arena.SavedThird != 0 {
		w, err := e.word(base - 32)
		if err != nil {
			return err
		}
		c.rdx = w
	}
	if x.Saved&arena.SavedFirst != 0 {
		w, err := e.word(base - 8)
		if err != nil {
			return err
		}
		c.rax = w
	}
	if x.Call >= arena.CallBack {
		return e.complete(c, base)
	}
	c.rsp = base + uint64(x.Pop)
	c.rip = site.Addr + uint64(int64(x.Delta))
	return nil
}

// complete returns to the caller. Its address is in the slot: there it was put back
// before anybody is moved. The caller of a callback may be an answer, which is left later.
func (e *evictor) complete(c *cpu, slot uint64) error {
	to, err := e.word(slot)
	if err != nil {
		return err
	}
	if t := e.in(to); t != nil && !isAnswer(t, to) {
		return errNobody(c.rip)
	}
	c.rip, c.rsp = to, slot+8
	return nil
}

func (e *evictor) word(addr uint64) (uint64, error) {
	var b [8]byte
	if _, err := e.mem.ReadAt(b[:], int64(addr)); err != nil {
		return 0, fmt.Errorf("reading a saved register at %#x: %w", addr, err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}
