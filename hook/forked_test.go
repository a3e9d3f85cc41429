package hook

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestForkChild: a fork child of a hooked process has its patched text, calls
// hooked functions, counts nothing, and goes on when its parent is put back. It
// can be put back itself, which does not touch the parent.
func TestForkChild(t *testing.T) {
	for _, childFirst := range []bool{false, true} {
		v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "2")
		v.Run(1)
		before := testutils.TakeSnapshot(t, v.PID())
		p := attachTo(t, v.PID())
		pt := hookAll(t, p)
		cells := pt.count(t)
		truth := v.Report()
		v.Do("fork", "ok")
		child := int(v.Report().Info["child"])
		v.Do("child", "ok")
		if pids, err := p.ForkChildren(); err != nil || !slices.Equal(pids, []int{child}) {
			t.Errorf("fork children %v, %v, want %d", pids, err, child)
		}
		for pid, forked := range map[int]bool{child: true, v.PID(): false} {
			st, err := Inspect(pid)
			if err != nil || len(st.Sessions) != 1 || st.Sessions[0].Forked != forked {
				t.Fatalf("process %d, forked %v: %+v, %v", pid, forked, st, err)
			}
			for _, s := range st.Sessions[0].Sites {
				if forked && s.Hits != 0 {
					t.Errorf("the child's %v has %d hits", s.Function.Name(), s.Hits)
				}
			}
		}
		putBack := func() {
			got, err := Recover(context.Background(), child, &RecoverOptions{Force: childFirst})
			if err != nil || got.Sites != len(pt.Slots) {
				t.Errorf("recovering the child: %+v, %v, want %d functions", got, err, len(pt.Slots))
			}
			if ours := testutils.TakeSnapshot(t, child).Ours(); len(ours) > 0 {
				t.Errorf("left in the child: %v", ours)
			}
			v.Do("child", "ok")
		}
		if childFirst {
			if _, err := Recover(context.Background(), child, nil); !errors.Is(err, ErrBusy) {
				t.Errorf("recovering the child of a hooked process: %v, want ErrBusy", err)
			}
			putBack()
		}
		v.Run(3)
		made := v.Report().Since(truth)
		for _, name := range windowFunctions {
			if n := cells[name].Read(); n != made[name] {
				t.Errorf("child first %v: %s: counted %d, the parent made %d", childFirst, name, n, made[name])
			}
		}
		p.mustClose(t)
		v.Do("child", "ok")
		if !childFirst {
			putBack()
		}
		v.Do("reap", "ok")
		testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true})
		v.Run(3)
		v.Quit()
	}
}
