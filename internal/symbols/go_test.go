package symbols

import (
	"bufio"
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goSymbol is a line of go tool nm.
type goSymbol struct {
	name string
	size uint64
}

// goNM lists the functions that the Go toolchain finds in an unstripped program
// between runtime.text and runtime.etext, by address. Marks are left out.
func goNM(t *testing.T, path string) map[uint64]goSymbol {
	t.Helper()
	out := run(t, "golang-go", "go", "tool", "nm", "-size", "-type", "-sort", "address", path)
	line := regexp.MustCompile(`^ *([0-9a-f]+) +(\d+) ([tT]) (.*)$`)
	var lo, hi uint64
	all := map[uint64]goSymbol{}
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		f := line.FindStringSubmatch(sc.Text())
		if f == nil {
			continue
		}
		at := hexNumber(t, f[1])
		switch f[4] {
		case "runtime.text":
			lo = at
		case "runtime.etext":
			hi = at
		}
		size, err := strconv.ParseUint(f[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !isGoMark(f[4]) {
			all[at] = goSymbol{f[4], size}
		}
	}
	for at := range all {
		if at < lo || at >= hi {
			delete(all, at)
		}
	}
	return all
}

// checkGo compares the Go functions of a program, maybe a stripped one, with the
// toolchain's list of the unstripped program.
func checkGo(t *testing.T, m *Module, want map[uint64]goSymbol) {
	t.Helper()
	if !m.IsGo() || !strings.HasPrefix(m.GoVersion(), "go1.") {
		t.Errorf("IsGo %v, version %q", m.IsGo(), m.GoVersion())
	}
	var n int
	for _, f := range functions(t, m) {
		if !f.Go {
			continue
		}
		n++
		w, ok := want[f.Addr]
		// The linker's symbols call the register ABI's counterpart f.abi0, and go tool
		// nm writes a middle dot as a dot.
		name := strings.ReplaceAll(f.Name, "·", ".")
		if !ok || strings.TrimSuffix(w.name, ".abi0") != name && !f.Has(w.name) {
			t.Errorf("%s at %#x: go tool nm has %v", f.Name, f.Addr, w)
			continue
		}
		// Code that ends in int3 looks like padding when there is no symbol.
		if f.Size != w.size && !(f.Size < w.size && onlyInt3(m, f.End(), w.size-f.Size)) {
			t.Errorf("%s: size %d, go tool nm says %d", f.Name, f.Size, w.size)
		}
	}
	if n != len(want) {
		t.Errorf("%d Go functions, go tool nm has %d", n, len(want))
	}
}

func onlyInt3(m *Module, addr, n uint64) bool {
	return string(m.Bytes(addr, int(n))) == strings.Repeat("\xcc", int(n))
}

func TestGoFunctions(t *testing.T) {
	for _, c := range []struct {
		name  string
		cgo   bool
		flags []string
	}{
		{"plain", false, nil},
		{"PIE", false, []string{"-buildmode=pie"}},
		{"cgo", true, nil},
		{"cgo PIE", true, []string{"-buildmode=pie"}},
		{"cgo static", true, []string{"-ldflags=-linkmode=external -extldflags=-static"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := goBuild(t, c.cgo, c.flags...)
			want := goNM(t, path)
			m := open(t, path)
			checkGo(t, m, want)
			bare := stripped(t, path)
			checkGo(t, open(t, bare), want)
			if c.cgo {
				checkCFunctions(t, m)
				return
			}
			checkAssembly(t, m)
			checkSectionless(t, bare)
		})
	}
}

// checkCFunctions wants the C part of a cgo program, outside of Go's table.
func checkCFunctions(t *testing.T, m *Module) {
	t.Helper()
	var c int
	for _, f := range functions(t, m) {
		if strings.Contains(f.Name, "_Cfunc_t") && !f.Go && f.SizeKnown {
			c++
		}
	}
	if c != 2 { // _cgo_HASH_Cfunc_twice and _thrice
		t.Errorf("%d of 2 C functions", c)
	}
}

func checkAssembly(t *testing.T, m *Module) {
	t.Helper()
	for name, want := range map[string]bool{
		"main.add": true, "runtime.memmove": true, "runtime.asmcgocall": true,
		"main.main": false, "main.square.area": false, "runtime.mallocgc": false,
	} {
		found, err := m.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, f := range found {
			got = got || f.Assembly
		}
		// A Go wrapper of the same name may stand beside the assembly.
		if len(found) == 0 || got != want {
			t.Errorf("%s: assembly %v in %v", name, got, found)
		}
	}
}

// checkSectionless removes the section headers and wants the same Go functions.
func checkSectionless(t *testing.T, path string) {
	t.Helper()
	want := functions(t, open(t, path))
	got := functions(t, open(t, withoutSections(t, path)))
	requireSameFunctions(t, got, want)
}

// withoutSections copies a file and makes its header say that it has no sections.
func withoutSections(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[40:48]) // e_shoff
	clear(b[60:64]) // e_shnum, e_shstrndx
	out := filepath.Join(t.TempDir(), "sectionless")
	write(t, out, string(b))
	if f, err := elf.Open(out); err != nil || len(f.Sections) != 0 {
		t.Fatalf("the copy still has sections: %v", err)
	}
	return out
}

func requireSameFunctions(t *testing.T, got, want []Func) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Name != w.Name || g.Addr != w.Addr || g.Size != w.Size || g.Assembly != w.Assembly || g.Cold != w.Cold {
			t.Fatalf("function %d: %+v, want %+v", i, g, w)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d functions, want %d", len(got), len(want))
	}
}

// TestGoTool checks the toolchain's own program, 15,000 functions.
func TestGoTool(t *testing.T) {
	path := program(t, "go", "golang-go")
	checkGo(t, open(t, path), goNM(t, path))
}
