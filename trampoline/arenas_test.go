package trampoline_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// TestManyArenas hooks redis's functions in so many parts that each needs memory of
// its own, more pieces than threads have cells of their own for. The last counts as
// exactly, in shared cells.
func TestManyArenas(t *testing.T) {
	r := testutils.StartRedis(t, nil)
	before := testutils.TakeSnapshot(t, r.PID())
	p := attach(t, r.PID())
	all := sitesOf(t, p, executable(p))
	const parts = 10
	if len(all) < parts*300 {
		t.Fatalf("redis has only %d functions", len(all))
	}
	// What is counted against redis's own count is in the last part.
	i := slices.IndexFunc(all, func(s hook.Site) bool { return s.Function.Name() == "processCommand" })
	all[i], all[len(all)-1] = all[len(all)-1], all[i]
	var c *trampoline.Counter
	var first uint64
	for i := range parts {
		first = testutils.Sum(r.Commands())
		c = mustCount(t, p, all[i*len(all)/parts:(i+1)*len(all)/parts])
	}
	maps := 0
	for _, pause := range p.Pauses() {
		if pause.Why == "map" {
			maps++
		}
	}
	if maps != parts {
		t.Errorf("memory was mapped %d times, want %d", maps, parts)
	}
	r.Benchmark("-n", strconv.Itoa(testutils.Repeat(5000, 50000)), "-c", "20", "-t", "set,get")
	last := testutils.Sum(r.Commands())
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	// The first INFO is not in its own answer, and ran before; the last one was counted.
	if got, want := (hooked{p, c}).calls(t, "processCommand"), last-first; got != want {
		t.Errorf("processCommand: counted %d, redis executed %d", got, want)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}
