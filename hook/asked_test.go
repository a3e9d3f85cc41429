package hook

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// Functions that unwinders ask stay hooked while a detach waits for one. So there are threads
// in their stubs all the time.

// asker makes a thread that only waits look like one that is unwinding, as long as there is
// a word below its stack pointer.
type asker struct {
	mem      *ptrace.Mem
	at       uint64
	original [8]byte
}

func newAsker(t *testing.T, st *ptrace.Stop, pid int, word uint64) *asker {
	t.Helper()
	a := &asker{mem: st.Mem()}
	for _, th := range st.Threads() {
		if th.TID() != pid {
			continue
		}
		r, err := th.Regs()
		if err != nil {
			t.Fatal(err)
		}
		a.at = r.Rsp&^7 - 64
	}
	if _, err := a.mem.ReadAt(a.original[:], int64(a.at)); err != nil {
		t.Fatal(err)
	}
	a.put(t, binary.LittleEndian.AppendUint64(nil, word))
	return a
}

// askedFor is the address for which an unwinder would ask that has read the return address of
// a running function.
func (c *cleaner) askedFor(t *testing.T, st *ptrace.Stop) uint64 {
	t.Helper()
	frames, err := readFrames(c.p.pid, st.Mem(), c.r.tables)
	if err != nil || len(frames) == 0 {
		t.Fatalf("%d frames of running functions: %v", len(frames), err)
	}
	return frames[0].Back - 1
}

func (a *asker) put(t *testing.T, b []byte) {
	t.Helper()
	if _, err := a.mem.WriteAt(b, int64(a.at)); err != nil {
		t.Fatal(err)
	}
}

func (a *asker) end(t *testing.T) { t.Helper(); a.put(t, a.original[:]) }

// stepInto lets a thread make steps until it has been at n instructions of the stub. It
// reports false if the function that the thread has just called returns before that.
func (s *Slot) stepInto(t *testing.T, th *ptrace.Thread, n int) bool {
	t.Helper()
	at, size := s.n.UnitAddr(s.unit)
	r, err := th.Regs()
	if err != nil {
		t.Fatal(err)
	}
	for slot := r.Rsp; r.Rsp <= slot || s.n.ContainsCode(r.Rip); {
		if r.Rip-at < size {
			if n--; n < 0 {
				return true
			}
		}
		if err := th.Step(time.Second); err != nil {
			t.Fatal(err)
		}
		if r, err = th.Regs(); err != nil {
			t.Fatal(err)
		}
	}
	return false
}

// TestDetachWhileAsking has a thread at each instruction of the stub of a function that
// unwinders ask while the detach begins to wait for somebody, or when the wait ends.
func TestDetachWhileAsking(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "iterate.c", testutils.CMuslStatic))
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	for _, late := range []bool{false, true} {
		n := 0
		for askAndDetachAt(t, v, n, late) {
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			n++
		}
		if n < 4 { // two jumps, and two instructions that were displaced
			t.Errorf("late %v: %d instructions", late, n)
		}
	}
	v.Quit()
}

func askAndDetachAt(t *testing.T, v *testutils.Victim, n int, late bool) (inside bool) {
	t.Helper()
	v.StartLoad()
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pt := hookAll(t, p)
	if err := p.ServeUnwinders(context.Background()); err != nil {
		t.Fatal(err)
	}
	stats := pt.measure(t)
	iterate, asked := pt.find(t, "work_iterate"), pt.find(t, "dl_iterate_phdr")
	release := iterate.trap(t)
	c := &cleaner{p: p, r: p.session.remains(), text: &textWriter{}}
	iterate.catch(t, p, func(st *ptrace.Stop, th *ptrace.Thread) {
		release()
		iterate.enter(t, th)
		inside = c.askAt(t, st, th, asked, n, late)
	})
	if err := c.awaitUnwinders(context.Background()); err != nil || len(c.out.Left) > 0 {
		t.Fatalf("instruction %d, late %v: %v, left %v", n, late, err, c.out.Left)
	}
	for name, st := range stats {
		requireLaw(t, name, st)
	}
	v.StopLoad()
	v.Run(3)
	return inside
}

// catch stops the target when a thread is in the trap.
func (s *Slot) catch(t *testing.T, p *Process, do func(*ptrace.Stop, *ptrace.Thread)) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		var th *ptrace.Thread
		err := p.stopAll(context.Background(), "test", func(st *ptrace.Stop) (err error) {
			if th, err = s.trapped(st); th != nil {
				do(st, th)
			}
			return err
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case th != nil:
			return
		case time.Now().After(deadline):
			t.Fatalf("nobody calls %s", s.site.Function.Name())
		}
	}
}

