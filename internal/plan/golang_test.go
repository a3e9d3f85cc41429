package plan

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/functap/functap/internal/x86"
)

const goMain = `package main

import "os"

//go:noinline
func small(n int) int {
	if n == 0 {
		return 0
	}
	return small(n-1) + 1
}

//go:noinline
func medium(n int) byte {
	var b [3000]byte
	b[n] = 1
	return b[small(n)]
}

//go:noinline
func huge(n int) byte {
	var b [100000]byte
	b[n] = 1
	return b[small(n)]
}

//go:noinline
//go:nosplit
func leaf(n int) int { return n*3 + 1 }

func main() { os.Exit(small(1) + int(medium(1)) + int(huge(1)) + leaf(1)) }
`

func buildGo(t testing.TB, source string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, "main.go"), filepath.Join(dir, "victim")
	if err := os.WriteFile(src, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", out}, args...), src)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, msg)
	}
	return out
}

func TestGoStackChecks(t *testing.T) {
	for _, flags := range [][]string{nil, {"-buildmode=pie"}, {"-ldflags=-s -w"}} {
		a := analyze(t, buildGo(t, goMain, flags...))
		for name, insns := range map[string]int{"main.small": 2, "main.medium": 3, "main.huge": 5, "main.leaf": 0} {
			p := wantTactic(t, a, name, Window)
			if got := checkInsns(t, a, &p); got != insns {
				t.Errorf("%v %s: the check has %d instructions, want %d", flags, name, got, insns)
			}
			if p.Site != p.Func.Addr || p.Window < p.GoCheck || p.SelfLoop {
				t.Errorf("%v %s: site +%d, window %d, check %d, SelfLoop %v",
					flags, name, p.Site-p.Func.Addr, p.Window, p.GoCheck, p.SelfLoop)
			}
		}
		wantRefusal(t, a, "runtime.mcall", NeverHook)
		wantRefusal(t, a, "runtime.memmove", Assembly)
	}
}

// checkInsns counts the instructions up to GoCheck, and sees that the last one is
// the jbe to GoMorestack, where the stack is grown and the entry jumped to.
func checkInsns(t *testing.T, a *Analysis, p *Plan) int {
	t.Helper()
	s, n := a.im.code(p.Site), 0
	for at := p.Site; at < p.Site+uint64(p.GoCheck); n++ {
		in, err := x86.Decode(s.b[at-s.base:])
		if err != nil {
			t.Fatal(err)
		}
		if at += uint64(in.Len); at == p.Site+uint64(p.GoCheck) && in.Target(at-uint64(in.Len)) != p.GoMorestack {
			t.Errorf("%s: the check ends in something that does not go to %#x", p.Func.Name, p.GoMorestack)
		}
	}
	if p.GoCheck > 0 && !growsStack(t, a, p) {
		t.Errorf("%s: the block at %#x does not end in a jump to the entry", p.Func.Name, p.GoMorestack)
	}
	return n
}

func growsStack(t *testing.T, a *Analysis, p *Plan) bool {
	t.Helper()
	s := a.im.code(p.GoMorestack)
	for at := p.GoMorestack; at < a.endOf(s, &p.Func); {
		in, err := x86.Decode(s.b[at-s.base:])
		if err != nil {
			t.Fatal(err)
		}
		if in.Flow == x86.FlowJmp {
			return in.Target(at) == p.Func.Addr
		}
		at += uint64(in.Len)
	}
	return false
}

// Every function of a Go program that can grow its stack has a check at its entry
// and jumps back to it; a check that is not recognised would be run twice.
func TestGoChecksAllFound(t *testing.T) {
	a := analyze(t, goTool(t))
	plans, err := a.All()
	if err != nil {
		t.Fatal(err)
	}
	checks, wrong, loops := 0, 0, 0
	for i := range plans {
		p := &plans[i]
		if !p.Func.Go || !p.Hookable() {
			continue
		}
		if p.GoCheck > 0 {
			checks++
			if !growsStack(t, a, p) {
				wrong++
				t.Logf("%s: no jump to the entry at %#x", p.Func.Name, p.GoMorestack)
			}
		} else if p.SelfLoop {
			t.Logf("%s jumps to its entry and has no known check", p.Func.Name)
			loops++
		}
	}
	t.Logf("%d of %d functions check their stack", checks, len(plans))
	// A function that needs no stack may begin with a loop: one in ten thousand does.
	if wrong > 0 || loops > 2 || checks < len(plans)/2 {
		t.Errorf("%d of %d are wrong", wrong, checks)
	}
}

// goTool is the go command itself, a big Go program that is on every machine.
func goTool(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "bin", "go")
}
