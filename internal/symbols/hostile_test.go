package symbols

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tinySource makes a file of a few KB that has one of everything: symbols, versions,
// an IFUNC, exception tables, relocations.
const tinySource = `
extern "C" {
int puts(const char *);
static int impl(int x) { return x + 1; }
static int (*pick(void))(int) { return impl; }
int picked(int) __attribute__((ifunc("pick")));
void thrower(int x) { if (x) throw x; }
int catcher(int x) { try { thrower(x); } catch (int e) { return e; } return picked(x); }
int (*table[])(int) = {catcher, impl, picked};
}
`

func tiny(t testing.TB) []byte {
	t.Helper()
	path := compile(t, "g++", "g++", "tiny.cc", tinySource, "-O1", "-shared", "-fPIC", "-nostartfiles",
		"-Wl,-z,noseparate-code", "-Wl,-z,norelro", "-Wl,-z,max-page-size=64")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// exercise calls everything and returns the errors.
func exercise(m *Module) error {
	funcs, err := m.Functions()
	errs := []error{err}
	m.Type()
	m.BuildID()
	m.GoVersion()
	for i := 0; i < len(funcs); i += 1 + len(funcs)/8 {
		_, _, err := m.lookupSymbols(funcs[i].Name)
		errs = append(errs, err)
		m.Bytes(funcs[i].Addr, int(min(funcs[i].Size, 1<<30)))
	}
	_, err = m.LandingPads()
	errs = append(errs, err)
	_, err = m.RelativeAddends()
	errs = append(errs, err)
	identity := func(v uint64) (uint64, error) { return v, nil }
	_, err = m.IFuncTargets(identity)
	errs = append(errs, err)
	_, err = m.UnchosenIFuncs(identity)
	errs = append(errs, err)
	_, err = m.GOTSlots("puts")
	return errors.Join(append(errs, err)...)
}

func TestNotELF(t *testing.T) {
	x32 := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 57)...)
	x32[18] = 62
	arm := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 57)...)
	arm[18] = 183
	object := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 57)...)
	object[16], object[18] = 1, 62
	for name, c := range map[string]struct {
		content []byte
		want    error
	}{
		"empty": {nil, ErrNotELF}, "text": {[]byte("#!/bin/sh\necho\n"), ErrNotELF}, "zeros": {make([]byte, 100), ErrNotELF},
		"magic": {[]byte("\x7fELF"), ErrMalformed}, "x32": {x32, ErrNotX86_64}, "arm64": {arm, ErrNotX86_64},
		"object": {object, ErrNotLinked}, "header cut": {object[:40], ErrMalformed},
	} {
		if _, err := New(name, bytes.NewReader(c.content), int64(len(c.content))); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if m, err := Open(compile(t, "gcc", "gcc", "p.c", "int main() { return 0; }", "-c")); !errors.Is(err, ErrNotLinked) {
		t.Errorf("object file: %v, %v", m, err)
	}
}

