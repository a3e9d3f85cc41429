package hook_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// These tests are about the program that embeds the library: what it has to do
// to get it, and what it may rely on for itself.

// outside makes a module outside of this one's tree, with one program for each
// of the given names, and builds them.
func outside(t *testing.T, programs map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	root := testutils.ModuleRoot(t)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"go.sum": string(sums),
		"go.mod": "module example.org/embedder\n\ngo 1.26\n\n" +
			"require github.com/functap/functap v0.0.0\n\n" +
			"replace github.com/functap/functap => " + root + "\n",
	}
	for name, text := range programs {
		files[filepath.Join(name, "main.go")] = text
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	testutils.RunProgram(t, nil, testutils.Command{
		Path:    testutils.Program(t, "go", "golang"),
		Args:    []string{"-C", dir, "build", "-o", dir + "/bin/", "./..."},
		Env:     []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0"},
		Timeout: 5 * time.Minute,
	})
	return filepath.Join(dir, "bin")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readmeExample is the Go program on README's page.
func readmeExample(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(testutils.ModuleRoot(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok1 := strings.Cut(string(readme), "<!-- example: tested by hook/embed_test.go -->\n```go\n")
	text, _, ok2 := strings.Cut(rest, "```\n")
	if !ok1 || !ok2 {
		t.Fatal("README.md has no example after its mark")
	}
	return text
}

// TestReadmeExample builds and runs the example as README shows it.
func TestReadmeExample(t *testing.T) {
	bin := outside(t, map[string]string{"count": readmeExample(t)})
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	start := v.Report()
	v.StartLoad()
	out := testutils.RunProgram(t, nil, testutils.Command{Path: bin + "/count", Args: []string{strconv.Itoa(v.PID()), "work_*"}})
	v.StopLoad()
	made := v.Report().Since(start)

	got := map[string]uint64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		n, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil || len(fields) != 2 {
			t.Fatalf("it said %q", line)
		}
		got[fields[1]] = n
	}
	for name, most := range made {
		if n := got[name]; n == 0 || n > most {
			t.Errorf("%s: counted %d in a second, the victim made %d in all", name, n, most)
		}
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// counter counts the victim's functions by a Process of its own.
func counter(t *testing.T, pid int) (*hook.Process, *trampoline.Counter) {
	t.Helper()
	ctx := context.Background()
	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	sites, refused, err := p.Sites(hook.Match{Include: []string{"work_*"}})
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	c, err := trampoline.Count(ctx, p, sites)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

func requireCounts(t *testing.T, c *trampoline.Counter, made map[string]uint64) {
	t.Helper()
	got := map[string]uint64{}
	for _, f := range c.Read() {
		got[f.Function.Name()] = f.Calls
	}
	for name, want := range made {
		if got[name] != want {
			t.Errorf("%s: counted %d, the victim made %d", name, got[name], want)
		}
	}
}

// TestTwoTargets: one process counts in two, each for itself; closing one leaves
// the other.
func TestTwoTargets(t *testing.T) {
	binary := testutils.Build(t, "count.c", testutils.CDynamic)
	a, b := testutils.Start(t, binary, "2"), testutils.Start(t, binary, "2")
	before := []*testutils.Snapshot{testutils.TakeSnapshot(t, a.PID()), testutils.TakeSnapshot(t, b.PID())}
	startA, startB := a.Report(), b.Report()
	pa, ca := counter(t, a.PID())
	pb, cb := counter(t, b.PID())
	a.Run(20)
	b.Run(30)
	requireCounts(t, ca, a.Report().Since(startA))
	requireCounts(t, cb, b.Report().Since(startB))

	if err := pa.Close(); err != nil {
		t.Fatal(err)
	}
	testutils.RequireEqual(t, before[0], testutils.DiffOptions{AllowGrowth: true})
	a.Run(5)
	b.Run(5)
	requireCounts(t, cb, b.Report().Since(startB))
	if err := pb.Close(); err != nil {
		t.Fatal(err)
	}
	testutils.RequireEqual(t, before[1], testutils.DiffOptions{AllowGrowth: true})
	a.Quit()
	b.Quit()
}

// TestChildrenAreNotReaped: the embedder's own children, those that end while
// a target is hooked and those that ended before, keep their exit status for it.
func TestChildrenAreNotReaped(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	early := exec.Command("/bin/sh", "-c", "exit 7")
	if err := early.Start(); err != nil {
		t.Fatal(err)
	}
	testutils.Eventually(t, 5*time.Second, "a zombie child", func() error { return zombie(early.Process.Pid) })

	stop := make(chan struct{})
	var wg sync.WaitGroup
	children := 0
	wg.Go(func() {
		for ; ; children++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := runChild(children % 100); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range testutils.Repeat(10, 200) {
		p, _ := counter(t, v.PID())
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if children == 0 {
		t.Error("no child ran meanwhile")
	}

	if err := zombie(early.Process.Pid); err != nil {
		t.Errorf("the child that had ended before: %v", err)
	}
	_ = early.Wait() // its status is looked at
	if got := early.ProcessState.ExitCode(); got != 7 {
		t.Errorf("its exit status: %d, want 7", got)
	}
	v.Run(5)
	v.Quit()
}

// runChild runs a child and looks at its exit status.
func runChild(status int) error {
	cmd := exec.Command("/bin/sh", "-c", "exit "+strconv.Itoa(status))
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		return fmt.Errorf("a child that exits with %d: %v", status, err)
	}
	return nil
}

// zombie is nil if the process is one.
func zombie(pid int) error {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return err
	}
	if !strings.Contains(string(stat), ") Z ") {
		return fmt.Errorf("it is no zombie: %s", stat)
	}
	return nil
}
