package symbols

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/testutils"
)

// sleeper is a running program with the C library in it.
type sleeper struct {
	pid  int
	mem  *os.File
	maps []procfs.Mapping
}

func startSleeper(t *testing.T) *sleeper {
	t.Helper()
	p := testutils.StartProcess(t, nil, testutils.Program(t, "cat", "coreutils"))
	s := &sleeper{pid: p.PID()}
	testutils.Eventually(t, 10*time.Second, "the C library to be loaded and cat to wait", s.settled)
	var err error
	if s.mem, err = os.Open(fmt.Sprintf("/proc/%d/mem", s.pid)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.mem.Close() })
	return s
}

func (s *sleeper) settled() error {
	st, err := procfs.ReadStat(s.pid)
	if err != nil {
		return err
	}
	if st.State != 'S' || st.Comm != "cat" {
		return fmt.Errorf("state %c, name %q", st.State, st.Comm)
	}
	s.maps, err = procfs.Maps(s.pid)
	return err
}

// mapping is the first one of a file whose name begins so.
func (s *sleeper) mapping(t *testing.T, name string) procfs.Mapping {
	t.Helper()
	for _, m := range s.maps {
		if strings.HasPrefix(filepath.Base(m.Path), name) && m.Offset == 0 {
			return m
		}
	}
	t.Fatalf("no %s in %v", name, s.maps)
	return procfs.Mapping{}
}

// module opens the mapped file.
func (s *sleeper) module(t *testing.T, m procfs.Mapping) *Module {
	t.Helper()
	f, err := procfs.OpenMapped(s.pid, m)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := OpenFile(m.Path, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mod.Close() })
	return mod
}

func TestVDSO(t *testing.T) {
	s := startSleeper(t)
	auxv, err := procfs.Auxv(s.pid)
	if err != nil {
		t.Fatal(err)
	}
	m, err := FromMemory("[vdso]", s.mem, auxv[procfs.AtSysinfoEhdr])
	if err != nil {
		t.Fatal(err)
	}
	found, err := m.Lookup("__vdso_clock_gettime")
	if err != nil || len(found) != 1 || !found[0].SizeKnown || found[0].Source != Dynsym {
		t.Errorf("__vdso_clock_gettime: %+v, %v", found, err)
	}
	if len(m.BuildID()) != 20 || m.Type() != Shared {
		t.Errorf("build-id %x, type %v", m.BuildID(), m.Type())
	}
}

// TestFromMemory wants of a loaded library what its file shows without sections,
// and of that what the file shows with them.
func TestFromMemory(t *testing.T) {
	s := startSleeper(t)
	for _, name := range []string{"libc.so", "ld-linux", "cat"} {
		mp := s.mapping(t, name)
		file := open(t, withoutSections(t, mp.Path))
		loaded, err := FromMemory(name, s.mem, mp.Start)
		if err != nil {
			t.Fatal(err)
		}
		if loaded.Bias() != mp.Start {
			t.Errorf("%s: bias %#x, loaded at %#x", name, loaded.Bias(), mp.Start)
		}
		requireSameFunctions(t, functions(t, loaded), withoutSymtab(t, file))
		want, err := file.RelativeAddends()
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.RelativeAddends()
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d addends, %v; the file has %d", name, len(got), err, len(want))
		}
	}
}

