package hook

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

func (p *Process) mustCollect(t *testing.T) int {
	t.Helper()
	n, err := p.Collect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// detachAll makes the slots idle.
func (pt *Patch) detachAll(t *testing.T) {
	t.Helper()
	for _, s := range pt.Slots {
		if err := s.Update(func(*Change) (any, Generator, error) { return nil, nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCollectKeepsWhatIsUsed: a program that a thread is in stays, and so do the
// cells of its function; the others go.
func TestCollectKeepsWhatIsUsed(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "2")
	p := attachTo(t, v.PID())
	pt := p.mustPatch(t, p.siteOf(t, "w_bytes"), p.siteOf(t, "w_long"))
	cells := pt.count(t)
	slot := pt.find(t, "w_bytes")
	slot.trap(t)
	trapUnit := slot.current
	v.StartLoad()
	waitTrapped(t, p, slot)
	pt.detachAll(t)
	for _, s := range pt.Slots {
		s.Release(cells[s.Site().Function.Name()])
	}
	if n := p.mustCollect(t); n != 2 {
		t.Errorf("freed %d programs, want 2: one of each function", n)
	}
	if !slices.Equal(slot.retired, []int{trapUnit}) {
		t.Errorf("kept %v, want %v, in which a thread is", slot.retired, trapUnit)
	}
	if n := pt.find(t, "w_long"); len(slot.released) != 1 || len(n.released) != 0 {
		t.Errorf("cells kept: %v and %v, want one of w_bytes", slot.released, n.released)
	}
	p.mustClose(t) // gets the thread out
	v.StopLoad()
	v.Quit()
}

// waitTrapped waits until a thread spins at the site.
func waitTrapped(t *testing.T, p *Process, slot *Slot) {
	t.Helper()
	var th *ptrace.Thread
	for deadline := time.Now().Add(10 * time.Second); th == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nobody calls %s", slot.Site().Function.Name())
		}
		err := p.stopAll(context.Background(), "test", func(st *ptrace.Stop) (err error) {
			th, err = slot.trapped(st)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCollectSparesChildren: a fork child may be in any program, so nothing is
// freed before it is gone.
func TestCollectSparesChildren(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "2")
	p := attachTo(t, v.PID())
	pt := hookAll(t, p)
	pt.count(t)
	v.Do("fork", "ok")
	pt.detachAll(t)
	if n := p.mustCollect(t); n != 0 {
		t.Errorf("freed %d programs that a child may be in", n)
	}
	v.Do("reap", "ok")
	if n := p.mustCollect(t); n != len(pt.Slots) {
		t.Errorf("freed %d programs of %d after the child's end", n, len(pt.Slots))
	}
	p.mustClose(t)
	v.Quit()
}

// TestWithRoomAlone: who makes room has it: others who want memory wait until it is
// used. Without, users who do nothing else took all that one had freed before that
// one had its turn, again and again, and it was told that the memory is full.
func TestWithRoomAlone(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	p, err := Attach(t.Context(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var other sync.WaitGroup
	calls, disturbed := 0, atomic.Bool{}
	err = p.WithRoom(t.Context(), func() error {
		if calls++; calls == 1 {
			return ErrFull
		}
		other.Go(func() {
			p.WithRoom(t.Context(), func() error { disturbed.Store(true); return nil })
		})
		time.Sleep(50 * time.Millisecond)
		if disturbed.Load() {
			t.Error("another user was served in between")
		}
		return nil
	})
	other.Wait()
	if err != nil || calls != 2 || !disturbed.Load() {
		t.Errorf("error %v after %d calls; the other user was served: %v", err, calls, disturbed.Load())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	v.Quit()
}
