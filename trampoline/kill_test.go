package trampoline_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

const doomedEnv = "FUNCTAP_TEST_DOOMED"

// TestDoomed is no test of its own: run by TestKilledTracer in a process of its
// own, it attaches, hooks everything and detaches, until it is killed.
func TestDoomed(t *testing.T) {
	pid, err := strconv.Atoi(os.Getenv(doomedEnv))
	if err != nil {
		return
	}
	for i := 0; ; i++ {
		start := time.Now()
		p, err := hook.Attach(context.Background(), pid, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := trampoline.Count(context.Background(), p, sitesOf(t, p, executable(p)))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		c.Read()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			fmt.Println("doomed", time.Since(start).Nanoseconds())
		}
	}
}

// startDoomed starts a tracer that will be killed, and waits until it has been
// attached and detached once. It returns how long that took.
func startDoomed(t *testing.T, pid int) (*exec.Cmd, time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDoomed$", "-test.v")
	cmd.Env = append(os.Environ(), doomedEnv+"="+strconv.Itoa(pid))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var took time.Duration
	var said []string
	for in := bufio.NewScanner(out); in.Scan(); {
		said = append(said, in.Text())
		if _, err := fmt.Sscanf(in.Text(), "doomed %d", &took); err == nil {
			return cmd, took
		}
	}
	t.Fatalf("the tracer did not get through its first cycle:\n%s", strings.Join(said, "\n"))
	return nil, 0
}

// killRounds is 200 before a release, 20 in the short form.
func killRounds() int {
	if os.Getenv("FUNCTAP_LONG") != "" {
		return 200
	}
	return 20
}

// TestKilledTracer kills a tracer at random moments of attaching, hooking and
// detaching under load. The victim goes on computing right results, Recover
// puts it back, and nothing is left.
func TestKilledTracer(t *testing.T) {
	for _, c := range []exactCase{
		{"count.c", testutils.CDynamic, []string{"4"}},
		{"count.go", testutils.Go, []string{"4"}},
	} {
		t.Run(c.source, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1) // until all threads have started
			before := testutils.TakeSnapshot(t, v.PID())
			found := 0
			for round := range killRounds() {
				v.StartLoad()
				cmd, cycle := startDoomed(t, v.PID())
				time.Sleep(rand.N(2 * cycle))
				if err := cmd.Process.Kill(); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				cmd.Wait()
				time.Sleep(5 * time.Millisecond) // hooked, with nobody listening
				got, err := hook.Recover(context.Background(), v.PID(), nil)
				if err != nil {
					time.Sleep(100 * time.Millisecond)
					t.Fatalf("round %d: %v; the victim runs: %v\n%s", round, err, v.Running(), v.Stderr())
				}
				if got.Sites+got.Mappings+got.Descriptors > 0 {
					found++
				}
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true, Churn: c.churns()})
				v.StopLoad()
				v.Run(5)
				if t.Failed() {
					t.Fatalf("round %d, recovered %+v", round, got)
				}
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Churn: c.churns()})
			t.Logf("%d of %d kills left something to recover", found, killRounds())
			if found == 0 {
				t.Error("no kill came at a moment that mattered")
			}
			v.Quit()
		})
	}
}

// hookedBy is how many mappings of functap's a process has.
func hookedBy(t *testing.T, pid int) int {
	t.Helper()
	return len(testutils.TakeSnapshot(t, pid).Ours())
}

// TestAttachCleansUp: a later attach cleans up after a dead tracer by itself,
// and leaves a living one alone.
func TestAttachCleansUp(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	h := countAll(t, v.PID(), executable)

	if _, err := hook.Attach(context.Background(), v.PID(), nil); !errors.Is(err, hook.ErrBusy) {
		t.Errorf("a second tracer: %v, want ErrBusy", err)
	}
	if _, err := hook.Recover(context.Background(), v.PID(), nil); !errors.Is(err, hook.ErrBusy) {
		t.Errorf("recovering from a living tracer: %v, want ErrBusy", err)
	}
	if err := h.p.Close(); err != nil {
		t.Fatal(err)
	}

	for hookedBy(t, v.PID()) == 0 { // killed between two attachments: again
		cmd, cycle := startDoomed(t, v.PID())
		time.Sleep(rand.N(cycle))
		cmd.Process.Kill()
		cmd.Wait()
	}
	h = countAll(t, v.PID(), executable)
	start := v.Report()
	v.Run(20)
	made := v.Report().Since(start)
	if err := h.p.Close(); err != nil {
		t.Fatal(err)
	}
	requireTruth(t, h.counts(), made)
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