// withoutSymtab are the module's functions when separate symbols are not looked at.
func withoutSymtab(t *testing.T, m *Module) []Func {
	t.Helper()
	if _, err := m.symtab.get(func() (*symTable, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	return functions(t, m)
}

func TestSectionless(t *testing.T) {
	for _, path := range []string{
		library(t, "libc.so.6"), library(t, "libstdc++.so.6"), program(t, "redis-server", "redis-server"),
		stripped(t, compile(t, "gcc", "gcc", "p.c", cSource, "-fcf-protection", "-Wl,-z,ibtplt")),
		stripped(t, compile(t, "gcc", "gcc", "p.c", cSource, "-no-pie")),
	} {
		want := withoutSymtab(t, open(t, path))
		got := withoutSymtab(t, open(t, withoutSections(t, path)))
		requireSameFunctions(t, got, want)
	}
}

func TestFromMemoryUnreadable(t *testing.T) {
	s := startSleeper(t)
	if _, err := FromMemory("nothing", s.mem, 0x1000); !errors.Is(err, ErrMalformed) {
		t.Errorf("%v, want ErrMalformed", err)
	}
	stack := s.maps[len(s.maps)-1]
	if _, err := FromMemory("no image", s.mem, s.maps[1].Start); !errors.Is(err, ErrNotELF) {
		t.Errorf("%v at %v, want ErrNotELF", err, stack)
	}
	header := io.NewSectionReader(s.mem, int64(s.mapping(t, "libc.so").Start), 4096)
	if _, err := FromMemory("first page only", header, 0); err != nil {
		t.Errorf("headers alone: %v", err)
	}
}

// TestIFuncTargets asks a live process what its C library's resolvers have picked.
func TestIFuncTargets(t *testing.T) {
	s := startSleeper(t)
	mp := s.mapping(t, "libc.so")
	libc := s.module(t, mp)
	read := func(vaddr uint64) (uint64, error) {
		var b [8]byte
		_, err := s.mem.ReadAt(b[:], int64(mp.Start+vaddr))
		return binary.LittleEndian.Uint64(b[:]) - mp.Start, err
	}
	bodies, err := libc.IFuncTargets(read)
	if err != nil {
		t.Fatal(err)
	}
	var checked int
	for _, f := range functions(t, libc) {
		body, ok := bodies[f.Addr]
		if !ok || !f.IFunc || f.Name != "memmove" && f.Name != "strlen" && f.Name != "memchr" {
			continue
		}
		checked++
		if !isVariant(functions(t, libc), body, f.Name) {
			t.Errorf("%s resolves to %#x, which is no __%s_VARIANT", f.Name, body, f.Name)
		}
	}
	if checked != 3 {
		t.Errorf("%d of 3 resolvers seen among %d", checked, len(bodies))
	}
	checkSlots(t, s)
}

// TestUnchosenIFuncs: before a static program's start code has run, all of its slots
// are what the file has; each that is written is no longer among them.
func TestUnchosenIFuncs(t *testing.T) {
	m := open(t, compile(t, "gcc", "gcc", "p.c", "#include <string.h>\nint main(int n, char **v) { return strlen(v[n - 1]); }", "-static"))
	file := func(vaddr uint64) (uint64, error) {
		b, err := m.readMem(vaddr, 8, "slot")
		return binary.LittleEndian.Uint64(b), err
	}
	all, err := m.UnchosenIFuncs(file)
	if err != nil || len(all) < 10 {
		t.Fatalf("%d slots, error %v; want those of memcpy, strlen and more", len(all), err)
	}
	left, err := m.UnchosenIFuncs(func(vaddr uint64) (uint64, error) {
		v, err := file(vaddr)
		if vaddr == all[3] {
			v += 64
		}
		return v, err
	})
	if want := slices.Delete(slices.Clone(all), 3, 4); err != nil || !slices.Equal(left, want) {
		t.Errorf("%#x are left, error %v; want %#x", left, err, want)
	}
}

// isVariant reports whether a function is named __NAME_something, as glibc's bodies
// are (libc6-dbg has the names).
func isVariant(funcs []Func, addr uint64, name string) bool {
	for _, f := range funcs {
		if f.Addr != addr {
			continue
		}
		for _, n := range append(f.Aliases, f.Name) {
			if strings.HasPrefix(n, "__"+name+"_") {
				return true
			}
		}
	}
	return false
}

// checkSlots wants a slot of the program for a function it imports from the library to
// lead into the library.
func checkSlots(t *testing.T, s *sleeper) {
	t.Helper()
	prog, libc := s.mapping(t, "cat"), s.mapping(t, "libc.so")
	m := s.module(t, prog)
	slots, err := m.GOTSlots("__libc_start_main")
	if err != nil || len(slots) != 1 {
		t.Fatalf("slots %#x, %v", slots, err)
	}
	var b [8]byte
	if _, err := s.mem.ReadAt(b[:], int64(prog.Start+slots[0])); err != nil {
		t.Fatal(err)
	}
	found, err := s.module(t, libc).Lookup("__libc_start_main")
	if got := binary.LittleEndian.Uint64(b[:]) - libc.Start; err != nil || len(found) != 1 || found[0].Addr != got {
		t.Errorf("slot holds %#x, libc has %+v, %v", got, found, err)
	}
	if none, err := m.GOTSlots("no such symbol"); err != nil || none != nil {
		t.Errorf("slots %#x, %v of a name that is not there", none, err)
	}
}
