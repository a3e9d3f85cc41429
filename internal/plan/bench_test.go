package plan

import (
	"os/exec"
	"testing"

	"github.com/functap/functap/internal/symbols"
)

// BenchmarkAnalyze plans every function of a file, opening it included.
func BenchmarkAnalyze(b *testing.B) {
	files := []string{"/lib/x86_64-linux-gnu/libc.so.6", goTool(b)}
	if node, err := exec.LookPath("node"); err == nil {
		files = append(files, node)
	}
	for _, path := range files {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				m, err := symbols.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				a, err := Analyze(m)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := a.All(); err != nil {
					b.Fatal(err)
				}
				m.Close()
			}
		})
	}
}
