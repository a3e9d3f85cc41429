package hook

import (
	"context"
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// wrapAll wraps all functions of a victim that throws.
func wrapAll(t *testing.T, serve bool) (*Process, *testutils.Victim, map[string]*Stats) {
	t.Helper()
	v := testutils.Start(t, testutils.Build(t, "unwind.cc", testutils.CXX), "2")
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	pt := hookAll(t, p)
	if serve {
		if err := p.ServeUnwinders(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return p, v, pt.measure(t)
}

// TestWithoutAnswers: where unwinders are not answered, an exception ends the program. With
// answers the same program runs; so what other tests see is their doing.
func TestWithoutAnswers(t *testing.T) {
	_, v, _ := wrapAll(t, false)
	v.MayExit()
	v.Send("run 1")
	if err := v.Wait(); err == nil || !strings.Contains(v.Stderr(), "terminate called after throwing") {
		t.Errorf("the victim ended with %v and said %q", err, v.Stderr())
	}
	p, v, stats := wrapAll(t, true)
	v.Run(50)
	for _, n := range p.session.arenas {
		if n.rows.table.Units() == 0 {
			t.Error("an arena's table is empty")
		}
	}
	if err := p.detachAndKeep(); err != nil {
		t.Fatal(err)
	}
	for name, st := range stats {
		requireLaw(t, name, st)
	}
	v.Run(5)
	v.Quit()
}

// detachAndKeep takes everything out but keeps what was counted.
func (p *Process) detachAndKeep() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.session.arenas {
		n.endSlots()
	}
	_, err := p.clean(context.Background(), p.session.remains())
	return err
}
