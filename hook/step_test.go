package hook

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

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
		err = s.Update(func(any) (any, Generator) {
			d, env, places := s.Displaced(), s.Env(), []codegen.Cell{cell.Place()}
			return places, func(at uint64) (codegen.Code, int, error) { return codegen.Count(at, d, env, places) }
		})
		if err != nil {
			t.Fatal(err)
		}
		cells[s.Site().Function.Name()] = cell
	}
	return cells
}

// stepInto lets one thread run, instruction by instruction, until it has made
// n steps in generated code. It reports whether it got there.
func stepInto(st *ptrace.Stop, s *session, n int) (where uint64, err error) {
	th := st.Threads()[len(st.Threads())-1]
	for range 2_000_000 {
		r, err := th.Regs()
		if err != nil {
			return 0, err
		}
		if s.findCode(r.Rip) != nil {
			if n == 0 {
				return r.Rip, nil
			}
			n--
		}
		if err := stepClean(st, th, r.Rip); err != nil {
			return 0, err
		}
	}
	return 0, errors.New("the thread never came to generated code")
}

// stepClean is one step. A pushf that is stepped over pushes the trap flag too,
// which the popf behind it would raise after the test: it is taken away.
func stepClean(st *ptrace.Stop, th *ptrace.Thread, rip uint64) error {
	op := make([]byte, 1)
	if _, err := st.Mem().ReadAt(op, int64(rip)); err != nil {
		return err
	}
	if err := th.Step(time.Second); err != nil || op[0] != 0x9c {
		return err
	}
	r, err := th.Regs()
	if err != nil {
		return err
	}
	word := make([]byte, 2)
	if _, err := st.Mem().ReadAt(word, int64(r.Rsp)); err != nil {
		return err
	}
	word[1] &^= 1
	_, err = st.Mem().WriteAt(word, int64(r.Rsp))
	return err
}

// TestDetachAtEveryInstruction single-steps the working thread to each
// instruction of stubs, copies, programs and the claim routine, and detaches
// there. The victim compares every register and flag, before and after.
func TestDetachAtEveryInstruction(t *testing.T) {
	for _, c := range []struct {
		source  string
		variant testutils.Variant
		args    []string
		claim   bool // forget the areas first, so that the claim routine is walked too
	}{
		{"transparency.c", testutils.CNoPIE, []string{"--flags"}, false},
		{"transparency.c", testutils.CDynamic, []string{"--flags"}, true},
		{"pclass.c", testutils.CDynamic, nil, false},
	} {
		t.Run(fmt.Sprint(c.source, c.variant.Name, c.claim), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			seen := map[uint64]bool{}
			for n := range stepRounds() {
				v.StartLoad()
				where := detachAt(t, v.PID(), n, c.claim)
				seen[where] = true
				if !v.Running() {
					t.Fatalf("the victim died of a detach at step %d, code+%#x: %s", n, where, v.Stderr())
				}
				v.StopLoad()
				v.Run(3)
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
				if t.Failed() {
					t.Fatalf("after a detach at step %d", n)
				}
			}
			t.Logf("detached at %d different instructions", len(seen))
			v.Quit()
		})
	}
}

func stepRounds() int {
	if longTests() {
		return 400
	}
	return 60
}

// detachAt hooks everything, stops a thread at the n-th instruction of
// generated code, and takes everything back.
func detachAt(t *testing.T, pid, n int, claim bool) (where uint64) {
	t.Helper()
	p, err := Attach(context.Background(), pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pt := hookAll(t, p)
	pt.count(t)
	c := &cleaner{p: p, r: p.session.remains(), text: &textWriter{}}
	c.prepare()
	err = p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
		if claim {
			forgetArea(t, st, p.session)
		}
		if where, err = stepInto(st, p.session, n); err != nil {
			return err
		}
		return c.restore(st)
	})
	if err != nil {
		t.Fatalf("step %d: %v", n, err)
	}
	if len(c.out.Left) > 0 {
		t.Fatalf("step %d: left %v", n, c.out.Left)
	}
	return where - p.session.arenas[0].Code
}

// forgetArea gives the working thread another thread's area, as a thread has
// that was just born.
func forgetArea(t *testing.T, st *ptrace.Stop, s *session) {
	t.Helper()
	th := st.Threads()[len(st.Threads())-1]
	r, err := th.Regs()
	if err != nil {
		t.Fatal(err)
	}
	changed := *r
	first := codegen.Bucket(r.Fs_base, s.claims().AreaCount)
	changed.Gs_base = s.claims().AreasAddr + uint64((first+8)%s.claims().AreaCount*128)
	if err := th.SetRegs(&changed); err != nil {
		t.Fatal(err)
	}
}
