package hook

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
)

// TestHandlerAtEveryInstructionOfACall has a signal handler run before each instruction of a
// call whose self time is kept. The handler's call is below it, or it is not; which, the
// duration says. On another stack it makes the call unknown that it is in. In the short form
// every seventh instruction is looked at.
func TestHandlerAtEveryInstructionOfACall(t *testing.T) {
	for _, mode := range []string{"step", "plain"} { // plain has its handlers on another stack
		t.Run(mode, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "self.cc", testutils.CXX), mode, "1")
			v.Run(1)
			stride := testutils.Repeat(7, 1)
			inside, outside := 0, 0
			for n := rand.N(stride); ; n += stride {
				r := handlerAt(t, v, n)
				if !r.within {
					break
				}
				if mode == "step" {
					r.requireExact(t, n)
				} else {
					r.requireUnknown(t, n)
				}
				if r.below() {
					inside++
				} else {
					outside++
				}
			}
			t.Logf("the handler's call was below the other %d times, and %d times not", inside, outside)
			if inside == 0 || outside == 0 || (inside+outside)*stride < 60 {
				t.Error("that cannot have been the whole way")
			}
			v.Quit()
		})
	}
}

// selfRun are the statistics of a run in which one handler came.
type selfRun struct {
	within             bool // before the call's return
	once, top, handler map[int]uint64
	sum                uint64 // of all self times
}

func (r *selfRun) below() bool { return r.once[arena.StatTotal]-r.once[arena.StatSelf] != 0 }

func unknown(f map[int]uint64) uint64 {
	n := -f[arena.StatKnown]
	for i := range arena.Buckets {
		n += f[arena.StatBuckets+i]
	}
	return n
}

// requireExact: the handler's time is in one self time only, and not in the call's that it was
// below.
func (r *selfRun) requireExact(t *testing.T, n int) {
	t.Helper()
	if unknown(r.once)+unknown(r.top)+unknown(r.handler) > 0 {
		t.Errorf("step %d: unknown of once %d, top %d, handler %d", n, unknown(r.once), unknown(r.top), unknown(r.handler))
	}
	others := r.once[arena.StatTotal] - r.once[arena.StatSelf]
	if others != 0 && others != r.handler[arena.StatTotal] {
		t.Errorf("step %d: %d ticks are not the call's own, the handler took %d", n, others, r.handler[arena.StatTotal])
	}
	if r.sum != r.top[arena.StatTotal] {
		t.Errorf("step %d: self times of %d ticks, of %d", n, r.sum, r.top[arena.StatTotal])
	}
}

// requireUnknown: what the handler was in is unknown.
func (r *selfRun) requireUnknown(t *testing.T, n int) {
	t.Helper()
	once, top := unknown(r.once), unknown(r.top)
	if once > 1 || top > 1 || once+top == 0 || unknown(r.handler) != 1 {
		t.Errorf("step %d: unknown of once %d, top %d, handler %d", n, once, top, unknown(r.handler))
	}
}

// handlerAt lets a handler run when a thread is n steps behind the entry of work_once.
func handlerAt(t *testing.T, v *testutils.Victim, n int) (r selfRun) {
	t.Helper()
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sites, _, err := p.Sites(Match{Include: []string{"work_*"}})
	if err != nil {
		t.Fatal(err)
	}
	pt, err := p.Patch(context.Background(), sites)
	if err != nil {
		t.Fatal(err)
	}
	stats := pt.record(t, nil, true)
	slot := pt.find(t, "work_once")
	release := slot.trap(t)
	v.StartLoad()
	caught := false
	for deadline := time.Now().Add(10 * time.Second); !caught; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody calls work_once")
		}
		err = p.stopAll(context.Background(), "test", func(st *ptrace.Stop) error {
			th, err := slot.trapped(st)
			if th == nil || err != nil {
				return err
			}
			caught = true
			release()
			if r.within, err = slot.stepThrough(th, n); err != nil {
				return err
			}
			return syscall.Tgkill(v.PID(), th.TID(), syscall.SIGUSR2)
		})
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	v.StopLoad()
	for name, st := range stats {
		all := readStats(st)
		r.sum += all[arena.StatSelf]
		switch name {
		case "work_once":
			r.once = all
		case "work_top":
			r.top = all
		case "work_handler":
			r.handler = all
		}
	}
	return r
}

func readStats(st *Stats) map[int]uint64 {
	all := map[int]uint64{}
	for i := range arena.StatCells {
		all[i] = st.Read(i)
	}
	return all
}
