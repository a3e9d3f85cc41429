package fgraph_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

func measure(t testing.TB, p *hook.Process, sites []hook.Site) *fgraph.Durations {
	t.Helper()
	d, err := fgraph.Measure(context.Background(), p, sites, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var blocking = []string{"work_outer", "work_middle", "work_inner"}

// requireCalls checks what a user has seen of each function that blocks.
func requireCalls(t *testing.T, who string, d *fgraph.Durations, calls, returned, inflight uint64) {
	t.Helper()
	all := d.Read()
	requireLaws(t, all)
	for _, name := range blocking {
		if f := find(t, all, name); f.Calls != calls || f.Returned != returned || f.Inflight != inflight {
			t.Errorf("%s: %s: %d calls, %d returned, %d inflight; want %d, %d, %d",
				who, name, f.Calls, f.Returned, f.Inflight, calls, returned, inflight)
		}
	}
}

// TestUsersVersions: a call belongs, from its entry to its end, to those who measured the
// function at its entry.
func TestUsersVersions(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "frames.c", testutils.CDynamic), "block", "8")
	v.Do("block", "blocked")
	v.Do("unblock", "unblocked")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	sites := sitesOf(t, p, executable(p))
	a := measure(t, p, sites)
	v.Do("block", "blocked")
	b := measure(t, p, sites)
	v.Do("unblock", "unblocked")
	requireCalls(t, "the first", a, 8, 8, 0)
	requireCalls(t, "one who came during the calls", b, 0, 0, 0)
	v.Do("block", "blocked")
	requireCalls(t, "the first", a, 16, 8, 8)
	requireCalls(t, "the second", b, 8, 0, 8)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	v.Do("unblock", "unblocked")
	requireCalls(t, "one who has gone during the calls", a, 16, 8, 8)
	requireCalls(t, "one who has stayed", b, 8, 8, 0)
	v.Do("block", "blocked")
	c := measure(t, p, sites)
	requireCalls(t, "the second", b, 16, 8, 8)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	requireCalls(t, "the first", a, 16, 8, 8)
	requireCalls(t, "the second at the detach", b, 16, 8, 8)
	requireCalls(t, "the third at the detach", c, 0, 0, 0)
	v.Do("unblock", "unblocked")
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// TestUsersComeAndGo: one measures all the time while others do now and then, or record.
func TestUsersComeAndGo(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	sites := sitesOf(t, p, executable(p))
	truth := v.Report()
	all := measure(t, p, sites)
	var users sync.WaitGroup
	stop := make(chan struct{})
	rounds := make([]atomic.Int64, 3)
	for i := range rounds {
		users.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					rounds[i].Add(1)
					if err := comeAndGo(p, sites, i == 0); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	const enough = 5
	for tries := 0; tries < 100_000 && least(rounds) < enough; tries++ {
		v.Run(20)
	}
	close(stop)
	users.Wait()
	v.Run(10)
	made := v.Report().Since(truth)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range rounds {
		if n := rounds[i].Load(); n < enough {
			t.Errorf("user %d has come %d times", i, n)
		}
	}
	requireLaws(t, all.Read())
	for name, n := range made {
		if f, ok := calls(all.Read())[name]; ok && f != n {
			t.Errorf("%s: %d calls, the victim made %d", name, f, n)
		}
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

func comeAndGo(p *hook.Process, sites []hook.Site, records bool) error {
	if !records {
		d, err := fgraph.Measure(context.Background(), p, sites, nil)
		if err != nil {
			return err
		}
		return d.Close()
	}
	r, err := fgraph.Record(context.Background(), p, sites, nil)
	if err != nil {
		return err
	}
	return r.Close()
}

func least(rounds []atomic.Int64) int64 {
	n := rounds[0].Load()
	for i := range rounds {
		n = min(n, rounds[i].Load())
	}
	return n
}
