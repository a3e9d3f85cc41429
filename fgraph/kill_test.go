package fgraph_test

import (
	"bufio"
	"context"
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
)

const (
	doomedEnv    = "FUNCTAP_TEST_DOOMED"
	doomedAllEnv = "FUNCTAP_TEST_DOOMED_ALL"
)

func doomedWants(all string) wanted {
	if all != "" {
		return everything
	}
	return executable
}

// TestDoomed is no test of its own: run by TestKilledTracer in a process of its own, it
// measures everything in a target, again and again, until it is killed.
func TestDoomed(t *testing.T) {
	pid, err := strconv.Atoi(os.Getenv(doomedEnv))
	if err != nil {
		return
	}
	for {
		start := time.Now()
		m := measureAll(t, pid, doomedWants(os.Getenv(doomedAllEnv)))
		// Most of the time it is hooked, however long that took.
		time.Sleep(max(30*time.Millisecond, time.Since(start)))
		if err := m.p.Close(); err != nil {
			t.Fatal(err)
		}
		fmt.Println("doomed", time.Since(start).Nanoseconds())
	}
}

// startDoomed starts a tracer that will be killed, and waits until it has been through a
// cycle.
func startDoomed(t *testing.T, pid int, env ...string) (*exec.Cmd, time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDoomed$", "-test.v")
	cmd.Env = append(append(os.Environ(), env...), doomedEnv+"="+strconv.Itoa(pid))
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

// TestKilledTracer kills a tracer at random moments of hooking, measuring and detaching
// under load. The victim's functions return all the same, and Recover puts it right.
func TestKilledTracer(t *testing.T) {
	for _, c := range []exactCase{
		{"count.c", testutils.CDynamic, []string{"4", "--sig", "2000"}, 0},
		{"frames.c", testutils.CStatic, []string{"fibers"}, 0},
		{"frames.c", testutils.CDynamic, []string{"longjmp"}, 0},
	} {
		t.Run(c.name(), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			frames := 0
			for round := range testutils.Repeat(12, 200) {
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
					t.Fatalf("round %d: %v; the victim runs: %v\n%s", round, err, v.Running(), v.Stderr())
				}
				frames += got.Frames
				testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true})
				v.StopLoad()
				v.Run(5)
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			t.Logf("%d running functions were put right", frames)
			if frames == 0 {
				t.Error("no kill came at a moment that mattered")
			}
			v.Quit()
		})
	}
}
