package symbols

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// oracle is what binutils say about a file.
type oracle struct {
	names  map[uint64][]string // defined FUNC and IFUNC symbols in executable segments
	sizes  map[uint64][]uint64
	ifuncs map[uint64]bool
	fdes   []span
	plt    []span
}

func hexNumber(t testing.TB, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// readelfOracle asks readelf about path; symbols may come from a debug file.
func readelfOracle(t testing.TB, m *Module, path, symbolsPath string) *oracle {
	t.Helper()
	o := &oracle{names: map[uint64][]string{}, sizes: map[uint64][]uint64{}, ifuncs: map[uint64]bool{}}
	o.addSymbols(t, m, run(t, "binutils", "readelf", "-sW", path))
	if symbolsPath != path {
		o.addSymbols(t, m, run(t, "binutils", "readelf", "-sW", symbolsPath))
	}
	frames := run(t, "binutils", "readelf", "--debug-dump=frames,no-follow-links", path)
	for _, f := range regexp.MustCompile(`FDE cie=\S+ pc=([0-9a-f]+)\.\.([0-9a-f]+)`).FindAllStringSubmatch(frames, -1) {
		if s := (span{hexNumber(t, f[1]), hexNumber(t, f[2])}); s.lo < s.hi {
			o.fdes = append(o.fdes, s)
		}
	}
	slices.SortFunc(o.fdes, func(a, b span) int { return cmpUint(a.lo, b.lo) })
	sections := run(t, "binutils", "readelf", "-SW", path)
	for _, f := range regexp.MustCompile(`\] \.plt\S* +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)`).FindAllStringSubmatch(sections, -1) {
		at := hexNumber(t, f[1])
		o.plt = append(o.plt, span{at, at + hexNumber(t, f[2])})
	}
	return o
}

// addSymbols reads lines "Num: Value Size Type Bind Vis Ndx Name".
func (o *oracle) addSymbols(t testing.TB, m *Module, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 8 || f[3] != "FUNC" && f[3] != "IFUNC" || f[6] == "UND" || f[6] == "ABS" {
			continue
		}
		at := hexNumber(t, f[1])
		if _, ok := m.segs.exec(at); !ok {
			continue
		}
		size, err := strconv.ParseUint(f[2], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		o.names[at] = append(o.names[at], f[7])
		o.sizes[at] = append(o.sizes[at], size)
		o.ifuncs[at] = o.ifuncs[at] || f[3] == "IFUNC"
	}
}

// fdeAt is the end of the range that starts at addr, 0 if none does.
func (o *oracle) fdeAt(addr uint64) uint64 {
	for _, f := range o.fdes {
		if f.lo == addr {
			return f.hi
		}
	}
	return 0
}

// checkFunctions compares the whole set of functions with the oracle's.
func checkFunctions(t *testing.T, m *Module, o *oracle) {
	t.Helper()
	var named int
	covered := uint64(0)
	for _, f := range functions(t, m) {
		covered = checkFunction(t, o, f, covered)
		if f.Source != EhFrame {
			named++
		}
	}
	if named != len(o.names) {
		t.Errorf("%d named functions, readelf has %d addresses", named, len(o.names))
	}
	checkCoverage(t, m, o)
}

func checkFunction(t *testing.T, o *oracle, f Func, covered uint64) uint64 {
	t.Helper()
	fde := o.fdeAt(f.Addr)
	if f.Source == EhFrame {
		if fde == 0 || f.Addr < covered || within(o.plt, f.Addr) || o.names[f.Addr] != nil {
			t.Errorf("%s: range %#x, covered to %#x, symbols %v", f.Name, fde, covered, o.names[f.Addr])
		}
		return max(covered, f.End())
	}
	for _, name := range o.names[f.Addr] {
		// readelf writes a version of .dynsym as name@VERSION or name@@VERSION.
		base, version, _ := splitVersion(name)
		if !f.Has(base) || version != "" && !f.Has(base+"@"+version) {
			t.Errorf("function at %#x is %q %q and lacks %q", f.Addr, f.Name, f.Aliases, name)
		}
	}
	if len(o.names[f.Addr]) == 0 {
		t.Errorf("%s at %#x is not in readelf's symbols", f.Name, f.Addr)
	}
	if f.IFunc != o.ifuncs[f.Addr] {
		t.Errorf("%s: IFunc is %v", f.Name, f.IFunc)
	}
	if f.SizeKnown && fde != f.End() && !slices.Contains(o.sizes[f.Addr], f.Size) && !endsAtRange(o, f) {
		t.Errorf("%s: size %#x, symbols say %#x, range ends at %#x", f.Name, f.Size, o.sizes[f.Addr], fde)
	}
	return max(covered, f.End())
}

// endsAtRange allows a function without size inside a range that begins earlier, as
// hand-written signal trampolines are, to end where that range does.
func endsAtRange(o *oracle, f Func) bool {
	return slices.Max(append(o.sizes[f.Addr], 0)) == 0 &&
		slices.ContainsFunc(o.fdes, func(s span) bool { return s.lo < f.Addr && s.hi == f.End() })
}

// checkCoverage wants each unwind range outside the PLT to begin in a function, or to
// be a byte or so of padding before one.
func checkCoverage(t *testing.T, m *Module, o *oracle) {
	t.Helper()
	funcs := functions(t, m)
	for _, r := range o.fdes {
		i, found := slices.BinarySearchFunc(funcs, r.lo, func(f Func, addr uint64) int { return cmpUint(f.Addr, addr) })
		inside := found || i > 0 && funcs[i-1].End() > r.lo
		before := i < len(funcs) && funcs[i].Addr < r.hi
		if !inside && !before && !within(o.plt, r.lo) {
			t.Errorf("range %#x..%#x is in no function", r.lo, r.hi)
		}
	}
}

// debugFileOf is where Debian's debug package for path puts its symbols.
func debugFileOf(m *Module) string {
	x := hex.EncodeToString(m.BuildID())
	if x == "" {
		return ""
	}
	return filepath.Join(debugRoot, ".build-id", x[:2], x[2:]+".debug")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestFunctionsAgainstReadelf(t *testing.T) {
	for _, c := range []struct {
		name string
		path func(t *testing.T) string
	}{
		{"libstdc++", func(t *testing.T) string { return library(t, "libstdc++.so.6") }},
		{"ld.so", func(t *testing.T) string { return library(t, "ld-linux-x86-64.so.2") }},
		{"libcrypto", func(t *testing.T) string { return library(t, "libcrypto.so.3") }},
		{"redis-server", func(t *testing.T) string { return program(t, "redis-server", "redis-server") }},
		{"python3", func(t *testing.T) string { return program(t, "/usr/bin/python3", "python3") }},
		{"C", func(t *testing.T) string { return compile(t, "gcc", "gcc", "p.c", cSource, "-O2") }},
		{"C non-PIE", func(t *testing.T) string { return compile(t, "gcc", "gcc", "p.c", cSource, "-O2", "-no-pie") }},
		{"C static", func(t *testing.T) string { return compile(t, "gcc", "gcc", "p.c", cSource, "-O2", "-static") }},
		{"C static PIE", func(t *testing.T) string { return compile(t, "gcc", "gcc", "p.c", cSource, "-static-pie") }},
		{"C stripped PIE", func(t *testing.T) string {
			return stripped(t, compile(t, "gcc", "gcc", "p.c", cSource, "-O2", "-pie"))
		}},
		{"C CET", func(t *testing.T) string {
			return compile(t, "gcc", "gcc", "p.c", cSource, "-O2", "-fcf-protection", "-Wl,-z,ibtplt")
		}},
		{"musl static", func(t *testing.T) string {
			return compile(t, "musl-tools", "musl-gcc", "p.c", cSource, "-O2", "-static")
		}},
		{"C++", func(t *testing.T) string { return compile(t, "g++", "g++", "p.cc", cxxSource, "-O2") }},
		{"C++ stripped", func(t *testing.T) string {
			return stripped(t, compile(t, "g++", "g++", "p.cc", cxxSource, "-O2"))
		}},
		{"Rust", func(t *testing.T) string { return rustBuild(t) }},
		{"Rust stripped", func(t *testing.T) string { return stripped(t, rustBuild(t)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.path(t)
			m := open(t, path)
			symbolsPath := path
			if debug := debugFileOf(m); m.section(".symtab") == nil && exists(debug) {
				symbolsPath = debug
			}
			checkFunctions(t, m, readelfOracle(t, m, path, symbolsPath))
		})
	}
}

// TestDebugPackage wants the names of libc6-dbg for the C library.
func TestDebugPackage(t *testing.T) {
	path := library(t, "libc.so.6")
	m := open(t, path)
	debug := debugFileOf(m)
	open := program(t, debug, "libc6-dbg")
	checkFunctions(t, m, readelfOracle(t, m, path, open))
	if f, err := m.Lookup("_int_malloc"); err != nil || len(f) != 1 || f[0].Source != Symtab {
		t.Errorf("_int_malloc: %v, %v", f, err)
	}
}

// program is an installed file, links followed.
func program(t testing.TB, name, pkg string) string {
	t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = testutils.Program(t, name, pkg)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatalf("%v: install the Debian package %s", err, pkg)
	}
	return real
}

func TestBuildID(t *testing.T) {
	for _, path := range []string{
		library(t, "libc.so.6"), library(t, "libstdc++.so.6"), program(t, "redis-server", "redis-server"),
		compile(t, "gcc", "gcc", "p.c", cSource, "-Wl,--build-id=md5"),
	} {
		out := run(t, "binutils", "readelf", "-n", path)
		want := regexp.MustCompile(`Build ID: ([0-9a-f]+)`).FindStringSubmatch(out)
		if got := hex.EncodeToString(open(t, path).BuildID()); want == nil || got != want[1] {
			t.Errorf("%s: build-id %s, readelf says %v", path, got, want)
		}
	}
	none := compile(t, "gcc", "gcc", "p.c", cSource, "-Wl,--build-id=none")
	if id := open(t, none).BuildID(); id != nil {
		t.Errorf("build-id %x of a file without", id)
	}
}
