package hook

import (
	"errors"
	"sync"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestTogether: of several that attach at the same moment one has the target, and the
// others are told who has it.
func TestTogether(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	for round := range testutils.Repeat(15, 200) {
		together(t, v.PID(), 2+round%3)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

func together(t *testing.T, pid, n int) {
	var begin, patched, over sync.WaitGroup
	begin.Add(1)
	patched.Add(n)
	errs := make([]error, n)
	for i := range n {
		over.Go(func() {
			begin.Wait()
			p, err := Attach(t.Context(), pid, nil)
			if err == nil {
				defer p.Close()
				var sites []Site
				if sites, _, err = p.Sites(Match{Include: []string{"work_*"}}); err == nil {
					_, err = p.Patch(t.Context(), sites)
				}
				if children, cerr := p.ForkChildren(); err == nil && (len(children) > 0 || cerr != nil) {
					t.Errorf("it has forked %v, %v", children, cerr)
				}
			}
			errs[i] = err
			patched.Done()
			patched.Wait() // who has it keeps it until all others have tried
		})
	}
	begin.Done()
	over.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, ErrBusy) {
			t.Errorf("a loser is told: %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d have the target: %v", won, n, errs)
	}
}
