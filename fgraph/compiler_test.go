package fgraph_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
)

// compileSource keeps a compiler busy with templates, inlining, exceptions and lambdas.
const compileSource = `
#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
template <int N> struct fib { static const long value = fib<N - 1>::value + fib<N - 2>::value; };
template <> struct fib<0> { static const long value = 0; };
template <> struct fib<1> { static const long value = 1; };
std::map<std::string, std::vector<std::function<long(long)>>> table;
long work(const std::string &s)
{
	long sum = fib<40>::value;
	for (size_t at = 0, to; (to = s.find(' ', at)) != s.npos; at = to + 1)
		table[s.substr(at, to - at)].push_back([n = to - at](long x) { if (x < 0) throw std::range_error("x"); return x * n; });
	for (auto &e : table)
		try {
			std::sort(e.second.begin(), e.second.end(), [](auto &a, auto &b) { return a(1) < b(1); });
			for (auto &f : e.second)
				sum += f(sum);
		} catch (const std::exception &x) {
			sum -= std::string(x.what()).size();
		}
	return sum;
}
`

// TestCompiler: the C++ compiler with each of its functions wrapped, and its libraries',
// makes the same of a program as otherwise.
func TestCompiler(t *testing.T) {
	dir := t.TempDir()
	source, inner := filepath.Join(dir, "a.cc"), innerCompiler(t)
	if err := os.WriteFile(source, []byte(compileSource), 0o644); err != nil {
		t.Fatal(err)
	}
	preprocessed := filepath.Join(dir, "a.ii")
	if out, err := exec.Command("g++", "-E", "-o", preprocessed, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := func(out string) *exec.Cmd {
		cmd := exec.Command(inner, "-fpreprocessed", "-quiet", "-O1", "-o", filepath.Join(dir, out), preprocessed)
		cmd.Stderr = os.Stderr
		return cmd
	}
	if err := command("want.s").Run(); err != nil {
		t.Fatal(err)
	}
	cmd := command("got.s")
	m := startMeasured(t, cmd)
	if err := cmd.Wait(); err != nil {
		t.Errorf("with its functions wrapped: %v", err)
	}
	<-m.p.Done()
	sum := requireLaws(t, m.d.Read())
	t.Logf("%d calls: %d returned, %d inflight, %d missed", sum.Calls, sum.Returned, sum.Inflight, sum.Missed)
	if sum.Calls < 10_000_000 || sum.Missed > sum.Calls/1000 {
		t.Errorf("%d calls, %d missed", sum.Calls, sum.Missed)
	}
	want, got := read(t, dir, "want.s"), read(t, dir, "got.s")
	if n := strings.Count(want, "\n"); n < 1000 {
		t.Errorf("the program has only %d lines of assembly", n)
	}
	if want != got {
		t.Errorf("%d bytes of assembly, with its functions wrapped %d, which differ", len(want), len(got))
	}
}

// innerCompiler is the program that g++ runs to compile.
func innerCompiler(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("g++", "-print-prog-name=cc1plus").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// startMeasured starts a program with all its functions wrapped.
func startMeasured(t *testing.T, cmd *exec.Cmd) measured {
	t.Helper()
	p, err := hook.Start(context.Background(), cmd, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); cmd.Process.Kill() })
	d, err := fgraph.Measure(context.Background(), p, sitesOf(t, p, everything(p)), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d functions measured, %d not, %d refused in the running target", len(d.Read()), len(d.NoExit()), len(d.Refused()))
	if err := p.Continue(); err != nil {
		t.Fatal(err)
	}
	return measured{p, d}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
