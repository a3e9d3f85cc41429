package hook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/sigframe"
	"github.com/functap/functap/internal/unwind"
)

// A detach has to wait for unwinders that our answers have led to generated code. Who has read
// a return address that was ours is going to ask about it: until none has, the answers stay.
// Who has an address of the table, or of an answer, needs that memory. All else is as it was by
// then, so that nobody comes anew.
//
// What an unwinder knows is in its thread's registers or on its stack. Words there that mean
// nothing any more cannot be told from those that do, so a wait may be in vain. It is short.

// Patience with unwinders.
const (
	walkTries     = 40
	walkFirstWait = time.Millisecond
	walkLastWait  = 32 * time.Millisecond
	walkDoubt     = 10 // after so many tries it is asked whether anybody can unwind at all
)

// awaitUnwinders puts back what unwinders ask, in further stops if it has to wait.
func (c *cleaner) awaitUnwinders(ctx context.Context) error {
	wait := walkFirstWait
	for try := 0; len(c.waits) > 0 && try < walkTries && pause(ctx, wait); try++ {
		// As long as there are answers somebody may come who asks.
		if try > 0 && try%walkDoubt == 0 && len(c.asked.edits) == 0 && c.canKnow {
			c.canKnow = canAsk(c.p.pid)
		}
		if err := c.p.stopAll(ctx, "detach", c.restoreAsked); err != nil {
			return err
		}
		wait = min(2*wait, walkLastWait)
	}
	c.out.Left = append(c.out.Left, c.waits...)
	return nil
}

// restoreAsked puts back what unwinders ask if nobody needs our answers any more.
func (c *cleaner) restoreAsked(st *ptrace.Stop) error {
	c.waits = nil
	if !c.serve || len(c.out.Left) > 0 {
		return nil
	}
	c.evictor.mem = st.Mem()
	asks, err := c.findWalkers(st)
	if err != nil || asks {
		return err
	}
	if err := c.restoreText(st, &c.asked); err != nil || len(c.out.Left) > 0 {
		return err
	}
	c.asked = textWriter{} // done, should it have to wait for more
	c.evictor.answers = true
	defer func() { c.evictor.answers = false }()
	return errors.Join(c.evictFrames(st), c.evictThreads(st))
}

// askedSites are the functions at whose entries answers are hooked. One that is answered by
// a pointer to it may be hooked, too, but like any other: the answer hands on to its entry.
func (c *cleaner) askedSites() map[uint64]bool {
	asked := map[uint64]bool{}
	for _, t := range c.r.tables {
		t.EachSite(func(_ int, s arena.Site) {
			if s.Kind != arena.SiteAnswer {
				return
			}
			c.serve = true
			if s.Patch == 0 && s.HoleOriginal != [8]byte{} {
				asked[s.HoleAddr] = true
				c.handOn = append(c.handOn, s)
			}
		})
	}
	return asked
}

// findKnown finds, with the target running, what addresses an unwinder can know: none of a
// table that is gone, since somebody else has taken everything out.
func (c *cleaner) findKnown() error {
	mem, err := openMem(c.p.pid)
	if err != nil {
		return err
	}
	defer mem.Close()
	read := func(b []byte, addr uint64) error {
		_, err := mem.ReadAt(b, int64(addr))
		return err
	}
	for _, t := range c.r.tables {
		if t.UnwindSize == 0 {
			continue
		}
		head, records, err := unwind.Config{CodeSize: t.CodeSize}.Known(t.Code+t.CodeSize, read)
		if err != nil {
			continue
		}
		c.known = append(c.known, t.AnswersAt(), arena.Range{Start: head[0], End: head[1]}, arena.Range{Start: records[0], End: records[1]})
	}
	return nil
}

// endPrograms makes answers hand on to the functions themselves, past programs that count or
// wrap them: these functions are still hooked while we wait.
func (c *cleaner) endPrograms(st *ptrace.Stop) error {
	maps, err := c.p.mapsInStop()
	if err != nil {
		return err
	}
	for _, a := range c.handOn {
		at := binary.LittleEndian.Uint64(a.HoleOriginal[:])
		if m, ok := mappingOf(maps, at); !ok || !isOurs(m.Path) {
			continue // somebody else has taken everything out
		}
		if _, err := st.Mem().WriteAt(a.HoleWritten[:], int64(at)); err != nil {
			return fmt.Errorf("making an answer hand on to its function: %w", err)
		}
	}
	return nil
}

// isAnswer reports whether an address of generated code is in an answer.
func isAnswer(t *arena.Tables, addr uint64) bool {
	u, _, ok := t.Find(addr)
	return ok && u.Kind == arena.UnitAnswer
}

// errWaits: a thread in an answer that must not be moved yet.
type errWaits uint64

func (e errWaits) Error() string {
	return fmt.Sprintf("at %#x, it is telling an unwinder about generated code", uint64(e))
}

// leaveAnswer goes to the function that is asked, or to the caller if it has answered.
func (e *evictor) leaveAnswer(c *cpu, x arena.Exit, site arena.Site) (err error) {
	switch x.Call {
	case arena.AnswerWaits, arena.AnswerLoader:
		return errWaits(c.rip)
	case arena.AnswerReturn:
		c.rsp += uint64(x.Pop)
		c.rip, err = e.word(c.rsp)
		c.rsp += 8
		return err
	case arena.AnswerSaved:
		if c.rdi, err = e.word(c.rsp); err != nil {
			return err
		}
		if c.rsi, err = e.word(c.rsp + 8); err != nil {
			return err
		}
	}
	c.rsp += uint64(x.Pop)
	c.rip = site.HoleAddr
	return nil
}

