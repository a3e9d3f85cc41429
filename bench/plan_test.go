package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

// planned are files of very different kinds; node, cargo and dlv where they are installed,
// as they are in no Debian package that the tests need.
func planned(b *testing.B) map[string]string {
	goTool := testutils.Program(b, "go", "golang")
	files := map[string]string{
		"redis-server": testutils.Program(b, "redis-server", "redis-server"),
		"postgres":     testutils.Program(b, "postgres", "postgresql"),
		"python3":      testutils.Program(b, "/usr/bin/python3", "python3"),
		"go":           goTool,
	}
	for _, name := range []string{"node", "dlv", "cargo"} {
		if path, err := exec.LookPath(name); err == nil {
			files[name] = path
		}
	}
	// rustup puts a switch in the place of cargo; the program is in its toolchain.
	if real, _ := filepath.Glob(os.ExpandEnv("$HOME/.rustup/toolchains/*/bin/cargo")); len(real) > 0 {
		files["cargo"] = real[0]
	}
	for _, lib := range []string{"libc.so.6", "libstdc++.so.6"} {
		found, err := filepath.Glob("/lib/x86_64-linux-gnu/" + lib)
		if err != nil || len(found) != 1 {
			found, _ = filepath.Glob("/usr/lib/x86_64-linux-gnu/" + lib)
		}
		if len(found) != 1 {
			b.Fatalf("%s was not found: install the Debian packages libc6 and libstdc++6", lib)
		}
		files[lib] = found[0]
	}
	return files
}

// BenchmarkPlan measures how long it takes to judge every function of a file, and which
// share of those of 5 bytes and more can be hooked.
func BenchmarkPlan(b *testing.B) {
	for name, path := range planned(b) {
		b.Run(strings.TrimSuffix(name, ".6"), func(b *testing.B) {
			var times []time.Duration
			var hookable, long int
			for range repeats {
				began := time.Now()
				hookable, long = judge(b, path)
				times = append(times, time.Since(began))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(median(times)), "plan-ms")
			b.ReportMetric(float64(long), "functions")
			b.ReportMetric(100*float64(hookable)/float64(long), "hookable-%")
		})
	}
}

// beside are the reasons that stand outside of the share: parts that are no functions, and those never to be
// hooked, whatever their code is.
var beside = []string{"NEVER_HOOK", "ASSEMBLY", "IFUNC_RESOLVER", "NOT_AN_ENTRY"}

// judge counts the functions of 5 bytes and more, and the hookable ones among them.
func judge(b *testing.B, path string) (hookable, long int) {
	b.Helper()
	im, err := hook.OpenFile(path)
	if err != nil {
		b.Fatal(err)
	}
	defer im.Close()
	funcs, err := im.Functions()
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range funcs {
		_, err := f.Site()
		if f.Size() < 5 || f.Nameless() || slices.Contains(beside, reason(b, err)) {
			continue
		}
		long++
		if err == nil {
			hookable++
		}
	}
	return hookable, long
}

func reason(b *testing.B, err error) string {
	b.Helper()
	if err == nil {
		return ""
	}
	refused, ok := err.(*hook.UnpatchableError)
	if !ok {
		b.Fatal(err)
	}
	return string(refused.Reason)
}
