package symbols

import (
	"path/filepath"
	"testing"
)

// TestDebugLink takes the symbols of a stripped program from the file that its
// .gnu_debuglink names, unless that is of another build.
func TestDebugLink(t *testing.T) {
	full := compile(t, "gcc", "gcc", "p.c", cSource, "-O2", "-g")
	dir := t.TempDir()
	debug, bare := filepath.Join(dir, "p.debug"), filepath.Join(dir, "p")
	run(t, "binutils", "objcopy", "--only-keep-debug", full, debug)
	run(t, "binutils", "objcopy", "--strip-all", "--add-gnu-debuglink="+debug, full, bare)
	want := functions(t, open(t, full))
	requireSameFunctions(t, functions(t, open(t, bare)), want)
	found, err := open(t, bare).Lookup("hidden")
	if err != nil || len(found) != 1 || found[0].Source != Symtab {
		t.Errorf("hidden: %+v, %v", found, err)
	}

	other := compile(t, "gcc", "gcc", "p.c", cSource+"int more(void) { return 1; }", "-O2", "-g")
	run(t, "binutils", "objcopy", "--only-keep-debug", other, debug)
	if found, err := open(t, bare).Lookup("hidden"); err != nil || found != nil {
		t.Errorf("names of another build: %+v, %v", found, err)
	}
}

// TestUntypedSymbols wants the label of an assembly function that nobody declared as
// one, once unwind information shows it.
func TestUntypedSymbols(t *testing.T) {
	const source = `
.text
.globl plain
plain:
	.cfi_startproc
	ret
	.cfi_endproc
.globl other_name
.set other_name, plain
nothing:
	ret
.globl main
.type main, @function
main:
	xor %eax, %eax
	ret
.size main, .-main
`
	m := open(t, compile(t, "gcc", "gcc", "p.s", source))
	for name, want := range map[string]int{"plain": 1, "other_name": 1, "nothing": 0, "main": 1} {
		found, err := m.Lookup(name)
		if err != nil || len(found) != want {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		all := withName(functions(t, open(t, m.Name())), name)
		if len(all) != want || want == 1 && name != "main" && (all[0].Source != EhFrame || all[0].Size != 1) {
			t.Errorf("%s in the full list: %+v", name, all)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		path string
		want Type
	}{
		{library(t, "libc.so.6"), Shared},
		{library(t, "ld-linux-x86-64.so.2"), Shared},
		{compile(t, "gcc", "gcc", "p.c", cSource, "-pie"), PIE},
		{compile(t, "gcc", "gcc", "p.c", cSource, "-static-pie"), PIE},
		{compile(t, "gcc", "gcc", "p.c", cSource, "-no-pie"), Exec},
		{compile(t, "gcc", "gcc", "p.c", cSource, "-static"), Exec},
	} {
		m := open(t, c.path)
		if m.Type() != c.want || m.IsGo() || m.GoVersion() != "" || c.want != Shared && m.Entry() == 0 {
			t.Errorf("%s: %v, want %v; Go %v %q; entry %#x", c.path, m.Type(), c.want, m.IsGo(), m.GoVersion(), m.Entry())
		}
	}
}

// TestParallel uses one module from several goroutines, after Close of what it read.
func TestParallel(t *testing.T) {
	m, err := Open(library(t, "libstdc++.so.6"))
	if err != nil {
		t.Fatal(err)
	}
	counts := make(chan int)
	for range 4 {
		go func() {
			err := exercise(m)
			funcs, err2 := m.Functions()
			if err != nil || err2 != nil {
				t.Error(err, err2)
			}
			counts <- len(funcs)
		}()
	}
	for range 4 {
		if n := <-counts; n < 4000 {
			t.Errorf("%d functions", n)
		}
	}
	f := functions(t, m)[100]
	code := m.Bytes(f.Addr, int(f.Size))
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if len(code) == 0 || uint64(len(code)) != f.Size || len(m.Bytes(f.Addr, 1)) != 1 {
		t.Error("what was read is gone after Close")
	}
}