// enter starts a trapped thread at the stub again.
func (s *Slot) enter(t *testing.T, th *ptrace.Thread) {
	t.Helper()
	r, err := th.Regs()
	if err != nil {
		t.Fatal(err)
	}
	start := *r
	start.Rip = s.stub
	if err := th.SetRegs(&start); err != nil {
		t.Fatal(err)
	}
}

// askAt begins the detach, and has the thread at the n-th instruction of the stub before
// that, or afterwards.
func (c *cleaner) askAt(t *testing.T, st *ptrace.Stop, th *ptrace.Thread, asked *Slot, n int, late bool) (inside bool) {
	t.Helper()
	a := newAsker(t, st, c.p.pid, c.askedFor(t, st))
	if !late {
		inside = asked.stepInto(t, th, n)
	}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	if err := c.restore(st); err != nil {
		t.Fatal(err)
	}
	if len(c.waits) == 0 {
		t.Fatal("the detach does not wait")
	}
	window := asked.site.window()
	if r, err := th.Regs(); err != nil || r.Rip-asked.site.Addr()-1 < uint64(len(window))-1 {
		t.Fatalf("instruction %d: the thread is in the middle of a jump (%v)", n, err)
	}
	if late {
		inside = asked.stepInto(t, th, n)
	}
	a.end(t)
	if late {
		c.endLate(t, st, th, asked, n)
	}
	return inside
}

// endLate ends the wait while the thread is in the stub.
func (c *cleaner) endLate(t *testing.T, st *ptrace.Stop, th *ptrace.Thread, asked *Slot, n int) {
	t.Helper()
	if err := c.restoreAsked(st); err != nil {
		t.Fatal(err)
	}
	at, size := asked.n.UnitAddr(asked.unit)
	if r, err := th.Regs(); err != nil || r.Rip-at < size {
		t.Errorf("instruction %d: the thread was left in a stub (%v)", n, err)
	}
}

// TestAskedByPointer: a function that is answered by a pointer to it and hooked itself is
// itself again before the detach waits for unwinders.
func TestAskedByPointer(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "unwind.cc", testutils.CXX), "2")
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	pt := hookAll(t, p)
	own, err := p.Patch(context.Background(), []Site{p.answeredByPointer(t)})
	if err != nil || len(own.Slots) != 1 {
		t.Fatalf("hooking what is asked: %d slots, %v", len(own.Slots), err)
	}
	if err := p.ServeUnwinders(context.Background()); err != nil {
		t.Fatal(err)
	}
	pt.measure(t)
	own.measure(t)
	v.StartLoad()
	time.Sleep(20 * time.Millisecond)
	c := &cleaner{p: p, r: p.session.remains(), text: &textWriter{}}
	err = p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
		a := newAsker(t, st, c.p.pid, c.askedFor(t, st))
		defer a.end(t)
		if err := c.prepare(); err != nil {
			return err
		}
		if err := c.restore(st); err != nil {
			return err
		}
		requireOriginal(t, st.Mem(), own.Slots[0].site)
		return nil
	})
	if err != nil || len(c.waits) == 0 {
		t.Fatalf("the detach waits for %v: %v", c.waits, err)
	}
	if err := c.awaitUnwinders(context.Background()); err != nil || len(c.out.Left) > 0 {
		t.Fatalf("%v, left %v", err, c.out.Left)
	}
	v.StopLoad()
	v.Run(5)
	v.Quit()
}

// answeredByPointer is what the pointer that is replaced points to.
func (p *Process) answeredByPointer(t *testing.T) Site {
	t.Helper()
	u, err := p.findUnwinders()
	if err != nil || u.Pointer == nil {
		t.Fatalf("no pointer: %v", err)
	}
	_, original, err := p.pointer(u)
	if err != nil {
		t.Fatal(err)
	}
	for im := range p.Images() {
		f, err := im.functionAt(original)
		if err != nil {
			t.Fatal(err)
		}
		if f == nil || im.bias+f.sym.Addr != original {
			continue
		}
		s, err := f.Site()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatalf("no function is known at %#x", original)
	return Site{}
}

func requireOriginal(t *testing.T, mem *ptrace.Mem, s Site) {
	t.Helper()
	b := make([]byte, len(s.window()))
	if _, err := mem.ReadAt(b, int64(s.Addr())); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, s.window()) {
		t.Errorf("%s at %#x is still hooked: % x", s.Function.Name(), s.Addr(), b)
	}
}
