package remote

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

// step is one of those in which a call is made. They are those of New, Syscall
// and Close.
type step struct {
	name string
	do   func(c *Caller) error
}

var steps = []step{
	{"frame written", (*Caller).writeFrame},
	{"registers set", func(c *Caller) error { return c.prepare(unix.SYS_GETPID) }},
	{"signals blocked", func(c *Caller) error { return c.thread.SetSigMask(^uint64(synchronous) | c.mask) }},
	{"call prepared", func(c *Caller) error { return c.prepare(unix.SYS_MMAP, mapArgs...) }},
	{"at its entry", (*Caller).run},
	{"at its return", (*Caller).run},
	{"next call prepared", func(c *Caller) error { return c.prepare(unix.SYS_GETPPID) }},
	{"at the next entry", (*Caller).run},
	{"at the next return", (*Caller).run},
	{"signals restored", func(c *Caller) error { return c.thread.SetSigMask(c.mask) }},
	{"registers restored", func(c *Caller) error {
		if err := c.thread.SetRegs(&c.orig); err != nil {
			return err
		}
		return c.thread.Flush()
	}},
	{"memory restored", (*Caller).giveBack},
}

var mapArgs = []uint64{0, 4096, unix.PROT_READ, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, ^uint64(0), 0}

const helperEnv = "FUNCTAP_REMOTE_TEST_HELPER"

// TestHelper is not a test: it is a tracer that goes as far as it is told, and
// then is dead.
func TestHelper(t *testing.T) {
	var pid, tid, last int
	var all bool
	if _, err := fmt.Sscan(os.Getenv(helperEnv), &pid, &tid, &last, &all); err != nil {
		return
	}
	tg, err := findTarget(pid)
	if err != nil {
		t.Fatal(err)
	}
	tr := newTracer(t)
	act := func(s *ptrace.Stop, th *ptrace.Thread) error { return dieAt(tg, s, th, last) }
	if all {
		_, err = tr.Stop(context.Background(), pid, ptrace.StopOptions{}, func(s *ptrace.Stop) error {
			for _, th := range s.Threads() {
				if th.TID() == tid {
					return act(s, th)
				}
			}
			return fmt.Errorf("no thread %d", tid)
		})
	} else {
		_, err = tr.StopThread(context.Background(), pid, tid, ptrace.StopOptions{}, act)
	}
	t.Fatal("still alive", err)
}

func dieAt(tg target, s *ptrace.Stop, th *ptrace.Thread, last int) error {
	region, err := ScratchRegion(s, th, tg.maps, true)
	if err != nil {
		return err
	}
	c := &Caller{stop: s, thread: th, gadgets: tg.gadgets, region: region, low: region.Addr}
	if err := c.save(true); err != nil {
		return err
	}
	for _, step := range steps[:last+1] {
		if err := step.do(c); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return unix.Kill(os.Getpid(), unix.SIGKILL)
}

func runHelper(t *testing.T, args ...any) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), helperEnv+"="+fmt.Sprintln(args...))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.Sys().(interface{ Signaled() bool }).Signaled() == false {
		t.Fatalf("the tracer was to die: %v\n%s", err, out)
	}
}

func buildVictim(t testing.TB, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	testutils.RunProgram(t, nil, testutils.Command{
		Path:    testutils.Program(t, "gcc", "gcc"),
		Args:    []string{"-O1", "-Wall", "-pthread", "-o", out, "testdata/" + name},
		Timeout: time.Minute,
	})
	return out
}

// TestTracerDies lets a tracer die after each step, in each kind of thread, with
// the frame on the thread's own stack or on the main thread's.
func TestTracerDies(t *testing.T) {
	repeat := 40
	if testing.Short() {
		repeat = 5
	}
	path := buildVictim(t, "healing.c")
	for last, step := range steps {
		t.Run(strings.ReplaceAll(step.name, " ", "-"), func(t *testing.T) {
			p := testutils.StartProcess(t, nil, path)
			var tids [4]int
			if _, err := fmt.Sscanf(p.Line(), "threads %d %d %d %d", &tids[0], &tids[1], &tids[2], &tids[3]); err != nil {
				t.Fatal(err)
			}
			for i := range repeat {
				for _, tid := range tids {
					runHelper(t, p.PID(), tid, last, i%2 == 0)
				}
				if i%5 == 4 {
					requireOK(t, p)
				}
			}
			requireOK(t, p)
		})
	}
}

func requireOK(t *testing.T, p *testutils.Process) {
	t.Helper()
	p.Send("check")
	if line := p.Line(); line != "ok" {
		t.Fatalf("victim said %q", line)
	}
}

// TestThreadsUnchanged makes calls in each kind of thread and lives on.
func TestThreadsUnchanged(t *testing.T) {
	p := testutils.StartProcess(t, nil, buildVictim(t, "healing.c"))
	var tids [4]int
	if _, err := fmt.Sscanf(p.Line(), "threads %d %d %d %d", &tids[0], &tids[1], &tids[2], &tids[3]); err != nil {
		t.Fatal(err)
	}
	tr, tg := newTracer(t), mustFind(t, p.PID())
	for i := range 100 {
		for _, tid := range tids {
			if err := tg.with(tr, tid, mapAndUnmap); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				continue
			}
			_, err := tr.StopThread(context.Background(), p.PID(), tid, ptrace.StopOptions{}, func(s *ptrace.Stop, th *ptrace.Thread) error {
				return tg.call(s, th, mapAndUnmap)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	requireOK(t, p)
}
