package x86

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-delve/delve/pkg/dwarf/frame"
)

var oracleFiles = flag.String("functap.oracle", "",
	"more ELF `files`, separated by commas, to compare with objdump")

// TestOracle compares Decode with objdump over every instruction of every
// function of some large programs and libraries.
func TestOracle(t *testing.T) {
	files := []string{
		library(t, "libc.so.6", "libc6"),
		library(t, "libm.so.6", "libc6"),
		library(t, "libstdc++.so.6", "libstdc++6"),
		library(t, "libcrypto.so.3", "libssl3"),
		program(t, "/usr/bin/python3", "python3-minimal"),
		program(t, "/usr/bin/redis-server", "redis-server"),
		goTool(t),
	}
	if *oracleFiles != "" {
		files = append(files, strings.Split(*oracleFiles, ",")...)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			compareFile(t, f)
		})
	}
}

func library(t testing.TB, name, pkg string) string {
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"} {
		if p := filepath.Join(dir, name); exists(p) {
			return p
		}
	}
	t.Fatalf("%s is missing: install Debian's %s", name, pkg)
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func program(t *testing.T, path, pkg string) string {
	p, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatalf("%v: install Debian's %s", err, pkg)
	}
	return p
}

func goTool(t *testing.T) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("asking the go command for its place: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "bin", "go")
}

// span64 is the addresses [start, end).
type span64 struct{ start, end uint64 }

// functionBounds joins what symbols and unwind information call functions.
func functionBounds(t *testing.T, f *elf.File) []span64 {
	var all []span64
	for _, read := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		syms, err := read()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			t.Fatal(err)
		}
		for _, s := range syms {
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size != 0 {
				all = append(all, span64{s.Value, s.Value + s.Size})
			}
		}
	}
	all = append(all, unwindBounds(t, f)...)
	slices.SortFunc(all, func(a, b span64) int { return cmp.Compare(a.start, b.start) })
	return joinSpans(all)
}

func unwindBounds(t *testing.T, f *elf.File) (all []span64) {
	s := f.Section(".eh_frame")
	if s == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	fdes, err := frame.Parse(data, f.ByteOrder, 0, 8, s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range fdes {
		all = append(all, span64{e.Begin(), e.End()})
	}
	return all
}

func joinSpans(sorted []span64) (out []span64) {
	for _, s := range sorted {
		if n := len(out); n > 0 && s.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// comparison is the state of comparing one file.
type comparison struct {
	t      *testing.T
	bounds []span64
	sect   []*elf.Section
	code   map[*elf.Section][]byte

	insts, branches, ripRels, outside, data, diffs int
}

func compareFile(t *testing.T, path string) {
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := comparison{t: t, bounds: functionBounds(t, f)}
	c.run(f, path)
	if c.insts < 1000 {
		t.Errorf("only %d instructions compared", c.insts)
	}
}

func (c *comparison) run(f *elf.File, path string) {
	c.t.Helper()
	c.code = map[*elf.Section][]byte{}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Type != elf.SHT_PROGBITS {
			continue
		}
		data, err := s.Data()
		if err != nil {
			c.t.Fatal(err)
		}
		c.sect, c.code[s] = append(c.sect, s), data
	}
	eachLine(c.t, c.line, "-d", "-w", path)
	c.t.Logf("%s: %d instructions of functions, %d branches, %d rip-relative operands; %d lines outside of functions, %d of data inside; %d differences",
		path, c.insts, c.branches, c.ripRels, c.outside, c.data, c.diffs)
}

// TestAssembled compares Decode with as and objdump over testdata/vector.s,
// which no compiler would bring together.
func TestAssembled(t *testing.T) {
	const source = "testdata/vector.s"
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for line := range strings.Lines(string(text)) {
		if line[0] != '#' {
			want++
		}
	}
	object := filepath.Join(t.TempDir(), "vector.o")
	if out, err := exec.Command("as", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("as (Debian's binutils): %v\n%s", err, out)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := comparison{t: t, bounds: []span64{{0, f.Section(".text").Size}}}
	c.run(f, object)
	if c.insts != want || c.data != 0 {
		t.Errorf("%d instructions and %d lines of data from %d lines", c.insts, c.data, want)
	}
}

// line compares one line. objdump takes fwait for a prefix of the x87
// instruction behind it; for the processor, and here, it is one of its own.
func (c *comparison) line(addr uint64, n int, text []byte) {
	code := c.at(addr)
	if code == nil {
		c.t.Fatalf("objdump disassembled %#x, which is in no code section", addr)
	}
	if code[0] == 0x9b && n > 1 {
		c.compare(addr, 1, code, nil)
		addr, n, code = addr+1, n-1, code[1:]
	}
	c.compare(addr, n, code, text)
}

// at returns the code from addr to the end of its section.
func (c *comparison) at(addr uint64) []byte {
	for _, s := range c.sect {
		if addr-s.Addr < s.Size {
			return c.code[s][addr-s.Addr:]
		}
	}
	return nil
}

func (c *comparison) compare(addr uint64, n int, code, text []byte) {
	if !c.inFunction(addr, n) {
		c.outside++
		return
	}
	if isData(text) {
		c.data++
		c.t.Logf("data at %#x: % x\t%s", addr, code[:n], text)
		return
	}
	c.insts++
	in, err := Decode(code)
	if err != nil || int(in.Len) != n {
		c.differ(addr, code[:n], text, fmt.Sprintf("length %d, %v", in.Len, err))
		return
	}
	if want := flowOf(text); in.Flow != want && text != nil {
		c.differ(addr, code[:n], text, "flow "+flowNames[in.Flow])
	}
	if in.RIPRel != bytes.Contains(text, []byte("(%rip)")) {
		c.differ(addr, code[:n], text, fmt.Sprintf("rip-relative: %v", in.RIPRel))
	}
	if in.RelLen != 0 {
		c.branches++
		c.checkAddress(addr, &in, code, text, branchOperand(text))
	}
	if in.RIPRel {
		c.ripRels++
		_, operand, _ := bytes.Cut(text, []byte("# "))
		c.checkAddress(addr, &in, code, text, operand)
	}
}

func (c *comparison) checkAddress(addr uint64, in *Inst, code, text, operand []byte) {
	operand = bytes.TrimPrefix(operand, []byte("0x"))
	word, _, _ := bytes.Cut(operand, []byte{' '})
	want, ok := parseHex(word)
	if got := in.Target(addr); !ok || got != want {
		c.differ(addr, code[:in.Len], text, fmt.Sprintf("address %#x", got))
	}
}

func (c *comparison) differ(addr uint64, code, text []byte, got string) {
	if c.diffs++; c.diffs <= 50 {
		c.t.Errorf("at %#x: % x\t%s\tDecode: %s", addr, code, text, got)
	}
}

// inFunction reports whether the instruction is inside a function; addresses
// come in ascending order within a section, sections mostly so.
func (c *comparison) inFunction(addr uint64, n int) bool {
	i, found := slices.BinarySearchFunc(c.bounds, addr, func(s span64, a uint64) int {
		switch {
		case s.end <= a:
			return -1
		case s.start > a:
			return 1
		}
		return 0
	})
	return found && addr+uint64(n) <= c.bounds[i].end
}
