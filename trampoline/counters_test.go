package trampoline_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

func mustCount(t *testing.T, p *hook.Process, sites []hook.Site) *trampoline.Counter {
	t.Helper()
	c, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTwoCounters: counters on overlapping sets of functions each count exactly
// from their beginning to their end, whichever ends first.
func TestTwoCounters(t *testing.T) {
	for _, firstEnds := range []bool{true, false} {
		t.Run(fmt.Sprint("first ends first: ", firstEnds), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4")
			before := testutils.TakeSnapshot(t, v.PID())
			p := attach(t, v.PID())
			truth := v.Report
			start := [2]testutils.Report{}
			var counters [2]*trampoline.Counter
			start[0] = truth()
			counters[0] = mustCount(t, p, some(t, p, "work_leaf", "work_tail", "work_jccfirst"))
			v.Run(7)
			start[1] = truth()
			counters[1] = mustCount(t, p, some(t, p, "work_tail", "work_jccfirst", "work_switch"))
			v.Run(11)
			end := map[bool]int{true: 0, false: 1}[firstEnds]
			made := truth().Since(start[end])
			if err := counters[end].Close(); err != nil {
				t.Fatal(err)
			}
			v.Run(5)
			other := truth().Since(start[1-end])
			requireTruth(t, hooked{p, counters[end]}.counts(), only(made, counters[end]))
			requireTruth(t, hooked{p, counters[1-end]}.counts(), only(other, counters[1-end]))
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			v.Run(1)
			requireTruth(t, hooked{p, counters[end]}.counts(), only(made, counters[end]))
			requireTruth(t, hooked{p, counters[1-end]}.counts(), only(other, counters[1-end]))
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Quit()
		})
	}
}

// TestCloseInAnyOrder closes two counters and their process in every order, and
// twice, with idle sites of a patch beside them.
func TestCloseInAnyOrder(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	for _, order := range permutations(3) {
		p := attach(t, v.PID())
		c1, c2 := mustCount(t, p, some(t, p, "work_leaf", "work_tail")), mustCount(t, p, some(t, p, "work_tail"))
		if _, err := p.Patch(context.Background(), some(t, p, "work_tail", "work_switch")); err != nil {
			t.Fatal(err)
		}
		closers := []interface{ Close() error }{c1, c2, p}
		for _, i := range append(order, order...) {
			if err := closers[i].Close(); err != nil {
				t.Errorf("order %v, closing %d: %v", order, i, err)
			}
			v.Run(1)
		}
		requireClosed(t, p)
		testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	}
	v.Quit()
}

// requireClosed: what needs the target says that it is let go.
func requireClosed(t *testing.T, p *hook.Process) {
	t.Helper()
	if _, err := p.Patch(context.Background(), nil); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("Patch after Close: %v, want ErrClosed", err)
	}
	if _, err := p.Collect(context.Background()); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("Collect after Close: %v, want ErrClosed", err)
	}
	if _, err := trampoline.Count(context.Background(), p, nil); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("Count after Close: %v, want ErrClosed", err)
	}
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			q := append(append(append([]int{}, p[:at]...), n-1), p[at:]...)
			out = append(out, q)
		}
	}
	return out
}

// TestConcurrentUse has several goroutines attach, read and close counters, and
// collect, on one process, until it is closed under them. It is for the race
// detector, and for the victim's results.
func TestConcurrentUse(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4")
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	p := attach(t, v.PID())
	sites := some(t, p, "work_leaf", "work_tail", "work_switch", "work_callfirst", "work_selfloop")
	var users sync.WaitGroup
	for id := range 4 {
		users.Go(func() {
			for i := 0; ; i++ {
				c, err := trampoline.Count(context.Background(), p, sites[id%3:])
				if errors.Is(err, hook.ErrClosed) {
					return
				}
				if err != nil {
					t.Errorf("user %d: %v", id, err)
					return
				}
				c.Read()
				if i%16 == 0 {
					if _, err := p.Collect(context.Background()); err != nil && !errors.Is(err, hook.ErrClosed) {
						t.Errorf("user %d: %v", id, err)
					}
				}
				p.Pauses()
				if err := c.Close(); err != nil {
					t.Errorf("user %d: %v", id, err)
				}
				c.Read()
			}
		})
	}
	time.Sleep(time.Second)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	users.Wait()
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(10)
	v.Quit()
}
