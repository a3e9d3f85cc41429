package trampoline_test

import (
	"os"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// cycles is how often a server is attached to and detached from under load: 20
// times before a release, 3 in the short form.
func cycles() int {
	if os.Getenv("FUNCTAP_LONG") != "" {
		return 20
	}
	return 3
}

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
	cycleUnderLoad(t, r.PID(), before, func() {
		r.Benchmark("-n", "50000", "-c", "50", "-t", "set,get,lpush")
	})
	if got := r.CLI("ping"); got != "PONG" {
		t.Errorf("ping: %q", got)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

// TestNginxExact: one ngx_http_process_request for each request of ab.
func TestNginxExact(t *testing.T) {
	n := testutils.StartNginx(t, nil)
	before := testutils.TakeSnapshot(t, n.Worker)
	h := countAll(t, n.Worker, everything)
	res := testutils.AB(t, n.URL, 20000, 10)
	if err := h.p.Close(); err != nil {
		t.Fatal(err)
	}
	if res.Failed+res.Non2xx != 0 {
		t.Errorf("ab: %+v", res)
	}
	if got := h.calls(t, "ngx_http_process_request"); got != res.Complete {
		t.Errorf("ngx_http_process_request: counted %d, ab made %d requests", got, res.Complete)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

func TestNginxCycles(t *testing.T) {
	n := testutils.StartNginx(t, nil)
	before := testutils.TakeSnapshot(t, n.Worker)
	cycleUnderLoad(t, n.Worker, before, func() {
		if res := testutils.AB(t, n.URL, 5000, 10); res.Failed+res.Non2xx != 0 {
			t.Errorf("ab: %+v", res)
		}
	})
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

// TestPostgresExact: ExecutorRun is called once for each statement of pgbench:
// the script's one and the one that it waits with.
func TestPostgresExact(t *testing.T) {
	pg := testutils.StartPostgres(t, nil)
	const n = 2000
	b := pg.StartPgbench("SELECT 1;", n)
	h := countAll(t, b.Backend, everything)
	b.Release()
	for i := 0; i < 100 && !closed(h.p.Done()); i++ { // the backend ends with pgbench
		time.Sleep(50 * time.Millisecond)
	}
	if err := h.p.Close(); err != nil {
		t.Fatal(err)
	}
	// n statements of the script, and n-1 that wait: the first one was running.
	if got := h.calls(t, "ExecutorRun"); got != 2*n-1 {
		t.Errorf("ExecutorRun: counted %d, pgbench sent %d statements", got, 2*n-1)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestPostgresCycles(t *testing.T) {
	pg := testutils.StartPostgres(t, nil)
	s, backend := pg.Session()
	const query = "SELECT sum(i) FROM generate_series(1, 20000) i;"
	s.Exec(query) // opens the catalogue's files, once
	before := testutils.TakeSnapshot(t, backend)
	cycleUnderLoad(t, backend, before, func() {
		if got := s.Exec(query); got != "200010000" {
			t.Errorf("postgres says %q", got)
		}
	})
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

// sqliteLoad makes 100,000 rows, and its answer tells of all of them.
const sqliteLoad = `DROP TABLE IF EXISTS t; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 100000)
INSERT INTO t SELECT i, printf('%08x', i*7919) FROM n;
SELECT count(*), sum(length(b)), max(b), sum(a * (b LIKE '%f%')) FROM t;`

// TestSQLite: 100,000 rows, the same result hooked and unhooked.
func TestSQLite(t *testing.T) {
	s := testutils.StartSQLite(t, nil)
	want := s.Exec(sqliteLoad)
	before := testutils.TakeSnapshot(t, s.PID())
	h := countAll(t, s.PID(), everything)
	got := s.Exec(sqliteLoad)
	if err := h.p.Close(); err != nil {
		t.Fatal(err)
	}
	if got != want || want == "" {
		t.Errorf("hooked %q, unhooked %q", got, want)
	}
	if n := h.calls(t, "sqlite3_step"); n == 0 {
		t.Error("sqlite3_step was not counted")
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

func TestSQLiteCycles(t *testing.T) {
	s := testutils.StartSQLite(t, nil)
	want := s.Exec(sqliteLoad)
	before := testutils.TakeSnapshot(t, s.PID())
	cycleUnderLoad(t, s.PID(), before, func() {
		if got := s.Exec(sqliteLoad); got != want || want == "" {
			t.Errorf("hooked %q, unhooked %q", got, want)
		}
	})
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}

// TestPythonCycles: the victim checks what it computes, and says so.
func TestPythonCycles(t *testing.T) {
	v := testutils.StartPython(t, nil)
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	rounds := uint64(1)
	cycleUnderLoad(t, v.PID(), before, func() {
		v.Run(50)
		rounds += 50
	})
	if got := v.Report().Info["rounds"]; uint64(got) != rounds {
		t.Errorf("%v rounds were made, want %d", got, rounds)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// cycleUnderLoad attaches to everything and detaches again, while load runs
// over and over; after each detach nothing may be left.
func cycleUnderLoad(t *testing.T, pid int, before *testutils.Snapshot, load func()) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for !closed(stop) {
			load()
		}
	}()
	for i := range cycles() {
		h := countAll(t, pid, everything)
		if err := h.p.Close(); err != nil {
			t.Fatalf("cycle %d: %v", i, err)
		}
		testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true})
	}
	close(stop)
	<-done
}
