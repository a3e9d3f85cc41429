package symbols

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }

// run runs a program to its end and returns its output.
func run(t testing.TB, pkg, name string, args ...string) string {
	t.Helper()
	return testutils.RunProgram(t, nil, testutils.Command{Path: testutils.Program(t, name, pkg), Args: args})
}

// compile builds one source with a compiler of the C family.
func compile(t testing.TB, pkg, compiler, file, source string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, file), filepath.Join(dir, "out")
	write(t, src, source)
	run(t, pkg, compiler, append([]string{"-o", out, src}, args...)...)
	return out
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string) *Module {
	t.Helper()
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func functions(t testing.TB, m *Module) []Func {
	t.Helper()
	funcs, err := m.Functions()
	if err != nil {
		t.Fatal(err)
	}
	if len(funcs) == 0 {
		t.Fatalf("%s has no functions", m.Name())
	}
	return funcs
}

// library is a system library by its name on Debian.
func library(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64"} {
		if path, err := filepath.EvalSymlinks(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	t.Fatalf("no %s: install the Debian packages libc6, libstdc++6 and libssl3", name)
	return ""
}
