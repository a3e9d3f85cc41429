package hook_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

func openImage(t testing.TB, path string) *hook.Image {
	t.Helper()
	im, err := hook.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	return im
}

// found are the display names of what a choice finds.
func found(t testing.TB, im *hook.Image, m hook.Match) []string {
	t.Helper()
	funcs, err := im.Select(m)
	if err != nil {
		t.Fatalf("%q: %v", m, err)
	}
	var out []string
	for _, f := range funcs {
		out = append(out, f.DisplayName())
	}
	return out
}

const patternSource = `
#include <vector>
namespace shop {
struct cart { int n; int price(int item, char *name); int price(); bool operator()(int) const; explicit operator bool() const; };
__attribute__((noinline)) int cart::price(int item, char *) { return n += item; }
__attribute__((noinline)) int cart::price() { return n++; }
__attribute__((noinline)) bool cart::operator()(int x) const { return x == n; }
__attribute__((noinline)) cart::operator bool() const { return n; }
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
}
extern "C" { int plain_c(int x) { return x; } int plain_d(int x) { return x + 1; } int star_x(int x) { return x + 2; } }
int main(int argc, char **argv) {
  shop::cart c{argc};
  return c.price(1, argv[0]) + c.price() + c(2) + bool(c) + shop::twice(argc) + int(shop::twice(1.5 * argc)) + plain_c(1) + plain_d(1) + star_x(1);
}
`

func compileCXX(t *testing.T, source string) string {
	t.Helper()
	gxx := testutils.Program(t, "g++", "g++")
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a.cc", []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(gxx, "-O1", "-o", dir+"/a", dir+"/a.cc").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir + "/a"
}

func TestPatterns(t *testing.T) {
	im := openImage(t, compileCXX(t, patternSource))
	with, without := "shop::cart::price(int, char*)", "shop::cart::price()"
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"plain_c", []string{"plain_c"}},
		{"plain_?", []string{"plain_c", "plain_d"}},
		{"plain_[!c]", []string{"plain_d"}},
		{"pl*_[a-c]", []string{"plain_c"}},
		{`/^plain_[cd]$/`, []string{"plain_c", "plain_d"}},
		{"shop::cart::price", []string{with, without}},
		{"shop::cart::price()", []string{without}},
		{"shop::cart::price(int,char *)", []string{with}},
		{"_ZN4shop4cart5priceEv", []string{without}},
		{"shop::cart::price(*", []string{with, without}},
		{"*cart::pri*", []string{with, without}},
		{"*::price(int*", []string{with}},
		{"shop::cart::operator()", []string{"shop::cart::operator()(int) const"}},
		{"shop::cart::operator bool", []string{"shop::cart::operator bool() const"}},
		{"*operator*", []string{"shop::cart::operator()(int) const", "shop::cart::operator bool() const"}},
		{"shop::twice<int>", []string{"int shop::twice<int>(int)"}},
		{"*twice<*", []string{"int shop::twice<int>(int)", "double shop::twice<double>(double)"}},
		{"a:plain_c", []string{"plain_c"}},
		{"?:shop::cart::price()", []string{without}},
		{`star\_x`, []string{"star_x"}},
	} {
		got := found(t, im, hook.Match{Include: []string{c.pattern}})
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q instead of %q", c.pattern, got, c.want)
		}
	}
}

