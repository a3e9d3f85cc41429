package hook

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
)

// Only names that contain all pieces of a pattern are demangled. So whatever a
// demangler makes of a name, its pieces must be in the name.
func TestPiecesAreSpelledOut(t *testing.T) {
	out, err := exec.Command(testutils.Program(t, "g++", "g++"), "-print-file-name=libstdc++.so.6").Output()
	if err != nil {
		t.Fatal(err)
	}
	rust := testutils.Build(t, "count.rs", testutils.Rust)
	for _, path := range []string{strings.TrimSpace(string(out)), rust} {
		checkPieces(t, path)
	}
}

func checkPieces(t *testing.T, path string) {
	im, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	funcs, err := im.Functions()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range funcs {
		for _, name := range append([]string{f.sym.Name}, f.sym.Aliases...) {
			if mangled(name) {
				checkName(t, name)
				n++
			}
		}
	}
	if n < 500 {
		t.Errorf("%s: only %d mangled names", path, n)
	}
}

func checkName(t *testing.T, name string) {
	for _, as := range []string{symbols.Demangle(name), shortName(name)} {
		for _, p := range pieces(as) {
			if !strings.Contains(name, p) {
				t.Errorf("%s is %s, but does not contain %s", name, as, p)
			}
		}
	}
}
