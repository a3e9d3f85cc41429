package fgraph_test

import (
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// closeAndCheck detaches and checks that every call has come to an end that was counted.
func (m measured) closeAndCheck(t *testing.T) {
	t.Helper()
	if err := m.p.Close(); err != nil {
		t.Fatal(err)
	}
	sum := requireLaws(t, m.d.Read())
	t.Logf("%d calls: %d returned, %d unwound, %d inflight, %d missed, %d clamped",
		sum.Calls, sum.Returned, sum.Unwound, sum.Inflight, sum.Missed, sum.Clamped)
	if sum.Missed > sum.Calls/1000 {
		t.Errorf("%d of %d calls missed", sum.Missed, sum.Calls)
	}
}

func TestRedis(t *testing.T) {
	r := testutils.StartRedis(t, nil)
	before := testutils.TakeSnapshot(t, r.PID())
	first := testutils.Sum(r.Commands())
	m := measureAll(t, r.PID(), everything)
	r.Benchmark("-n", "30000", "-c", "50", "-t", "set,get,lpush")
	last := testutils.Sum(r.Commands())
	m.closeAndCheck(t)
	if got, want := find(t, m.d.Read(), "processCommand").Calls, last-first; got != want {
		t.Errorf("processCommand: %d calls, redis executed %d", got, want)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	cycle(t, r.PID(), before, func() { r.Benchmark("-n", "20000", "-c", "50", "-t", "set,get,lpush") })
	if got := r.CLI("ping"); got != "PONG" {
		t.Errorf("ping: %q", got)
	}
}

func TestNginx(t *testing.T) {
	n := testutils.StartNginx(t, nil)
	before := testutils.TakeSnapshot(t, n.Worker)
	m := measureAll(t, n.Worker, everything)
	res := testutils.AB(t, n.URL, 10000, 10)
	m.closeAndCheck(t)
	if got := find(t, m.d.Read(), "ngx_http_process_request").Calls; got != res.Complete || res.Failed+res.Non2xx != 0 {
		t.Errorf("ngx_http_process_request: %d calls, ab made %+v", got, res)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	cycle(t, n.Worker, before, func() {
		if res := testutils.AB(t, n.URL, 3000, 10); res.Failed+res.Non2xx != 0 {
			t.Errorf("ab: %+v", res)
		}
	})
}

func TestPostgres(t *testing.T) {
	pg := testutils.StartPostgres(t, nil)
	s, backend := pg.Session()
	const query = "SELECT sum(i) FROM generate_series(1, 20000) i;"
	s.Exec(query) // opens the catalogue's files, once
	before := testutils.TakeSnapshot(t, backend)
	m := measureAll(t, backend, everything)
	for range 20 {
		if got := s.Exec(query); got != "200010000" {
			t.Errorf("postgres says %q", got)
		}
	}
	m.closeAndCheck(t)
	if got := find(t, m.d.Read(), "ExecutorRun"); got.Returned != 20 {
		t.Errorf("ExecutorRun: %d calls have returned, of 20 statements", got.Returned)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	cycle(t, backend, before, func() {
		if got := s.Exec(query); got != "200010000" {
			t.Errorf("postgres says %q", got)
		}
	})
}

func TestSQLite(t *testing.T) {
	const load = `DROP TABLE IF EXISTS t; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 20000)
INSERT INTO t SELECT i, printf('%08x', i*7919) FROM n;
SELECT count(*), sum(length(b)), max(b), sum(a * (b LIKE '%f%')) FROM t;`
	s := testutils.StartSQLite(t, nil)
	want := s.Exec(load)
	before := testutils.TakeSnapshot(t, s.PID())
	m := measureAll(t, s.PID(), everything)
	got := s.Exec(load)
	m.closeAndCheck(t)
	if got != want || want == "" {
		t.Errorf("hooked %q, unhooked %q", got, want)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	cycle(t, s.PID(), before, func() {
		if got := s.Exec(load); got != want {
			t.Errorf("during cycles %q, unhooked %q", got, want)
		}
	})
}

func TestPython(t *testing.T) {
	v := testutils.StartPython(t, nil)
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	m := measureAll(t, v.PID(), everything)
	v.Run(2) // checks its results
	m.closeAndCheck(t)
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	rounds := v.Report().Info["rounds"]
	cycle(t, v.PID(), before, func() {
		v.Run(5)
		rounds += 5
	})
	if got := v.Report().Info["rounds"]; got != rounds {
		t.Errorf("%v rounds were made, want %v", got, rounds)
	}
	v.Quit()
}

// cycle hooks everything and unhooks it, while load runs over and over.
func cycle(t *testing.T, pid int, before *testutils.Snapshot, load func()) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				load()
			}
		}
	}()
	for range testutils.Repeat(1, 20) {
		m := measureAll(t, pid, everything)
		time.Sleep(100 * time.Millisecond)
		m.closeAndCheck(t)
		testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true})
	}
	close(stop)
	<-done
}
