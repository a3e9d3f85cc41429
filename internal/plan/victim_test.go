package plan

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/functap/functap/internal/symbols"
)

// build compiles or assembles source with the C compiler and returns the file.
func build(t testing.TB, name, source string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, name), filepath.Join(dir, "victim")
	if err := os.WriteFile(src, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", append([]string{"-o", out, src}, args...)...)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc (Debian package gcc): %v\n%s", err, msg)
	}
	return out
}

// assemble makes a shared library of assembly code in a section .text of its own.
func assemble(t testing.TB, code string, args ...string) *Analysis {
	t.Helper()
	args = append([]string{"-shared", "-nostdlib", "-Wl,--build-id=none"}, args...)
	return analyze(t, build(t, "victim.s", macros+code+"\n.section .note.GNU-stack\n", args...))
}

// macros: "function name" begins a function, "done name" gives it its size, and
// "far" is a function that keeps its neighbours out of each other's reach.
const macros = `
.macro function name
.type \name, @function
\name:
.endm
.macro done name
.size \name, . - \name
.endm
.macro far
function far\@
.rept 100
mov %rcx, %rax
.endr
ret
done far\@
.endm
.text
`

func analyze(t testing.TB, path string) *Analysis {
	t.Helper()
	m, err := symbols.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	a, err := Analyze(m)
	if err != nil {
		t.Fatalf("analysing %s: %v", path, err)
	}
	return a
}

// planOf plans the function of that name, alone and with all, which must agree.
func planOf(t testing.TB, a *Analysis, name string) Plan {
	t.Helper()
	for i := range a.funcs {
		if a.funcs[i].Has(name) {
			return a.Function(a.funcs[i])
		}
	}
	t.Fatalf("no function %s", name)
	return Plan{}
}

func wantTactic(t *testing.T, a *Analysis, name string, want Tactic) Plan {
	t.Helper()
	p := planOf(t, a, name)
	if p.Tactic != want || p.Reason != "" {
		t.Errorf("%s: %v %s (%s), want %v", name, p.Tactic, p.Reason, p.Detail, want)
	}
	return p
}

func wantRefusal(t *testing.T, a *Analysis, name string, want Refusal) Plan {
	t.Helper()
	p := planOf(t, a, name)
	if p.Reason != want || p.Tactic != Refused || p.Site != 0 {
		t.Errorf("%s: %v %q (%s), want %s", name, p.Tactic, p.Reason, p.Detail, want)
	}
	return p
}
