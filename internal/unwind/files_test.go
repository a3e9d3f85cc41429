package unwind

import (
	"debug/elf"
	"testing"

	"github.com/functap/functap/internal/symbols"
)

// Libraries of Debian 12.
const (
	libcPath      = "/lib/x86_64-linux-gnu/libc.so.6"
	libstdcxxPath = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"
	libgccPath    = "/lib/x86_64-linux-gnu/libgcc_s.so.1"
)

func open(t *testing.T, path string) *symbols.Module {
	t.Helper()
	m, err := symbols.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// ehFrame is a file's .eh_frame section.
func ehFrame(t *testing.T, m Module) (at uint64, b []byte) {
	t.Helper()
	f, err := elf.Open(m.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".eh_frame")
	if b, err = s.Data(); err != nil {
		t.Fatal(err)
	}
	return s.Addr, b
}
