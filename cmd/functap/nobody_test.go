package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// unprivileged is a functap stat that user nobody runs.
type unprivileged struct {
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr syncBuffer
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// startStat starts counting the functions that match, and waits until it does.
func startStat(t *testing.T, as *testutils.User, bin string, pid int, patterns ...string) *unprivileged {
	t.Helper()
	args := append([]string{"stat", "--exit=none", "--format", "json", "-p", strconv.Itoa(pid)}, patterns...)
	s := &unprivileged{cmd: as.Command(bin, args...)}
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			s.cmd.Process.Kill()
			s.cmd.Wait()
		}
	})
	testutils.Eventually(t, 60*time.Second, "functap counts", func() error {
		if strings.Contains(s.stderr.String(), ": counting ") {
			return nil
		}
		return fmt.Errorf("it says %q", s.stderr.String())
	})
	return s
}

// end interrupts it and returns what it has counted; what is not in the answer
// was not called.
func (s *unprivileged) end(t *testing.T) map[string]uint64 {
	t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("functap stat: %v\n%s", err, s.stderr.String())
	}
	calls := map[string]uint64{}
	for dec := json.NewDecoder(&s.stdout); dec.More(); {
		var line struct {
			Type, Func string
			Calls      uint64
		}
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Type == "stat" {
			calls[line.Func] += line.Calls
		}
	}
	return calls
}

// TestNobodyExact: functap and its target both belong to an ordinary user: every
// count is the victim's own, and the victim is as it was.
func TestNobodyExact(t *testing.T) {
	bin, as := build(t), testutils.AsUser(t)
	type victim struct {
		source  string
		variant testutils.Variant
		args    []string
	}
	c := testutils.CDynamic
	victims := []victim{
		{"count.c", c, []string{"1"}},
		{"count.c", c, []string{"200"}},
		{"count.c", c, []string{"8", "--churn"}},
		{"count.c", c, []string{"2", "--sig", "20000"}},
		{"count.c", c, []string{"2", "--sig", "20000", "--altstack"}},
		{"count.cc", testutils.CXX, []string{"8"}},
		{"count.rs", testutils.Rust, []string{"8"}},
		{"count.go", testutils.Go, []string{"8"}},
		{"count.go", testutils.GoCgo, []string{"8"}},
	}
	for _, v := range testutils.CVariants() {
		victims = append(victims, victim{"count.c", v, []string{"8"}})
	}
	for _, c := range victims {
		t.Run(fmt.Sprint(c.source, " ", c.variant.Name, " ", c.args), func(t *testing.T) {
			v := testutils.StartAs(t, as, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1) // until all threads have started
			churns := strings.HasSuffix(c.source, ".go") || len(c.args) > 1 && c.args[1] == "--churn"
			before := testutils.TakeSnapshot(t, v.PID())
			s := startStat(t, as, bin, v.PID(), "*")
			start := v.Report()
			v.Run(testutils.Repeat(10, 200))
			made := v.Report().Since(start)
			got := s.end(t)
			for name, want := range made {
				if got[name] != want {
					t.Errorf("%s: counted %d, the victim made %d", name, got[name], want)
				}
			}
			if testutils.Sum(made) == 0 {
				t.Error("the victim did nothing")
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: churns, Working: churns})
			v.Run(5)
			v.Quit()
		})
	}
}

// TestNobodyRedis does the same with a server of that user.
func TestNobodyRedis(t *testing.T) {
	bin, as := build(t), testutils.AsUser(t)
	r := testutils.StartRedis(t, as)
	before := testutils.TakeSnapshot(t, r.PID())
	first := testutils.Sum(r.Commands())
	s := startStat(t, as, bin, r.PID(), "*")
	r.Benchmark("-n", strconv.Itoa(testutils.Repeat(20000, 100000)), "-c", "50", "-t", "set,get,lpush")
	last := testutils.Sum(r.Commands())
	// The first INFO ran before the attach and is not in its own answer; the last
	// was counted.
	if got, want := s.end(t)["processCommand"], last-first; got != want {
		t.Errorf("processCommand: counted %d, redis executed %d", got, want)
	}
	testutils.EventuallyEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
}
