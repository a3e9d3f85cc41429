package symbols

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzModule wants no panic, no error of a kind not announced, and functions that make
// sense.
func FuzzModule(f *testing.F) {
	f.Add(tiny(f))
	f.Add(versioned(f))
	f.Add(tinyStatic(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := New("fuzz", bytes.NewReader(b), int64(len(b)))
		if err == nil {
			err = exercise(m)
			checkSense(t, m)
		}
		if mem, err := FromMemory("fuzz", bytes.NewReader(b), 0); err == nil {
			err = exercise(mem)
			checkSense(t, mem)
			if err != nil && !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
		}
		if err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrNotELF) && !errors.Is(err, ErrNotX86_64) && !errors.Is(err, ErrNotLinked) {
			t.Fatal(err)
		}
	})
}

// tinyStatic is a program of one function without a C library.
func tinyStatic(t testing.TB) []byte {
	t.Helper()
	m := open(t, compile(t, "gcc", "gcc", "p.c", "void _start(void) { __builtin_trap(); }", "-nostdlib", "-static",
		"-Wl,-z,noseparate-code"))
	b, err := readAt(m.r, m.size, 0, m.size, "file")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checkSense(t *testing.T, m *Module) {
	t.Helper()
	funcs, err := m.Functions()
	if err != nil {
		return
	}
	for i, f := range funcs {
		seg, ok := m.segs.exec(f.Addr)
		if !ok || f.Size > seg.Vaddr+seg.Filesz-f.Addr {
			t.Fatalf("%+v leaves its segment", f)
		}
		if f.Name == "" || i > 0 && funcs[i-1].Addr >= f.Addr {
			t.Fatalf("%+v follows %+v", f, funcs[max(i, 1)-1])
		}
	}
}

// FuzzPclntab wants no panic, and entries inside the table's own range.
func FuzzPclntab(f *testing.F) {
	for _, magic := range []uint32{magicGo116, magicGo118, magicGo120} {
		f.Add(syntheticPclntab(magic))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tab, err := parsePclntab(b)
		if err != nil || tab == nil {
			if err != nil && !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		err = tab.each(func(g goFunc) {
			if g.end < g.addr || len(g.name) > len(b) {
				t.Fatalf("%+v", g)
			}
		})
		if err != nil && !errors.Is(err, ErrMalformed) {
			t.Fatal(err)
		}
		pclntabIndex(b)
	})
}
