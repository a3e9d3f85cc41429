package hook

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// hookAll patches every hookable function of the executable.
func hookAll(t *testing.T, p *Process) *Patch {
	t.Helper()
	funcs, err := p.Executable().Functions()
	if err != nil {
		t.Fatal(err)
	}
	var sites []Site
	for _, f := range funcs {
		if st, err := f.Site(); err == nil {
			sites = append(sites, st)
		} else if !errors.Is(err, ErrUnpatchable) {
			t.Fatal(err)
		}
	}
	pt, err := p.Patch(context.Background(), sites)
	if err != nil {
		t.Fatal(err)
	}
	return pt
}

// count attaches one counter to every slot.
func (pt *Patch) count(t *testing.T) map[string]Cell {
	t.Helper()
	cells := map[string]Cell{}
	for _, s := range pt.Slots {
		cell, err := s.NewCell()
		if err != nil {
			t.Fatal(err)
		}
		err = s.Update(func(*Change) (any, Generator, error) {
			d, env, places := s.Displaced(), s.Env(), []codegen.Cell{cell.Place()}
			return places, func(at uint64) (codegen.Code, int, error) { return codegen.Count(at, d, env, places) }, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		cells[s.Site().Function.Name()] = cell
	}
	return cells
}

// spin is a program that never ends: a thread in it has just called the
// function and done nothing else.
func spin(uint64) (codegen.Code, int, error) {
	return codegen.Code{Bytes: []byte{0xeb, 0xfe}, Exits: []arena.Exit{{}}}, 0, nil
}

// trap makes a site a place where callers spin, and returns what undoes it.
func (s *Slot) trap(t *testing.T) (release func()) {
	t.Helper()
	program := s.n.Slot(s.index)
	if err := s.Update(func(c *Change) (any, Generator, error) { return c.Attached, spin, nil }); err != nil {
		t.Fatal(err)
	}
	return func() { s.n.StoreSlot(s.index, program) }
}

// trapped finds the thread that spins at a site.
func (s *Slot) trapped(st *ptrace.Stop) (*ptrace.Thread, error) {
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return nil, err
		}
		if r.Rip == s.n.Slot(s.index) {
			return th, nil
		}
	}
	return nil, nil
}

// stepFrom starts a trapped thread at the stub again and lets it make n steps.
// It reports false if that leads out of generated code.
func (s *Slot) stepFrom(th *ptrace.Thread, n int) (bool, error) {
	r, err := th.Regs()
	if err != nil {
		return false, err
	}
	start := *r
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
		if !s.n.ContainsCode(r.Rip) {
			return false, nil
		}
	}
	return true, nil
}

// TestDetachAtEveryInstruction takes a working thread to each instruction of
// stub, copy, program and claim routine of several functions, one after the
// other, and detaches there. The victim compares all registers and flags.
func TestDetachAtEveryInstruction(t *testing.T) {
	for _, c := range []struct {
		source   string
		variant  testutils.Variant
		args     []string
		claim    bool // take the area away first, so that the claim routine is walked too
		function string
	}{
		{"transparency.c", testutils.CNoPIE, []string{"--flags"}, false, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, true, "work_empty"},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, true, "work_redzone"},
		{"pclass.c", testutils.CDynamic, nil, false, "p_five_singles"},
		{"pclass.c", testutils.CDynamic, nil, true, "p_push_rbp"},
		{"count.go", testutils.Go, []string{"1"}, true, "main.workLeaf"},
	} {
		t.Run(fmt.Sprintf("%s %s claim=%v", c.variant.Name, c.function, c.claim), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			steps := 0
			for n := 0; ; n++ {
				v.StartLoad()
				inside := detachAt(t, v.PID(), c.function, n, c.claim)
				if !v.Running() {
					t.Fatalf("the victim died of a detach at step %d: %s", n, v.Stderr())
				}
				v.StopLoad()
				v.Run(3)
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: c.source == "count.go"})
				if t.Failed() {
					t.Fatalf("after a detach at step %d", n)
				}
				if !inside {
					break
				}
				steps++
			}
			t.Logf("detached at %d instructions", steps)
			if steps < 8 {
				t.Error("that cannot have been the whole way")
			}
			v.Quit()
		})
	}
}

// detachAt hooks everything, takes a thread to the n-th instruction after the
// entry of a function, and takes everything back. It reports false when n
// steps lead out of generated code.
func detachAt(t *testing.T, pid int, function string, n int, claim bool) (inside bool) {
	t.Helper()
	p, err := Attach(context.Background(), pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pt := hookAll(t, p)
	pt.count(t)
	slot := pt.find(t, function)
	release := slot.trap(t)
	c := &cleaner{p: p, r: p.session.remains(), text: &textWriter{}}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nobody calls %s", function)
		}
		caught := false
		err = p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
			th, err := slot.trapped(st)
			if th == nil || err != nil {
				return err
			}
			caught = true
			release()
			if claim {
				forgetArea(t, th, p.session)
			}
			if inside, err = slot.stepFrom(th, n); err != nil {
				return err
			}
			if err := c.prepare(); err != nil {
				return err
			}
			return c.restore(st)
		})
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
		if caught {
			break
		}
	}
	if len(c.out.Left) > 0 {
		t.Fatalf("step %d: left %v", n, c.out.Left)
	}
	return inside
}

func (pt *Patch) find(t *testing.T, function string) *Slot {
	t.Helper()
	for _, s := range pt.Slots {
		if s.Site().Function.Name() == function {
			return s
		}
	}
	t.Fatalf("%s is not hooked", function)
	return nil
}

// forgetArea gives a thread another one's area, as a thread has that was just
// born.
func forgetArea(t *testing.T, th *ptrace.Thread, s *session) {
	t.Helper()
	r, err := th.Regs()
	if err != nil {
		t.Fatal(err)
	}
	changed := *r
	first := codegen.Bucket(r.Fs_base, s.claims().AreaCount)
	changed.Gs_base = s.claims().AreasAddr + uint64((first+8)%s.claims().AreaCount*arena.AreaSize)
	if err := th.SetRegs(&changed); err != nil {
		t.Fatal(err)
	}
}
