package plan

import (
	"fmt"
	"os/exec"
	"testing"
)

const coldC = `
#include <stdio.h>
#include <stdlib.h>

struct item { int kind, value; };

__attribute__((cold, noinline)) int complain(struct item *it, int n) {
	fprintf(stderr, "unlikely %d %d\n", it->kind, n);
	return it->value;
}

__attribute__((noinline)) int work(struct item *it, int n) {
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(it[i].kind == 77, 0))
			sum += complain(it + i, n) * 3 + sum;
		sum += it[i].value;
	}
	return sum;
}

int main(int argc, char **argv) {
	(void)argv;
	struct item it[4] = {{argc, 1}, {2, 2}, {3, 3}, {4, argc}};
	return work(it, argc);
}
`

func TestColdPart(t *testing.T) {
	path := build(t, "cold.c", coldC, "-O2", "-freorder-blocks-and-partition")
	a := analyze(t, path)
	work := wantTactic(t, a, "work", Window).Func.Addr
	p := wantRefusal(t, a, "work.cold", NotAnEntry)
	if a.Cold != 1 {
		t.Errorf("%d cold parts", a.Cold)
	}
	cold := p.Func.Addr
	if hasPlan(t, a, cold) {
		t.Error("work.cold is in All")
	}

	if out, err := exec.Command("strip", path).CombinedOutput(); err != nil {
		t.Fatalf("strip (Debian package binutils): %v\n%s", err, out)
	}
	a = analyze(t, path)
	if hasPlan(t, a, cold) {
		t.Error("the nameless cold part is in All")
	}
	wantRefusal(t, a, fmt.Sprintf("sub_%x", cold), NotAnEntry)
	wantRefusal(t, a, fmt.Sprintf("sub_%x", a.entry), NeverHook)
	if !hasPlan(t, a, work) {
		t.Error("the nameless function is not in All")
	}
}

func hasPlan(t *testing.T, a *Analysis, addr uint64) bool {
	t.Helper()
	plans, err := a.All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range plans {
		if plans[i].Func.Addr == addr {
			return true
		}
	}
	return false
}
