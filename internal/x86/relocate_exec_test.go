package x86

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// execCase is a window of testdata/exec/cases.S as linked at some address.
type execCase struct {
	name       string
	from, size uint64
}

// image is cases.S linked at one address.
type image struct {
	addr  uint64
	bytes []byte
	syms  map[string]uint64
	cases []execCase
}

// far is near the end of what a 32-bit displacement reaches.
const far = 1900 << 20

// TestRelocatedCodeRuns runs every window of cases.S where it was linked and
// as copies near and far from there, from its start and from every boundary
// back into the original: registers, flags and memory must come out the same.
func TestRelocatedCodeRuns(t *testing.T) {
	dir := t.TempDir()
	runner := filepath.Join(dir, "runner")
	build(t, "gcc", "cc", "-O1", "-Wall", "-o", runner, "testdata/exec/runner.c")
	object := filepath.Join(dir, "cases.o")
	build(t, "binutils", "as", "-o", object, "testdata/exec/cases.S")
	for _, l := range []struct {
		what   string
		at     uint64
		copies []int64 // from the image to the copies
	}{
		{"return addresses of 31 bits", 0x400000, []int64{1 << 20, far}},
		{"return addresses of 32 bits", 0xc0000000, []int64{-far, 1 << 20}},
		{"return addresses of 47 bits", 0x654300000000, []int64{-far, 1 << 20, far}},
	} {
		t.Run(l.what, func(t *testing.T) {
			img := link(t, object, l.at)
			input, copies := img.runnerInput(t, l.copies)
			cmd := exec.Command(runner)
			cmd.Stdin = bytes.NewReader(input)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("runner: %v\n%s", err, failures(out))
			}
			checkRuns(t, img.cases, copies, out)
		})
	}
}

func build(t *testing.T, pkg string, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v (Debian package %s): %v\n%s", args, pkg, err, out)
	}
}

func link(t *testing.T, object string, at uint64) image {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cases")
	build(t, "binutils", "ld", "--no-warn-rwx-segments", "-N", "-e", "stop", fmt.Sprintf("-Ttext=%#x", at), "-o", name, object)
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img := image{addr: f.Progs[0].Vaddr, syms: map[string]uint64{}, bytes: make([]byte, f.Progs[0].Filesz)}
	if _, err := f.Progs[0].ReadAt(img.bytes, 0); err != nil {
		t.Fatal(err)
	}
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		img.syms[s.Name] = s.Value
	}
	img.findCases()
	return img
}

func (img *image) findCases() {
	avx512 := cpuHas("avx512f") && cpuHas("avx512vl") && cpuHas("avx512bw")
	for s, from := range img.syms {
		name, ok := strings.CutPrefix(s, "case_")
		if ok && (avx512 || !strings.HasPrefix(name, "evex_")) {
			img.cases = append(img.cases, execCase{name, from, img.syms["end_"+name] - from})
		}
	}
	sort.Slice(img.cases, func(i, j int) bool { return img.cases[i].from < img.cases[j].from })
}

func cpuHas(flag string) bool {
	b, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && bytes.Contains(b, []byte(" "+flag+" "))
}

func (img *image) code(c execCase) []byte {
	return img.bytes[c.from-img.addr:][:c.size]
}

// runnerInput is what runner.c reads: the memory to map (image, stack, one
// block of copies a place), the addresses it must know, and the cases. It also
// returns every copy by case and place.
func (img *image) runnerInput(t *testing.T, places []int64) ([]byte, map[string][]Relocated) {
	t.Helper()
	copies := map[string][]Relocated{}
	blocks := make([][]byte, len(places))
	var regions, cases words
	regions.put(uint64(2 + len(blocks)))
	regions.block(img.addr, img.bytes)
	regions.block(img.addr+0x10000, bytes.Repeat([]byte{0xab}, 4096))
	for _, c := range img.cases {
		options := []RelocateOptions{{}}
		if strings.HasPrefix(c.name, "self_") {
			options = append(options, RelocateOptions{SelfToCopy: true})
		}
		cases.name(c.name)
		cases.put(c.from, c.size, uint64(len(blocks)*len(options)))
		for i := range blocks {
			for _, o := range options {
				to := img.addr + uint64(places[i]) + uint64(len(blocks[i]))
				r, err := Relocate(img.code(c), c.from, to, o)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				blocks[i] = append(append(blocks[i], r.Bytes...), 0xcc, 0xcc, 0xcc)
				copies[c.name] = append(copies[c.name], r)
				cases.copy(to, r)
			}
		}
	}
	for i, b := range blocks {
		regions.block(img.addr+uint64(places[i]), b)
	}
	regions.put(img.syms["stop"], img.syms["data"], img.syms["table"], uint64(len(img.cases)))
	return append(regions.b, cases.b...), copies
}

// words is a buffer of little-endian words.
type words struct{ b []byte }

func (w *words) put(vs ...uint64) {
	for _, v := range vs {
		w.b = binary.LittleEndian.AppendUint64(w.b, v)
	}
}

func (w *words) block(addr uint64, b []byte) {
	w.put(addr, uint64(len(b)))
	w.b = append(w.b, b...)
}

func (w *words) name(s string) {
	w.b = append(w.b, append([]byte(s), make([]byte, 32-len(s))...)...)
}

func (w *words) copy(to uint64, r Relocated) {
	w.put(to, uint64(len(r.Bytes)), uint64(len(r.Moved)))
	for _, m := range r.Moved {
		w.put(m.Copy, m.Orig, uint64(m.Pop))
	}
}

// failures is the first of what the runner complained about.
func failures(out []byte) string {
	var lines []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "FAIL") && len(lines) < 40 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// dead are the offsets in windows, from and up to, of code that nothing runs:
// jumped over, or behind a call, which returns to the original.
var dead = map[string][2]uint64{
	"jmp8":        {2, 9},
	"jmp8_inside": {2, 14},
	"call_middle": {5, 10},
	"call_inside": {5, 7},
}

func isDead(c execCase, m Moved) bool {
	d := dead[c.name]
	off := m.Orig - c.from
	return off >= d[0] && off < d[1]
}

// checkRuns checks that the runs took both ways of every branch and got to
// every boundary of every copy.
func checkRuns(t *testing.T, cases []execCase, copies map[string][]Relocated, out []byte) {
	t.Helper()
	outcomes, reached := map[string]int{}, map[string]int{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		var name string
		var place, boundary, n int
		if _, err := fmt.Sscanf(s.Text(), "outcomes %s %d", &name, &n); err == nil {
			outcomes[name] = n
		}
		if _, err := fmt.Sscanf(s.Text(), "reached %s %d %d %d", &name, &place, &boundary, &n); err == nil {
			reached[fmt.Sprint(name, " ", place, " ", boundary)] = n
		}
	}
	for _, c := range cases {
		conditional := strings.HasPrefix(c.name, "jcc") || strings.HasPrefix(c.name, "cx_")
		if n := outcomes[c.name]; n == 0 || conditional && n < 2 {
			t.Errorf("%s: %d outcomes", c.name, n)
		}
		for place, r := range copies[c.name] {
			for k, m := range r.Moved {
				n := reached[fmt.Sprint(c.name, " ", place, " ", k)]
				if (n == 0) != isDead(c, m) {
					t.Errorf("%s, copy %d: boundary %d reached %d times", c.name, place, k, n)
				}
			}
		}
	}
}
