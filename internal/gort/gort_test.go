package gort_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/internal/gort"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }

// target is a stopped process with goroutines that spin.
type target struct {
	*testutils.Victim
	module *symbols.Module
	bias   uint64
	rt     *gort.Runtime
	mem    *os.File
}

const (
	spinning   = 50
	processors = 2 // that spin.go uses
)

// start runs spin.go, built by a toolchain ("local" is the test's own) with further
// arguments to go build, lets each goroutine have its turn, and stops it.
func start(t testing.TB, idle int, toolchain string, build ...string) target {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "spin")
	args := append([]string{"build", "-o", binary}, build...)
	testutils.RunProgram(t, nil, testutils.Command{
		Path: testutils.Program(t, "go", "golang"),
		Args: append(args, "testdata/spin.go"),
		// Without modules, go.mod does not ask for a newer toolchain.
		Env:     []string{"GOTOOLCHAIN=" + toolchain, "GO111MODULE=off", "GOFLAGS=-buildvcs=false"},
		Timeout: 5 * time.Minute,
	})
	tg := target{Victim: testutils.Start(t, binary, strconv.Itoa(spinning), strconv.Itoa(idle))}
	tg.open(t, binary)
	for range 60 { // a turn takes 10 ms
		time.Sleep(500 * time.Millisecond)
		tg.Signal(syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond)
		if gs, err := tg.rt.Preempted(tg.mem); err != nil || len(gs) >= spinning-processors {
			break
		}
		tg.Signal(syscall.SIGCONT)
	}
	return tg
}

func (tg *target) open(t testing.TB, binary string) {
	t.Helper()
	maps, err := procfs.Maps(tg.PID())
	if err != nil {
		t.Fatal(err)
	}
	if tg.module, err = symbols.Open(binary); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tg.module.Close() })
	i := slices.IndexFunc(maps, func(m procfs.Mapping) bool { return m.Inode != 0 })
	tg.bias = maps[i].Start - tg.module.Segments()[0].Vaddr&^4095
	if tg.rt, err = gort.New(tg.module, tg.bias); err != nil {
		t.Fatal(err)
	}
	if tg.mem, err = os.Open(fmt.Sprintf("/proc/%d/mem", tg.PID())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tg.mem.Close() })
}

// requireSuspended: all goroutines that spin and have no processor wait for one, their numbers are
// those of goroutines made one after the other, and many resume in the leaf function.
func (tg *target) requireSuspended(t *testing.T, idle int) {
	t.Helper()
	gs, err := tg.rt.Preempted(tg.mem)
	if err != nil {
		t.Fatal(err)
	}
	if len(gs) < spinning-processors || len(gs) > spinning {
		t.Errorf("%d of %d goroutines found", len(gs), spinning)
	}
	fs, err := tg.module.Lookup("main.spinQuotient")
	if err != nil || len(fs) != 1 {
		t.Fatal(fs, err)
	}
	seen, inLeaf := map[uint64]bool{}, 0
	for _, g := range gs {
		// The runtime's own goroutines come first; all others are idle ones, then ours.
		if g.ID < uint64(idle) || g.ID > uint64(idle+spinning+200) || seen[g.ID] {
			t.Errorf("goroutine %d of %d, seen before: %v", g.ID, idle+spinning, seen[g.ID])
		}
		seen[g.ID] = true
		stack := make([]byte, min(gort.PreemptFrame, g.StackHi-g.SP))
		if _, err := tg.mem.ReadAt(stack, int64(g.SP)); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(tg.rt.Resumes(g.PC, stack), func(a uint64) bool {
			return a >= tg.bias+fs[0].Addr && a < tg.bias+fs[0].End()
		}) {
			inLeaf++
		}
	}
	t.Logf("%d goroutines, %d of them in the leaf", len(gs), inLeaf)
	if inLeaf < spinning/5 {
		t.Errorf("only %d goroutines are found in the function in which they spin", inLeaf)
	}
}