func TestMatchCombines(t *testing.T) {
	im := openImage(t, compileCXX(t, patternSource))
	got := found(t, im, hook.Match{Include: []string{"plain_*", "plain_c", "shop::cart::price"}, Exclude: []string{"plain_d", "*price()", "no_such"}})
	slices.Sort(got)
	if want := []string{"plain_c", "shop::cart::price(int, char*)"}; !slices.Equal(got, want) {
		t.Errorf("%q instead of %q", got, want)
	}
	funcs, err := im.Select(hook.Match{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(funcs, func(a, b *hook.Function) int { return int(int64(a.Addr()) - int64(b.Addr())) }) {
		t.Error("not in the order of addresses")
	}
}

func TestMatchErrors(t *testing.T) {
	im := openImage(t, compileCXX(t, patternSource))
	for _, c := range []struct {
		pattern string
		is      error
		says    string
	}{
		{"plain_cc", hook.ErrNoMatch, "near names: plain_c, plain_d"},
		{"PRICE", hook.ErrNoMatch, "shop::cart::price"},
		{"nothing*", hook.ErrNoMatch, ""},
		{"/nothing/", hook.ErrNoMatch, ""},
		{"libz:plain_c", hook.ErrNoMatch, "no module is called libz"},
		{"a:nothing", hook.ErrNoMatch, ""},
		{"a.cc:plain_c", hook.ErrNoDebugInfo, "source file"},
		{"plain_[c", hook.ErrBadPattern, "no ]"},
		{"/(/", hook.ErrBadPattern, "missing closing"},
		{"0xzz", hook.ErrBadPattern, "hexadecimal"},
		{"0x10", hook.ErrNoMatch, "no function"},
		{"", hook.ErrBadPattern, "empty"},
		{`plain\`, hook.ErrBadPattern, "nothing follows"},
	} {
		_, err := im.Select(hook.Match{Include: []string{c.pattern}})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v; want %v and %q", c.pattern, err, c.is, c.says)
		}
	}
	if _, err := im.Select(hook.Match{Include: []string{"plain_c"}, Exclude: []string{"plain*"}}); !errors.Is(err, hook.ErrNoMatch) {
		t.Errorf("everything excluded: %v", err)
	}
}

func TestAddressPattern(t *testing.T) {
	im := openImage(t, testutils.Build(t, "count.c", testutils.CET))
	all, err := im.Select(hook.Match{Include: []string{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	addr := all[0].Addr()
	for off, ok := range map[uint64]bool{0: true, 4: true, 1: false, 5: false} {
		got, err := im.Select(hook.Match{Include: []string{hex(addr + off)}})
		switch {
		case ok && (err != nil || got[0].Name() != "main"):
			t.Errorf("main+%d: %v, %v", off, got, err)
		case !ok && (!errors.Is(err, hook.ErrNoMatch) || !strings.Contains(err.Error(), "main+"+hex(off))):
			t.Errorf("main+%d: %v", off, err)
		}
	}
}

func hex(n uint64) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return "0x" + digits[n:n+1]
	}
	return hex(n/16) + digits[n%16:n%16+1]
}

// The literal name of a Go method has characters that are special in globs.
func TestGoNames(t *testing.T) {
	im := openImage(t, testutils.Program(t, "go", "golang"))
	for _, p := range []string{"sync.(*Mutex).Lock", "sync.(?Mutex).Lock", "go:sync.(*Mutex).Lock"} {
		if got := found(t, im, hook.Match{Include: []string{p}}); !slices.Contains(got, "sync.(*Mutex).Lock") || len(got) != 1 {
			t.Errorf("%s: %q", p, got)
		}
	}
}

// A name that a demangler makes up must not be looked for in the symbol.
func TestEveryDemangledNameIsFound(t *testing.T) {
	im := openImage(t, libstdcxx(t))
	funcs, err := im.Select(hook.Match{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, f := range funcs {
		if f.DisplayName() == f.Name() || i%29 != 0 {
			continue
		}
		n++
		got, err := im.Select(hook.Match{Include: []string{f.DisplayName()}})
		if err != nil || !slices.ContainsFunc(got, func(g *hook.Function) bool { return g.Addr() == f.Addr() }) {
			t.Errorf("%s (%s): not found: %v", f.DisplayName(), f.Name(), err)
		}
	}
	if n < 50 {
		t.Errorf("only %d C++ names were tried", n)
	}
}

func libstdcxx(t testing.TB) string {
	t.Helper()
	gxx := testutils.Program(t, "g++", "g++")
	out, err := exec.Command(gxx, "-print-file-name=libstdc++.so.6").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func BenchmarkGlob(b *testing.B) {
	im := openImage(b, testutils.Program(b, "go", "golang"))
	if _, err := im.Functions(); err != nil {
		b.Fatal(err)
	}
	begin, n := time.Now(), 0
	for b.Loop() {
		if _, err := im.Select(hook.Match{Include: []string{"*Mutex*Lock*"}}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	funcs, _ := im.Functions()
	b.ReportMetric(float64(time.Since(begin).Nanoseconds())/float64(n)/float64(len(funcs)), "ns/name")
}
