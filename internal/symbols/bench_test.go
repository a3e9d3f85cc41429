package symbols

import "testing"

// goTool is the largest program that every machine that runs the tests has.
func goTool(b *testing.B) string { return program(b, "go", "golang-go") }

func BenchmarkOpen(b *testing.B) {
	path := goTool(b)
	for b.Loop() {
		m, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

func BenchmarkFunctions(b *testing.B) {
	for name, path := range map[string]string{"go": goTool(b), "libstdc++": library(b, "libstdc++.so.6")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m := open(b, path)
				functions(b, m)
			}
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	path := library(b, "libstdc++.so.6")
	for b.Loop() {
		m, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if found, err := m.Lookup("_ZNSsC1Ev"); err != nil || len(found) != 1 {
			b.Fatal(found, err)
		}
		m.Close()
	}
}
