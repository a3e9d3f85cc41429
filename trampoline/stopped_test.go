package trampoline_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// states are those of all threads, such as "TT".
func states(t *testing.T, pid int) string {
	t.Helper()
	var b strings.Builder
	for _, th := range testutils.TakeSnapshot(t, pid).Threads {
		b.WriteByte(th.State)
	}
	return b.String()
}

// requireStopped waits for all threads to be stopped by job control, and then
// sees to it that they stay so.
func requireStopped(t *testing.T, pid int) {
	t.Helper()
	testutils.Eventually(t, 5*time.Second, "all threads are stopped", func() error {
		if s := states(t, pid); strings.Trim(s, "T") != "" {
			return fmt.Errorf("states %s", s)
		}
		return nil
	})
	time.Sleep(20 * time.Millisecond)
	if s := states(t, pid); strings.Trim(s, "T") != "" {
		t.Errorf("the stopped target runs: states %s", s)
	}
}

// TestStoppedTarget: a target that SIGSTOP has stopped is hooked and restored
// where it stands and stays stopped; SIGCONT lets it run.
func TestStoppedTarget(t *testing.T) {
	for _, c := range []exactCase{
		{"count.c", testutils.CDynamic, []string{"4"}},
		{"count.go", testutils.Go, []string{"4"}},
	} {
		t.Run(c.source, func(t *testing.T) {
			v := c.start(t)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			for range 3 {
				v.Signal(syscall.SIGSTOP)
				requireStopped(t, v.PID())
				start := time.Now()
				h := countAll(t, v.PID(), executable)
				t.Logf("attaching took %v", time.Since(start))
				requireStopped(t, v.PID())
				v.Signal(syscall.SIGCONT)
				truth := v.Report()
				v.Run(5)
				made := v.Report().Since(truth)
				requireTruth(t, h.counts(), made)
				v.StartLoad()
				v.Signal(syscall.SIGSTOP)
				requireStopped(t, v.PID())
				if err := h.p.Close(); err != nil {
					t.Fatal(err)
				}
				requireStopped(t, v.PID())
				v.Signal(syscall.SIGCONT)
				v.StopLoad()
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: c.churns(), Working: c.churns()})
			}
			v.Quit()
		})
	}
}

// TestStoppedUnderUs: SIGSTOP and SIGCONT come at any moment of attaching,
// counting and detaching.
func TestStoppedUnderUs(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "4")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	quit, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; !closed(quit); n++ {
			syscall.Kill(v.PID(), syscall.SIGSTOP)
			time.Sleep(3 * time.Millisecond)
			syscall.Kill(v.PID(), syscall.SIGCONT)
			time.Sleep(2 * time.Millisecond)
		}
		done <- n
	}()
	for range testutils.Repeat(20, 200) {
		p, err := hook.Attach(context.Background(), v.PID(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trampoline.Count(context.Background(), p, sitesOf(t, p, executable(p))); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(quit)
	t.Logf("stopped and continued %d times", <-done)
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
