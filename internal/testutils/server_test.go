package testutils

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// bothUsers runs a test as the user who runs it and as an unprivileged one.
func bothUsers(t *testing.T, test func(t *testing.T, as *User)) {
	t.Run("self", func(t *testing.T) { test(t, nil) })
	t.Run("nobody", func(t *testing.T) { test(t, AsUser(t)) })
}

func requireOwner(t *testing.T, pid int, as *User) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	uid, _, _ := strings.Cut(statusFields(string(text))["Uid"], "\t")
	if as != nil && uid != fmt.Sprint(as.UID) {
		t.Errorf("process %d runs as user %s", pid, uid)
	}
}

func TestRedis(t *testing.T) {
	bothUsers(t, func(t *testing.T, as *User) {
		r := StartRedis(t, as)
		requireOwner(t, r.PID(), as)
		r.CLI("set", "k", "v 1")
		if got := r.CLI("get", "k"); got != "v 1" {
			t.Errorf("get: %q", got)
		}
		before := r.Commands()
		r.Benchmark("-c", "5", "-n", "10000", "-t", "set,get,lpush")
		after := r.Commands()
		for _, name := range []string{"set", "get", "lpush"} {
			if got := after[name] - before[name]; got != 10000 {
				t.Errorf("%s: %d calls", name, got)
			}
		}
		snapshot := TakeSnapshot(t, r.PID())
		r.Benchmark("-c", "50", "-n", "10000", "-t", "get")
		EventuallyEqual(t, snapshot, DiffOptions{AllowGrowth: true})
	})
}

func TestRedisLoad(t *testing.T) {
	r := StartRedis(t, nil)
	before := r.Commands()["get"]
	stop := r.StartLoad("-n", "1000", "-t", "get")
	time.Sleep(200 * time.Millisecond)
	runs := stop()
	if got := r.Commands()["get"] - before; runs == 0 || got != uint64(runs)*1000 {
		t.Errorf("%d runs made %d calls", runs, got)
	}
}

func TestNginx(t *testing.T) {
	bothUsers(t, func(t *testing.T, as *User) {
		n := StartNginx(t, as)
		requireOwner(t, n.Worker, as)
		AB(t, n.URL, 100, 4)
		snapshot := TakeSnapshot(t, n.Worker)
		AB(t, n.URL, 2000, 10)
		EventuallyEqual(t, snapshot, DiffOptions{AllowGrowth: true})
	})
}

func TestPostgres(t *testing.T) {
	bothUsers(t, func(t *testing.T, as *User) {
		p := StartPostgres(t, as)
		p.Query("create table t(n int); insert into t select generate_series(1, 1000)")
		s, backend := p.Session()
		requireOwner(t, backend, as)
		if got := s.Exec("select sum(n) from t;\nselect 'two';"); got != "500500\ntwo" {
			t.Errorf("the answers are %q", got)
		}
		snapshot := TakeSnapshot(t, backend)
		s.Exec("select sum(n) from t;")
		EventuallyEqual(t, snapshot, DiffOptions{AllowGrowth: true})
		b := p.StartPgbench("update t set n = n + 1 where n = 1;\nselect sum(n) from t;\n", 50)
		if b.Backend == backend || b.Backend == 0 {
			t.Errorf("pgbench's backend is %d", b.Backend)
		}
		b.Release()
	})
}

func TestSQLite(t *testing.T) {
	bothUsers(t, func(t *testing.T, as *User) {
		s := StartSQLite(t, as)
		requireOwner(t, s.PID(), as)
		s.Exec("create table t(n); with recursive c(x) as (select 1 union all select x+1 from c where x < 100000) insert into t select x from c;")
		snapshot := TakeSnapshot(t, s.PID())
		if got := s.Exec("select count(*), sum(n) from t;"); got != "100000|5000050000" {
			t.Errorf("the answer is %q", got)
		}
		EventuallyEqual(t, snapshot, DiffOptions{AllowGrowth: true})
	})
}

func TestPython(t *testing.T) {
	bothUsers(t, func(t *testing.T, as *User) {
		v := StartPython(t, as)
		requireOwner(t, v.PID(), as)
		v.Run(20)
		if n := v.Report().Info["rounds"]; n != 20 {
			t.Errorf("%d rounds", n)
		}
		v.Quit()
	})
}

func TestParseRedisCSV(t *testing.T) {
	for _, bad := range []string{"", "Error from server", `"test","rps"` + "\n", `"GET","x"`} {
		if got, err := parseRedisCSV(bad); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}
