package plan

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/functap/functap/internal/symbols"
)

// packages are the Debian packages of the programs whose coverage is asserted.
var packages = map[string]string{
	"/lib/x86_64-linux-gnu/libc.so.6":          "libc6",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6": "libstdc++6",
	"/usr/bin/redis-server":                    "redis-server",
	"/usr/lib/postgresql/15/bin/postgres":      "postgresql-15",
	"/usr/bin/python3.11":                      "python3.11",
}

func TestCoverage(t *testing.T) {
	for path, pkg := range packages {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v (Debian package %s)", err, pkg)
			continue
		}
		checkCoverage(t, path)
	}
	checkCoverage(t, goTool(t))
	for _, path := range optional() {
		checkCoverage(t, path)
	}
}

// Functions of libc with a branch into their first five bytes: loops of their own,
// and an entry in the middle that __mempcpy uses.
func TestRealBranchesIntoWindow(t *testing.T) {
	a := analyze(t, "/lib/x86_64-linux-gnu/libc.so.6")
	for _, name := range []string{"sem_trywait", "pthread_rwlock_tryrdlock", "memcpy@GLIBC_2.2.5"} {
		p := planOf(t, a, name)
		if p.Reason != JumpIntoWindow && p.Tactic != Short {
			t.Errorf("%s: %v %s", name, p.Tactic, p.Reason)
		}
	}
}

func TestCoverageCounts(t *testing.T) {
	c := Cover([]Plan{
		{Func: symbols.Func{Size: 5}, Tactic: Window},
		{Func: symbols.Func{Size: 9}, Tactic: Short},
		{Func: symbols.Func{Size: 9}, Tactic: Window},
		{Func: symbols.Func{Size: 50}, Reason: CrossesPage},
		{Func: symbols.Func{Size: 4}, Tactic: Padding},
		{Func: symbols.Func{Size: 4}, Reason: TooShort},
		{Func: symbols.Func{Size: 50}, Reason: NeverHook},
		{Func: symbols.Func{Size: 50}, Reason: Assembly},
		{Func: symbols.Func{Size: 50}, Reason: IFuncResolver},
	})
	want := Coverage{Total: 9, NeverHook: 1, Assembly: 1, IFuncs: 1, Sized: 4, Hookable: 3, Short: 2, ShortHookable: 1,
		Reasons: map[Refusal]int{CrossesPage: 1, TooShort: 1, NeverHook: 1, Assembly: 1, IFuncResolver: 1},
		Tactics: map[Tactic]int{Window: 2, Short: 1, Padding: 1}}
	if diff := cmp.Diff(want, c); diff != "" || c.Percent() != 75 {
		t.Errorf("%.1f%%\n%s", c.Percent(), diff)
	}
}

// optional are big programs in Rust, C++ and Go, where somebody has them.
func optional() []string {
	home, _ := os.UserHomeDir()
	found, _ := filepath.Glob(filepath.Join(home, ".rustup/toolchains/stable-*/bin/cargo"))
	for _, name := range []string{"node", "dlv"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	return found
}

func checkCoverage(t *testing.T, path string) {
	t.Helper()
	m, err := symbols.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer m.Close()
	start := time.Now()
	a, err := Analyze(m)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	plans, err := a.All()
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	c := Cover(plans)
	t.Logf("%s: %.2f%% of %d (%d shorter: %d hookable), %d cold, %v, tactics %v, reasons %v", filepath.Base(path),
		c.Percent(), c.Sized, c.Short, c.ShortHookable, a.Cold, time.Since(start).Round(time.Millisecond), c.Tactics, c.Reasons)
	if c.Percent() < 99.5 {
		t.Errorf("%s: %.2f%% of the functions can be hooked", path, c.Percent())
	}
	logRefused(t, plans)
	checkDisjoint(t, plans)
}

func logRefused(t *testing.T, plans []Plan) {
	for i := range plans {
		p := &plans[i]
		if !p.Hookable() && p.Func.Size >= longJump && p.Reason != NeverHook && p.Reason != Assembly && p.Reason != IFuncResolver {
			t.Logf("  %s (%d bytes): %s %s", p.Func.Name, p.Func.Size, p.Reason, p.Detail)
		}
	}
}

// checkDisjoint asserts what makes plans safe to use together: no byte is
// overwritten for two functions, none crosses a page, windows are whole.
func checkDisjoint(t *testing.T, plans []Plan) {
	t.Helper()
	owner := make(map[uint64]string)
	claim := func(p *Plan, at, n uint64) {
		if at/pageSize != (at+n-1)/pageSize {
			t.Errorf("%s: %d bytes at %#x cross a page", p.Func.Name, n, at)
		}
		for b := at; b < at+n; b++ {
			if other := owner[b]; other != "" {
				t.Errorf("%s and %s both overwrite %#x", other, p.Func.Name, b)
			}
			owner[b] = fmt.Sprintf("%s(%v)", p.Func.Name, p.Tactic)
		}
	}
	for i := range plans {
		p := &plans[i]
		if !p.Hookable() {
			continue
		}
		claim(p, p.Site, uint64(p.Patch))
		if p.Tactic == Short {
			claim(p, p.Hole, longJump)
		}
		if (p.Tactic == Padding) != (p.Window < p.Patch) || p.Window == 0 {
			t.Errorf("%s: %v with window %d, patch %d", p.Func.Name, p.Tactic, p.Window, p.Patch)
		}
	}
}
