package trampoline_test

import (
	"context"
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// some are the sites of a few functions.
func some(t *testing.T, p *hook.Process, names ...string) []hook.Site {
	t.Helper()
	var sites []hook.Site
	for _, s := range sitesOf(t, p, executable(p)) {
		for _, n := range names {
			if s.Function.Name() == n {
				sites = append(sites, s)
			}
		}
	}
	if len(sites) != len(names) {
		t.Fatalf("%d sites for %v", len(sites), names)
	}
	return sites
}

// only keeps what was counted.
func only(truth map[string]uint64, c *trampoline.Counter) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range c.Read() {
		out[f.Function.Name()] = truth[f.Function.Name()]
	}
	return out
}

// TestManyCounters attaches counters to some functions and closes them, again
// and again under load, many times more than there is memory for. Each counts
// exactly what was called between, and keeps it.
func TestManyCounters(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	sites := some(t, p, "work_leaf", "work_tail", "work_switch", "work_callfirst", "work_jccfirst", "work_selfloop")
	count := func() *trampoline.Counter {
		c, err := trampoline.Count(context.Background(), p, sites)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	always := count() // stays beside the others
	start := v.Report()
	v.StartLoad()
	var exact []*trampoline.Counter
	var truths []map[string]uint64
	for i := range 2000 {
		if i%100 != 0 {
			if err := count().Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		v.StopLoad()
		c, truth := count(), v.Report()
		v.Run(3)
		truths = append(truths, v.Report().Since(truth))
		exact = append(exact, c)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		v.Run(1)
		v.StartLoad()
	}
	v.StopLoad()
	for i, c := range exact {
		requireTruth(t, hooked{p, c}.counts(), only(truths[i], c))
	}
	made := v.Report().Since(start)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	requireTruth(t, hooked{p, always}.counts(), only(made, always))
	why := map[string]int{}
	for _, pause := range p.Pauses() {
		why[pause.Why]++
	}
	t.Logf("stops: %v", why)
	if why["map"] != 1 || why["collect"] == 0 || why["patch"] != 1 {
		t.Error("want one map, one patch and some collect")
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
