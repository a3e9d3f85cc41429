package trampoline_test

import (
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

// cycles is how often a server is attached to and detached from under load.
const cycles = 20

// name finds one function's count.
func (h hooked) calls(t testing.TB, name string) uint64 {
	t.Helper()
	n, ok := h.counts()[name]
	if !ok {
		t.Fatalf("%s is not hooked", name)
	}
	return n
}

// TestRedisExact: processCommand is called once for each command, so its
// count equals what the server counts itself, the commands at both ends
// included.
func TestRedisExact(t *testing.T) {
	r := testutils.StartRedis(t, nil)
	before := testutils.TakeSnapshot(t, r.PID())
	first := testutils.Sum(r.Commands())
	h := countAll(t, r.PID(), everything)
	r.Benchmark("-n", "100000", "-c", "50", "-t", "set,get,lpush")
	last := testutils.Sum(r.Commands())
	if err := h.p.Close(); err != nil {
		t.Fatal(err)
	}
	// The first INFO is not in its own answer, and ran before the attach; the
	// last one is not in its own answer either, but was counted.
	if got, want := h.calls(t, "processCommand"), last-first; got != want {
		t.Errorf("processCommand: counted %d, redis executed %d", got, want)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

// TestRedisCycles attaches to all functions of redis and its libraries and
// detaches again while 50 clients work.
func TestRedisCycles(t *testing.T) {
	r := testutils.StartRedis(t, nil)
	before := testutils.TakeSnapshot(t, r.PID())
	done := make(chan map[string]float64)
	stop := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				r.Benchmark("-n", "50000", "-c", "50", "-t", "set,get,lpush")
			}
		}
	}()
	for i := range cycles {
		h := countAll(t, r.PID(), everything)
		if err := h.p.Close(); err != nil {
			t.Fatalf("cycle %d: %v", i, err)
		}
		testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true})
	}
	close(stop)
	<-done
	if got := r.CLI("ping"); got != "PONG" {
		t.Errorf("ping: %q", got)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

var _ = hook.ErrBusy