// walkers looks for unwinders that have our addresses.
type walkers struct {
	tables []*arena.Tables
	lo, hi uint64        // all of ours is between
	known  []arena.Range // what unwinders know addresses of
	// backs are, for each address that wrapped functions return to, what the stack
	// pointer is there in each call that is running.
	backs map[uint64][]uint64
	mem   *ptrace.Mem
	maps  []procfs.Mapping
	can   bool   // somebody may know of the table
	why   string // what was found
	asks  bool   // somebody will ask our answers
}

func (c *cleaner) newWalkers(st *ptrace.Stop) (*walkers, error) {
	maps, err := c.p.mapsInStop()
	if err != nil {
		return nil, err
	}
	w := &walkers{tables: c.r.tables, known: c.known, lo: ^uint64(0), backs: map[uint64][]uint64{}, mem: st.Mem(), maps: maps, can: c.canKnow}
	for _, t := range c.r.tables {
		w.lo, w.hi = min(w.lo, t.Near), max(w.hi, t.Code+t.TextSize())
	}
	for i := range c.evictor.shadow.frames {
		f := &c.evictor.shadow.frames[i]
		if _, n := f.JoinedTo(); n == 0 {
			w.backs[f.Back] = append(w.backs[f.Back], f.Slot+8)
		}
	}
	return w, nil
}

// findWalkers looks at every thread, and at what signals have interrupted on its stacks. It
// reports whether somebody is going to ask for rules at our addresses.
func (c *cleaner) findWalkers(st *ptrace.Stop) (asks bool, err error) {
	w, err := c.newWalkers(st)
	if err != nil {
		return false, err
	}
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return false, err
		}
		w.registers(r.Rax, r.Rbx, r.Rcx, r.Rdx, r.Rsi, r.Rdi, r.Rbp, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15)
		w.stack(r.Rsp)
		c.report(w, th)
	}
	err = c.p.eachFrame(st, func(th *ptrace.Thread, f sigframe.Frame, _ uint64) error {
		if err := w.frame(f); err != nil {
			return err
		}
		c.report(w, th)
		return nil
	})
	return w.asks, err
}

// report notes what was found, once a thread.
func (c *cleaner) report(w *walkers, th *ptrace.Thread) {
	if why := fmt.Sprintf("thread %d %s", th.TID(), w.why); w.why != "" && !slices.Contains(c.waits, why) {
		c.waits = append(c.waits, why)
	}
	w.why = ""
}

func (w *walkers) frame(f sigframe.Frame) error {
	for r := sigframe.R8; r < sigframe.RSP; r++ {
		v, err := f.Get(r)
		if err != nil {
			return err
		}
		w.registers(v)
	}
	sp, err := f.Get(sigframe.RSP)
	if err == nil {
		w.stack(sp)
	}
	return err
}

// What is found, in the words of a report.
const (
	knowsTable  = "has an address of the unwind table: it is unwinding"
	inCallback  = "is in a callback of dl_iterate_phdr"
	knowsReturn = "has the return address of a hooked function: it is unwinding"
)

// registers judges words that are certainly in use.
func (w *walkers) registers(words ...uint64) {
	for _, v := range words {
		if v-w.lo >= w.hi-w.lo {
			continue
		}
		w.own(v)
		w.inRows(v)
		if w.backs[v] != nil || w.backs[v+1] != nil {
			w.why, w.asks = knowsReturn, true
		}
	}
}

// own judges an address of the table and of answers: neither is ever left behind by a
// function that was wrapped.
func (w *walkers) own(v uint64) {
	for _, t := range w.tables {
		if v-t.Code < t.CodeSize && isAnswer(t, v) {
			w.why = inCallback
		}
	}
	for _, r := range w.known {
		if w.can && v-r.Start < r.End-r.Start {
			w.why = knowsTable
		}
	}
}

// inRows judges an address of a table's rows, which is in a register while they are searched.
// On a stack there may be anything that lay at these addresses before.
func (w *walkers) inRows(v uint64) {
	for _, t := range w.tables {
		if w.can && v-(t.Code+t.CodeSize) < t.UnwindSize {
			w.why = knowsTable
		}
	}
}

const (
	redZone   = 128
	walkStack = 8 << 20 // of one stack that is looked through
)

// stack judges what is on a stack from the stack pointer up.
func (w *walkers) stack(sp uint64) {
	m, ok := mappingOf(w.maps, sp)
	if !ok || !m.Read {
		return
	}
	from := max(m.Start, (sp-redZone)&^7)
	b := make([]byte, min(m.End-from, walkStack))
	n, _ := w.mem.ReadAt(b, int64(from)) // what cannot be read has nothing
	for at := 0; at+8 <= n; at += 8 {
		if v := binary.LittleEndian.Uint64(b[at:]); v-w.lo < w.hi-w.lo {
			w.own(v)
			w.context(b, at, v)
		}
	}
}

// Where unwinders keep the stack pointer that goes with an instruction pointer: right before
// it (libgcc and nongnu's), or with all registers in the machine's order (LLVM's).
var besideIP = []int{8, 9 * 8}

// context judges a word of a stack. Return addresses of ours are left over on every stack;
// one less is what unwinders look up, and the pair is what they keep.
func (w *walkers) context(b []byte, at int, v uint64) {
	if w.backs[v+1] != nil {
		w.why, w.asks = knowsReturn, true
	}
	for _, d := range besideIP {
		if at >= d && slices.Contains(w.backs[v], binary.LittleEndian.Uint64(b[at-d:])) {
			w.why, w.asks = knowsReturn, true
		}
	}
}
