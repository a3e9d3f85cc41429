// Package examples_test runs the example programs against a victim that counts
// its own calls.
package examples_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }

const pattern = "work_t*" // of count.c: tail, tailed, and three tiny ones

// buildExample compiles one of the programs beside this file.
func buildExample(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	testutils.RunProgram(t, nil, testutils.Command{
		Path: testutils.Program(t, "go", "golang"),
		Args: []string{"build", "-o", out, "./" + name},
	})
	return out
}

func startVictim(t *testing.T) *testutils.Victim {
	t.Helper()
	return testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
}

// matching are the victim's own counts of the functions with the pattern.
func matching(counts map[string]uint64) map[string]uint64 {
	out := map[string]uint64{}
	for name, n := range counts {
		if ok, _ := filepath.Match(pattern, name); ok {
			out[name] = n
		}
	}
	return out
}

func TestAttach(t *testing.T) {
	v := startVictim(t)
	before := testutils.TakeSnapshot(t, v.PID())
	out := testutils.RunProgram(t, nil, testutils.Command{
		Path: buildExample(t, "attach"), Args: []string{strconv.Itoa(v.PID()), pattern},
	})
	want := matching(v.Report().Count)
	for name := range want {
		if !strings.Contains(out, " "+name+"\n") {
			t.Errorf("%s is not listed", name)
		}
	}
	n := strconv.Itoa(len(want))
	for _, line := range []string{n + " functions are hooked\n", n + " functions were restored\n", " to patch\n", " to detach\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is missing", line)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}

func TestCount(t *testing.T) {
	v := startVictim(t)
	before := testutils.TakeSnapshot(t, v.PID())
	start := v.Report()

	p := testutils.StartProcess(t, nil, buildExample(t, "count"), strconv.Itoa(v.PID()), pattern, "1m")
	want := matching(start.Count)
	if got, want := p.Line(), "counting "+strconv.Itoa(len(want))+" functions"; got != want {
		t.Fatalf("it said %q, want %q", got, want)
	}
	v.Run(20)
	p.Signal(os.Interrupt)
	got := map[string]uint64{}
	for range want {
		fields := strings.Fields(p.Line())
		n, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil || len(fields) != 2 {
			t.Fatalf("it said %q", fields)
		}
		got[fields[1]] = n
	}
	if err := p.Wait(); err != nil {
		t.Errorf("count: %v\n%s", err, p.Stderr())
	}
	for name, n := range matching(v.Report().Since(start)) {
		if got[name] != n || n == 0 {
			t.Errorf("%s: counted %d, the victim made %d", name, got[name], n)
		}
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// TestCountEnds: the duration ends it, too.
func TestCountEnds(t *testing.T) {
	v := startVictim(t)
	out := testutils.RunProgram(t, nil, testutils.Command{
		Path: buildExample(t, "count"), Args: []string{strconv.Itoa(v.PID()), "work_tail", "10ms"},
	})
	if want := "counting 1 functions\n           0  work_tail\n"; out != want {
		t.Errorf("it said %q, want %q", out, want)
	}
	v.Quit()
}

// TestGraph: recursion shows up as the slowest of calls, of which each is made of the next
// one and its own time.
func TestGraph(t *testing.T) {
	v := startVictim(t)
	before := testutils.TakeSnapshot(t, v.PID())
	start := v.Report()

	p := testutils.StartProcess(t, nil, buildExample(t, "graph"), strconv.Itoa(v.PID()), "work_recursive", "1m")
	if got, want := p.Line(), "recording 1 functions"; got != want {
		t.Fatalf("it said %q, want %q", got, want)
	}
	v.Run(1)
	p.Signal(os.Interrupt)
	last := time.Hour
	for range min(10, v.Report().Since(start)["work_recursive"]) {
		var took, self time.Duration
		line := p.Line()
		fields := strings.Fields(strings.NewReplacer("(itself", "", ")", "").Replace(line))
		if len(fields) != 5 || fields[4] != "work_recursive" {
			t.Fatalf("it said %q", line)
		}
		for i, to := range []*time.Duration{&took, &self} {
			d, err := time.ParseDuration(fields[i])
			if err != nil {
				t.Fatalf("it said %q: %v", line, err)
			}
			*to = d
		}
		if took <= 0 || took > last || self < 0 || self > took {
			t.Errorf("it said %q after a call of %v", line, last)
		}
		last = took
	}
	if err := p.Wait(); err != nil {
		t.Errorf("graph: %v\n%s", err, p.Stderr())
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}

// TestGraphEnds: the duration ends it, too.
func TestGraphEnds(t *testing.T) {
	v := startVictim(t)
	out := testutils.RunProgram(t, nil, testutils.Command{
		Path: buildExample(t, "graph"), Args: []string{strconv.Itoa(v.PID()), "work_tail", "10ms"},
	})
	if want := "recording 1 functions\n"; out != want {
		t.Errorf("it said %q, want %q", out, want)
	}
	v.Quit()
}

// TestErrors: what cannot be done ends with a sentence and status 1.
func TestErrors(t *testing.T) {
	v := startVictim(t)
	pid := strconv.Itoa(v.PID())
	programs := map[string]string{"count": buildExample(t, "count"), "attach": buildExample(t, "attach"), "graph": buildExample(t, "graph")}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"count", "0", "work_*", "1s"}, "no such process"},
		{[]string{"count", pid, "nothing_like_it", "1s"}, "no function matches nothing_like_it"},
		{[]string{"attach", pid, "work_tial"}, "near names: work_tail"},
		{[]string{"graph", pid, "libc:dlsym", "1s"}, "READS_RA"},
		{[]string{"attach", pid}, "usage: attach PID PATTERN"},
	} {
		p := testutils.StartProcess(t, nil, programs[c.args[0]], c.args[1:]...)
		if err := p.Wait(); err == nil || !strings.Contains(p.Stderr(), c.want) {
			t.Errorf("%q: %v, and it said %q, want %q", c.args, err, p.Stderr(), c.want)
		}
	}
	v.Quit()
}
