package plan

import (
	"bytes"
	"os"
	"testing"

	"github.com/functap/functap/internal/symbols"
)

// FuzzAnalyze changes bytes of small real files: an analysis ends with an error or
// with plans that fit the file, whatever the file says.
func FuzzAnalyze(f *testing.F) {
	for _, path := range []string{
		build(f, "victim.s", macros+looper("f")+body("g", 2)+".p2align 4\n", "-shared", "-nostdlib"),
		build(f, "cold.c", coldC, "-O2"),
		build(f, "cold.c", coldC, "-O2", "-no-pie", "-s"),
	} {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := symbols.New("fuzz", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		a, err := Analyze(m)
		if err != nil {
			return
		}
		plans, err := a.All()
		if err != nil {
			return
		}
		checkDisjoint(t, plans)
		for i := range a.funcs {
			a.Function(a.funcs[i])
		}
	})
}
