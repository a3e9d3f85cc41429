package hook

import (
	"context"
	"errors"
	"testing"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// TestWordOfNobody: a word on a sleeping thread's stack that looks like an address of the
// unwind table keeps a detach from its end only where it may be an unwinder's.
func TestWordOfNobody(t *testing.T) {
	for _, c := range []struct {
		source  string
		variant testutils.Variant
		waits   bool
	}{
		{"count.c", testutils.CDynamic, false},
		{"count.c", testutils.CMusl, false},
		{"count.c", testutils.CStatic, true},
		{"iterate.c", testutils.CDynamic, true},
		{"unwind.cc", testutils.CXX, true},
	} {
		t.Run(c.source+" "+c.variant.Name, func(t *testing.T) { closeWithWord(t, c.source, c.variant, c.waits) })
	}
}

func closeWithWord(t *testing.T, source string, variant testutils.Variant, waits bool) {
	v := testutils.Start(t, testutils.Build(t, source, variant), "2")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	pt := hookAll(t, p)
	if err := p.ServeUnwinders(context.Background()); err != nil {
		t.Fatal(err)
	}
	pt.measure(t)
	v.Run(3)
	a := p.leaveWord(t)
	defer a.mem.Close()
	err = p.Close()
	if waits != errors.Is(err, ErrDraining) || !waits && err != nil {
		t.Errorf("closing: %v, want a wait: %v", err, waits)
	}
	a.end(t)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(3)
	v.Quit()
}

// leaveWord leaves the address of a record of the unwind table on the main thread's stack.
func (p *Process) leaveWord(t *testing.T) (a *asker) {
	t.Helper()
	c := &cleaner{p: p, r: p.session.remains()}
	if err := c.findKnown(); err != nil {
		t.Fatal(err)
	}
	records := c.known[2]
	err := p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
		a = newAsker(t, st, p.pid, records.Start+8)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if a.mem, err = ptrace.OpenMem(p.pid); err != nil {
		t.Fatal(err)
	}
	return a
}
