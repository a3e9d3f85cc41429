package ptrace

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }

func newTracer(t testing.TB) *Tracer {
	t.Helper()
	tr, err := NewTracer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// cycles is how often a test repeats what it does.
func cycles(long, short int) int {
	if testing.Short() {
		return short
	}
	return long
}

// build compiles a program of testdata.
func build(t testing.TB, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	testutils.RunProgram(t, nil, testutils.Command{
		Path:    testutils.Program(t, "gcc", "gcc"),
		Args:    []string{"-O1", "-Wall", "-pthread", "-o", out, "testdata/" + name},
		Timeout: time.Minute,
	})
	return out
}

// start runs a program of testdata and waits until it says "ready".
func start(t testing.TB, name string, args ...string) *testutils.Process {
	t.Helper()
	p := testutils.StartProcess(t, nil, build(t, name), args...)
	if line := p.Line(); line != "ready" {
		t.Fatalf("%s said %q", name, line)
	}
	return p
}

// victim runs one of the common victims.
func victim(t testing.TB, source string, args ...string) *testutils.Victim {
	t.Helper()
	return testutils.Start(t, testutils.Build(t, source, testutils.CDynamic), args...)
}

// number asks a program a question that it answers with a number.
func number(t testing.TB, p *testutils.Process, question string) int {
	t.Helper()
	p.Send(question)
	n, err := strconv.Atoi(p.Line())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mustStop stops the target and fails the test if that fails.
func mustStop(t testing.TB, tr *Tracer, pid int, fn func(*Stop) error) Report {
	t.Helper()
	r, err := tr.Stop(context.Background(), pid, StopOptions{}, fn)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func nothing(*Stop) error { return nil }

// state is the state letter of a process's main thread.
func state(t testing.TB, pid int) byte {
	t.Helper()
	st, err := procfs.ReadStat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return st.State
}