func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, dir, "/dev/null", "/dev/tty", "/dev/zero"} {
		done := make(chan error, 1)
		go func() {
			_, err := Open(path)
			done <- err
		}()
		select {
		case err := <-done:
			if !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: %v, want ErrNotRegular", path, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("opening %s blocks", path)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// TestTruncated cuts a file at every length: it must be refused with a reason.
func TestTruncated(t *testing.T) {
	b := tiny(t)
	for n := range b {
		_, err := New("cut", bytes.NewReader(b[:n]), int64(n))
		if !errors.Is(err, ErrMalformed) && !(n < 4 && errors.Is(err, ErrNotELF)) {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
	_, err := New("cut", bytes.NewReader(b[:len(b)-10]), int64(len(b)-10))
	if err == nil || !strings.Contains(err.Error(), "section headers") || !strings.Contains(err.Error(), "past the end") {
		t.Errorf("does not tell what is missing: %v", err)
	}
	// The size may have been true when it was asked for.
	m, err := New("shrunk", bytes.NewReader(b[:len(b)/2]), int64(len(b)))
	if !errors.Is(err, ErrMalformed) {
		t.Errorf("shrunk file: %v, %v", m, err)
	}
}

// hostile is the tiny file with a field overwritten.
type hostile struct {
	name string
	edit func(b []byte)
}

func put(off int, size int, v uint64) func([]byte) {
	return func(b []byte) {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], v)
		copy(b[off:off+size], w[:])
	}
}

// section edits a field of the header of the first section of a type.
func sectionField(typ uint32, field, size int, v uint64) func([]byte) {
	return func(b []byte) {
		le := binary.LittleEndian
		off, n := int(le.Uint64(b[40:])), int(le.Uint16(b[60:]))
		for i := range n {
			if h := off + i*shdrSize; le.Uint32(b[h+4:]) == typ {
				put(h+field, size, v)(b)
				return
			}
		}
		panic("no such section")
	}
}

// dynamicTag changes a value in PT_DYNAMIC.
func dynamicTag(tag, v uint64) func([]byte) {
	return func(b []byte) {
		le := binary.LittleEndian
		for i, off := 0, int(le.Uint64(b[32:])); i < int(le.Uint16(b[56:])); i++ {
			h := b[off+i*phdrSize:]
			if le.Uint32(h) != 2 {
				continue
			}
			for d := int(le.Uint64(h[8:])); le.Uint64(b[d:]) != 0; d += 16 {
				if le.Uint64(b[d:]) == tag {
					put(d+8, 8, v)(b)
					return
				}
			}
		}
		panic("no such tag")
	}
}

var hostiles = []hostile{
	{"phoff past the end", put(32, 8, 1<<40)},
	{"phoff wraps", put(32, 8, ^uint64(0)-8)},
	{"phnum huge", put(56, 2, 0xffff)},
	{"phentsize", put(54, 2, 32)},
	{"shoff past the end", put(40, 8, 1<<40)},
	{"shnum huge", put(60, 2, 0xffff)},
	{"shentsize", put(58, 2, 1)},
	{"shnum escaped", func(b []byte) { put(60, 2, 0)(b); put(int(binary.LittleEndian.Uint64(b[40:]))+32, 8, 1<<60)(b) }},
	{"segment file size", put(ehdrSize+32, 8, 1<<40)},
	{"segment wraps", put(ehdrSize+16, 8, ^uint64(0)-16)},
	{"symtab size", sectionField(2, 32, 8, 1<<40)},
	{"symtab offset", sectionField(2, 24, 8, ^uint64(0)-100)},
	{"symtab link", sectionField(2, 40, 4, 1<<31)},
	{"symtab links to itself", sectionField(2, 40, 4, 0)},
	{"dynsym count", sectionField(11, 32, 8, 1<<60)},
	{"dynstr address", dynamicTag(5, 1<<60)},
	{"dynstr size", dynamicTag(10, 1<<60)},
	{"symtab address", dynamicTag(6, 1<<60)},
	{"rela size", dynamicTag(8, 1<<60)},
	{"rela address", dynamicTag(7, ^uint64(0))},
	{"version address", dynamicTag(0x6ffffff0, 1<<60)},
}

func TestHostile(t *testing.T) {
	whole := tiny(t)
	// Without this the table could pass because everything is refused.
	if m, err := New("whole", bytes.NewReader(whole), int64(len(whole))); err != nil || exercise(m) != nil {
		t.Fatalf("the unharmed file: %v, %v", err, exercise(m))
	}
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			b := bytes.Clone(whole)
			if h.name == "version address" && !bytes.Contains(b, []byte(".gnu.version_d")) {
				b = versioned(t)
			}
			h.edit(b)
			m, err := New(h.name, bytes.NewReader(b), int64(len(b)))
			if err == nil {
				err = exercise(m)
			}
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("%v, want ErrMalformed", err)
			}
		})
	}
}