func TestPreempted(t *testing.T) {
	for name, build := range map[string][]string{
		"plain": nil, "stripped": {"-ldflags=-s -w"}, "pie": {"-buildmode=pie"}, "unoptimised": {"-gcflags=-N -l"},
	} {
		t.Run(name, func(t *testing.T) {
			tg := start(t, 3, "local", build...)
			tg.requireSuspended(t, 3)
		})
	}
}

// TestVersions fetches toolchains from the network: the oldest and the newest in the short
// form, all of them in the long one.
func TestVersions(t *testing.T) {
	versions := []string{"1.18.10", "1.25.5"}
	if testutils.Long() {
		versions = append(versions, "1.19.13", "1.20.14", "1.21.13", "1.22.12", "1.23.12", "1.24.4")
	}
	for _, v := range versions {
		for name, build := range map[string][]string{"plain": nil, "stripped": {"-ldflags=-s -w"}, "pie": {"-buildmode=pie"}} {
			t.Run(v+" "+name, func(t *testing.T) {
				tg := start(t, 3, "go"+v, build...)
				tg.requireSuspended(t, 3)
			})
		}
	}
}

// TestManyGoroutines: the target stands still while they are looked at, so it has to be
// done in few reads. How long it takes depends on the machine (23 ms on one).
func TestManyGoroutines(t *testing.T) {
	const idle = 100_000
	tg := start(t, idle, "local")
	mem := &counting{mem: tg.mem}
	begin := time.Now()
	if _, err := tg.rt.Preempted(mem); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d goroutines in %v, %d reads of %d bytes", idle+spinning, time.Since(begin), mem.reads, mem.bytes)
	// The allocator puts 17 or 18 structures into one span of 8 KiB.
	if mem.reads > idle/15 || mem.bytes > 1000*idle {
		t.Errorf("%d reads of %d bytes for %d goroutines", mem.reads, mem.bytes, idle+spinning)
	}
	tg.requireSuspended(t, idle)
}

// counting is memory that counts how it is read.
type counting struct {
	mem          io.ReaderAt
	reads, bytes int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	c.bytes += len(b)
	return c.mem.ReadAt(b, at)
}

// TestUnknown: what is not understood is said to be so.
func TestUnknown(t *testing.T) {
	m, err := symbols.Open(testutils.Build(t, "count.c", testutils.CDynamic))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := gort.New(m, 0); !errors.Is(err, gort.ErrUnknown) {
		t.Errorf("a C program: %v, want ErrUnknown", err)
	}
	m, err = symbols.Open(withVersion(t, "go1.99"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := gort.New(m, 0); !errors.Is(err, gort.ErrUnknown) || !strings.Contains(err.Error(), "go1.99") {
		t.Errorf("a later version: %v, want ErrUnknown", err)
	}
}

// withVersion makes a copy of a program that claims to be made by another
// toolchain.
func withVersion(t *testing.T, version string) string {
	t.Helper()
	binary := testutils.Build(t, "parked.go", testutils.Go)
	b, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	head := []byte("\xff Go buildinf:")
	at := bytes.Index(b, head)
	if at < 0 {
		t.Fatal("no build information in the program")
	}
	at += 32 // a header, then the version, its length before it
	copy(b[at+1:at+1+int(b[at])], version+strings.Repeat(" ", int(b[at])-len(version)))
	out := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(out, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNotARuntime: memory that does not look like one is no list of goroutines.
func TestNotARuntime(t *testing.T) {
	tg := start(t, 0, "local")
	for name, mem := range map[string]reader{
		"ones":  func(b []byte) error { fill(b, 1); return nil },
		"error": func([]byte) error { return errors.New("no such page") },
	} {
		if gs, err := tg.rt.Preempted(mem); !errors.Is(err, gort.ErrUnknown) {
			t.Errorf("%s: %v, %v, want ErrUnknown", name, gs, err)
		}
	}
	zeros := reader(func(b []byte) error { fill(b, 0); return nil })
	if gs, err := tg.rt.Preempted(zeros); err != nil || len(gs) > 0 {
		t.Errorf("a runtime that has not started: %v, %v", gs, err)
	}
}

// reader is memory of which all parts look alike.
type reader func(b []byte) error

func (r reader) ReadAt(b []byte, _ int64) (int, error) { return len(b), r(b) }

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}
