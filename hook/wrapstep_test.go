package hook

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// measure wraps every function that can be.
func (pt *Patch) measure(t *testing.T) map[string]*Stats { return pt.record(t, nil, false) }

// record does that, and records its calls if there are rings, and self times if they are
// wanted.
func (pt *Patch) record(t *testing.T, rings *Rings, self bool) map[string]*Stats {
	t.Helper()
	all := map[string]*Stats{}
	for _, s := range pt.Slots {
		if s.Site().Exit() != nil {
			continue
		}
		var st *Stats
		events := eventsOf(t, rings)
		err := s.Update(func(c *Change) (_ any, _ Generator, err error) {
			if st, err = c.NewStats(); err != nil {
				return nil, nil, err
			}
			d, env, place := s.Wrapped(), s.Env(), st.Place()
			place.Events, place.Self = events, self
			return st, func(at uint64) (codegen.Code, int, error) { return codegen.Wrap(at, d, env, nil, place) }, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all[s.Site().Function.Name()] = st
	}
	return all
}

// eventsOf is what one site's program records, if there are rings.
func eventsOf(t *testing.T, rings *Rings) *codegen.Events {
	t.Helper()
	if rings == nil {
		return nil
	}
	id, err := rings.Number()
	if err != nil {
		t.Fatal(err)
	}
	return &codegen.Events{Site: id, Records: rings.Records(), Shared: rings.Shared()}
}

// requireLaw checks that every call has come to an end that was counted.
func requireLaw(t *testing.T, name string, st *Stats) {
	t.Helper()
	var returned uint64
	for i := range arena.Buckets {
		returned += st.Read(arena.StatBuckets + i)
	}
	calls, unwound, inflight := st.Read(arena.StatCalls), st.Read(arena.StatUnwound), st.Read(arena.StatInflight)
	if calls != returned+unwound+inflight {
		t.Errorf("%s: %d calls are not %d returned, %d unwound and %d inflight", name, calls, returned, unwound, inflight)
	}
}

// stepThrough starts a trapped thread at the stub again and lets it make n steps, through
// generated code and the function. It reports false if the function has returned by then.
func (s *Slot) stepThrough(th *ptrace.Thread, n int) (bool, error) {
	r, err := th.Regs()
	if err != nil {
		return false, err
	}
	start, slot := *r, r.Rsp
	start.Rip = s.stub
	if err := th.SetRegs(&start); err != nil {
		return false, err
	}
	for range n {
		if err := th.Step(time.Second); err != nil {
			return false, err
		}
		if r, err = th.Regs(); err != nil {
			return false, err
		}
		if r.Rsp > slot && !s.n.ContainsCode(r.Rip) {
			return false, nil
		}
	}
	return true, nil
}

// TestDetachAtEveryInstructionOfACall takes a thread to each instruction of a call that is
// wrapped, one after the other, from the stub on to the return, and detaches there. The
// victim compares all registers and flags, at entry and after the return. In the short
// form all but the first case look at every ninth instruction, from another one on each time.
func TestDetachAtEveryInstructionOfACall(t *testing.T) {
	for i, c := range []struct {
		source   string
		variant  testutils.Variant
		args     []string
		how      how
		function string
	}{
		{"transparency.c", testutils.CNoPIE, []string{"--flags"}, how{}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{claim: true}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{again: true}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{stale: true}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{events: true}, "work_empty"},
		{"count.c", testutils.CDynamic, []string{"2"}, how{events: true}, "work_tailed"}, // by a jump
		{"pclass.c", testutils.CDynamic, nil, how{}, "p_five_singles"},
		{"gsuser.c", testutils.CDynamic, nil, how{}, "work_half"},
		{"count.c", testutils.CDynamic, []string{"2"}, how{}, "work_tailed"}, // by a jump
		{"iterate.c", testutils.CDynamic, nil, how{answered: true}, "work_callback"},
		{"iterate.c", testutils.CMuslStatic, nil, how{answered: true}, "work_iterate"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{away: true}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{away: true, taken: 3}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{away: true, taken: arena.FrameWindow}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{away: true, stale: true}, "work_empty"},
		{"transparency.c", testutils.CNoPIE, []string{"--flags"}, how{self: true}, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, how{self: true, claim: true}, "work_empty"},
		{"count.c", testutils.CDynamic, []string{"2"}, how{self: true}, "work_tailed"},
	} {
		t.Run(fmt.Sprintf("%s %s %+v", c.variant.Name, c.function, c.how), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			steps, stride := 0, 1
			if i > 0 {
				stride = testutils.Repeat(9, 1)
			}
			for n := rand.N(stride); ; n += stride {
				v.StartLoad()
				inside := wrapAndDetachAt(t, v.PID(), c.function, n, c.how)
				if !v.Running() {
					t.Fatalf("the victim died of a detach at step %d: %s", n, v.Stderr())
				}
				v.StopLoad()
				v.Run(3)
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
				if t.Failed() {
					t.Fatalf("after a detach at step %d", n)
				}
				if !inside {
					break
				}
				steps++
			}
			t.Logf("detached at %d instructions", steps)
			if steps*stride < 60 {
				t.Error("that cannot have been the whole way")
			}
			v.Quit()
		})
	}
}

// how is in what state the thread and the frame tables are.
type how struct {
	events bool // calls are recorded
	claim  bool // the thread has lost its area
	again  bool // the slot has its entry in the home table already
	away   bool // that is another slot's
	taken  int  // so many entries of the window are other threads'
	stale  bool // the first one is the slot's own, left by a longjmp
	self   bool // self times are kept
	// answered: what unwinders ask is answered by us, so that callbacks of dl_iterate_phdr
	// return to generated code.
	answered bool
}

// wrapped is a target whose program is wrapped, with one function looked at.
type wrapped struct {
	p     *Process
	slot  *Slot
	stats map[string]*Stats
}

func wrapTarget(t *testing.T, pid int, function string, h how) *wrapped {
	t.Helper()
	p, err := Attach(context.Background(), pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	pt := hookAll(t, p)
	if h.answered {
		if err := p.ServeUnwinders(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	var rings *Rings
	if h.events {
		if rings, err = p.Rings(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return &wrapped{p, pt.find(t, function), pt.record(t, rings, h.self)}
}

// takeTo takes a thread that calls the function to the n-th instruction, counted from the
// stub, and does what there is to do in that stop. It reports false when n steps lead out
// of the function.
func (w *wrapped) takeTo(t *testing.T, n int, h how, do func(*ptrace.Stop, *ptrace.Thread) error) (inside bool) {
	t.Helper()
	release := w.slot.trap(t)
	caught := false
	for deadline := time.Now().Add(10 * time.Second); !caught; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nobody calls %s", w.slot.site.Function.Name())
		}
		err := w.p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
			th, err := w.slot.trapped(st)
			if th == nil || err != nil {
				return err
			}
			caught = true
			release()
			h.prepare(t, th, st.Mem(), w.p.session, w.stats[w.slot.site.Function.Name()])
			if inside, err = w.slot.stepThrough(th, n); err != nil {
				return err
			}
			return do(st, th)
		})
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	return inside
}

// requireLaws checks it for all functions, after a detach.
func (w *wrapped) requireLaws(t *testing.T) {
	t.Helper()
	for name, st := range w.stats {
		requireLaw(t, name, st)
	}
}

// wrapAndDetachAt is detachAt for wrapped functions.
func wrapAndDetachAt(t *testing.T, pid int, function string, n int, h how) (inside bool) {
	t.Helper()
	w := wrapTarget(t, pid, function, h)
	c := &cleaner{p: w.p, r: w.p.session.remains(), text: &textWriter{}}
	inside = w.takeTo(t, n, h, func(st *ptrace.Stop, _ *ptrace.Thread) error {
		if err := c.prepare(); err != nil {
			return err
		}
		return c.restore(st)
	})
	if err := c.awaitUnwinders(context.Background()); err != nil {
		t.Fatalf("step %d: %v", n, err)
	}
	if len(c.out.Left) > 0 {
		t.Fatalf("step %d: left %v", n, c.out.Left)
	}
	w.requireLaws(t)
	w.p.Close()
	return inside
}

// prepare makes the state.
func (h how) prepare(t *testing.T, th *ptrace.Thread, mem *ptrace.Mem, s *session, st *Stats) {
	t.Helper()
	if h.claim {
		forgetArea(t, th, s)
	}
	r, err := th.Regs()
	if err != nil {
		t.Fatal(err)
	}
	home := s.claims().Frames + arena.HomeOff + uint64(arena.HomeIndex(r.Rsp))*arena.FrameSize
	window := s.claims().Frames + uint64(arena.FrameIndex(r.Rsp))*arena.FrameSize
	frame(t, mem, home, 0, 0)
	switch {
	case h.again:
		frame(t, mem, home, r.Rsp, 0)
	case h.away:
		frame(t, mem, home, 0x1000, 0)
	}
	for i := range h.taken {
		frame(t, mem, window+uint64(i)*arena.FrameSize, 0x1000, 0)
	}
	if h.stale { // a call more that was entered
		if h.away {
			home = window
		}
		frame(t, mem, home, r.Rsp, st.Place().Shared)
		s.arenas[0].AddShared(st.Place().Shared, 1)
	}
}

// frame writes an entry, unless somebody is in the call that has it.
func frame(t *testing.T, mem *ptrace.Mem, at, key, stats uint64) {
	t.Helper()
	b := make([]byte, arena.FrameSize)
	if _, err := mem.ReadAt(b, int64(at)); err != nil {
		t.Fatal(err)
	}
	if arena.DecodeFrame(b).Stats != 0 {
		return // a caller's
	}
	put := func(off int, v uint64) {
		for k := range 8 {
			b[off+k] = byte(v >> (8 * k))
		}
	}
	put(arena.FrameSlot, key)
	put(arena.FrameStats, stats)
	if _, err := mem.WriteAt(b, int64(at)); err != nil {
		t.Fatal(err)
	}
}
