package hook_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

const aliasSource = `
extern "C" {
int compare_all(int x) { return x + 1; }
int cmp(int x) __attribute__((alias("compare_all")));
int other(int x) { return x + 2; }
}
int main(int argc, char **) { return compare_all(argc) + cmp(argc) + other(argc); }
`

// TestNameThatMatched: a function goes by the name that it was asked for; its
// other names are aliases.
func TestNameThatMatched(t *testing.T) {
	im := openImage(t, compileCXX(t, aliasSource))
	for _, c := range []struct {
		patterns []string
		want     string
		aliases  []string
	}{
		{[]string{"cmp"}, "cmp", []string{"compare_all"}},
		{[]string{"compare_all"}, "compare_all", []string{"cmp"}},
		{[]string{"compare*"}, "compare_all", []string{"cmp"}},
		{[]string{"/^comp/"}, "compare_all", []string{"cmp"}},
		{[]string{"c?p*"}, "cmp", []string{"compare_all"}},
		{[]string{"compare_all", "cmp"}, "compare_all", []string{"cmp"}},
	} {
		funcs, err := im.Select(hook.Match{Include: c.patterns, Exclude: []string{"main"}})
		if err != nil || len(funcs) != 1 {
			t.Errorf("%q: %d functions, %v", c.patterns, len(funcs), err)
			continue
		}
		f := funcs[0]
		if f.Name() != c.want || f.DisplayName() != c.want || !slices.Equal(f.Aliases(), c.aliases) {
			t.Errorf("%q: %s, also %q; want %s, %q", c.patterns, f.Name(), f.Aliases(), c.want, c.aliases)
		}
	}
}

const genericSource = `package main

//go:noinline
func Map[T, U any](s []T, f func(T) U) (out []U) {
	for _, x := range s {
		out = append(out, f(x))
	}
	return out
}

type List[T any] struct{ v []T }

//go:noinline
func (l *List[T]) Push(x T) { l.v = append(l.v, x) }

func main() {
	var l List[int]
	l.Push(len(Map([]string{"a"}, func(s string) int { return len(s) })))
	println(len(l.v), len(Map([]int{1}, func(int) string { return "" })))
}
`

// TestGoTypeArguments: [...] stands for type arguments, as in stack traces.
func TestGoTypeArguments(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/main.go", []byte(genericSource), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(testutils.Program(t, "go", "golang"), "build", "-o", dir+"/a", dir+"/main.go").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	im := openImage(t, dir+"/a")
	for pattern, want := range map[string]int{"main.Map[...]": 2, "main.(*List[...]).Push": 1, "main.M*[...]": 2} {
		got := found(t, im, hook.Match{Include: []string{pattern}})
		if len(got) != want {
			t.Errorf("%s finds %q, want %d", pattern, got, want)
		}
	}
	_, err = im.Select(hook.Match{Include: []string{"main.Nap[...]"}})
	var no *hook.NoMatchError
	if !errors.As(err, &no) || !slices.Contains(no.Near, "main.Map[...]") {
		t.Errorf("main.Nap[...]: %v", err)
	}
}

// An executable and its library, which has an IFUNC.
const (
	pickSource = `
int __picked_one(int x) { return x + 1; }
int __picked_two(int x) { return x + 2; }
static int (*pick(void))(int) { return __picked_two; }
int picked(int) __attribute__((ifunc("pick")));
`
	lazySource = `
#include <unistd.h>
int picked(int);
int main(int argc, char **argv) {
	while (read(0, argv[0], 1) == 1) {}
	return argc > 5 ? picked(argc) : 0;
}
`
)

// TestUnboundIFunc: an IFUNC that nobody has called is refused with the
// implementations that there are.
func TestUnboundIFunc(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"pick.c": pickSource, "a.c": lazySource} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", dir + "/libpick.so", dir + "/pick.c"},
		{"-Wl,-z,lazy", "-o", dir + "/a", dir + "/a.c", dir + "/libpick.so"},
	} {
		if out, err := exec.Command(testutils.Program(t, "gcc", "gcc"), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, bound := range []bool{false, true} {
		cmd := exec.Command(dir + "/a")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if bound {
			cmd.Env = append(os.Environ(), "LD_BIND_NOW=1")
		}
		p, err := hook.Start(t.Context(), cmd, nil)
		if err != nil {
			t.Fatal(err)
		}
		sites, refused, err := p.Sites(hook.Match{Include: []string{"libpick:picked"}})
		switch {
		case err != nil:
			t.Error(err)
		case bound && (len(sites) != 1 || sites[0].Function.Name() != "picked"):
			t.Errorf("bound: %d sites, refused %v", len(sites), refused)
		case !bound && (len(refused) != 1 || !strings.Contains(refused[0].Detail, "one of __picked_one, __picked_two") || !strings.Contains(refused[0].Detail, "LD_BIND_NOW=1")):
			t.Errorf("not bound: %d sites, refused %v", len(sites), refused)
		}
		if err := p.Continue(); err != nil {
			t.Error(err)
		}
		in.Close()
		<-p.Done()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		p.Close()
	}
}