// versioned is the tiny file with symbol versions.
func versioned(t testing.TB) []byte {
	t.Helper()
	script := filepath.Join(t.TempDir(), "v.map")
	write(t, script, "V1 { global: catcher; };\nV2 { global: *; } V1;\n")
	b, err := os.ReadFile(compile(t, "g++", "g++", "tiny.cc", tinySource, "-O1", "-shared", "-fPIC", "-nostartfiles",
		"-Wl,--version-script="+script))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sparse is a file that goes on after its head with one pattern for ever: large
// tables cost its author nothing.
type sparse struct {
	head, pattern []byte
	size          int64
}

func (s sparse) ReadAt(b []byte, off int64) (int, error) {
	n := int(min(int64(len(b)), max(0, s.size-off)))
	for i := range min(n, len(s.pattern)) {
		b[i] = s.pattern[(off+int64(i))%int64(len(s.pattern))]
	}
	for done := len(s.pattern); done < n; done *= 2 {
		copy(b[done:n], b[:done])
	}
	if off < int64(len(s.head)) {
		copy(b[:n], s.head[off:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// TestMemoryBound offers files of a terabyte whose headers ask for all of it.
func TestMemoryBound(t *testing.T) {
	whole := tiny(t)
	const size = 1 << 40
	m, err := New("tiny", bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []hostile{
		{"symtab", sectionField(2, 32, 8, 1<<38)},
		{"dynsym", sectionField(11, 32, 8, 1<<38)},
		{"section names", func(b []byte) {
			h := int(binary.LittleEndian.Uint64(b[40:])) + shdrSize*int(binary.LittleEndian.Uint16(b[62:]))
			put(h+32, 8, 1<<38)(b)
		}},
		{"one segment", func(b []byte) {
			put(ehdrSize+32, 8, 1<<39)(b)
			put(ehdrSize+40, 8, 1<<39)(b)
		}},
		{"a million functions", func(b []byte) {
			sectionField(2, 24, 8, symSize<<20)(b)
			sectionField(2, 32, 8, symSize*(maxFunctions-100))(b)
			strtab := sectionNumber(b, 2)
			put(strtab+24, 8, symSize<<20)(b)
			put(strtab+32, 8, keepLimit-symSize*maxFunctions-(1<<20))(b)
		}},
	} {
		b := bytes.Clone(whole)
		h.edit(b)
		checkMemory(t, h.name, sparse{b, functionSymbol(functions(t, m)[0].Addr), size})
	}
}

// functionSymbol is a symbol table entry for a function at addr.
func functionSymbol(addr uint64) []byte {
	b := make([]byte, symSize)
	put(0, 4, 8)(b) // any name
	put(4, 1, 0x12)(b)
	put(6, 2, 1)(b)
	put(8, 8, addr)(b)
	put(16, 8, 0x41)(b)
	return b
}

// sectionNumber is where the header of the section is that the first one of a type
// links to.
func sectionNumber(b []byte, typ uint32) int {
	le := binary.LittleEndian
	off := int(le.Uint64(b[40:]))
	for h := off; ; h += shdrSize {
		if le.Uint32(b[h+4:]) == typ {
			return off + shdrSize*int(le.Uint32(b[h+40:]))
		}
	}
}

func checkMemory(t *testing.T, name string, file sparse) {
	t.Helper()
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := New(name, file, file.size)
	if err == nil {
		_, err = m.Functions()
		m.LandingPads()
		m.RelativeAddends()
		m.Bytes(m.Segments()[0].Vaddr, 1)
	}
	runtime.ReadMemStats(&after)
	got := after.Sys - (before.Sys - before.HeapReleased)
	if got > 1<<30 {
		t.Errorf("%s: %d MiB taken from the system", name, got>>20)
	}
	t.Logf("%s: %d MiB, %v", name, got>>20, err)
}
