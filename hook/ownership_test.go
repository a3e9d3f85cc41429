package hook

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
)

// TestOwnership: ordinary programs take the quick check, those that move a
// thread's FS base do not.
func TestOwnership(t *testing.T) {
	for _, c := range []struct {
		source  string
		variant testutils.Variant
		args    []string
		tls, m  bool
	}{
		{"count.c", testutils.CDynamic, []string{"1"}, true, false},
		{"count.c", testutils.CStatic, []string{"1"}, true, false},
		{"count.c", testutils.CMuslStatic, []string{"1"}, true, false},
		{"count.cc", testutils.CXX, []string{"1"}, true, false},
		{"count.rs", testutils.Rust, []string{"1"}, true, false},
		{"count.go", testutils.Go, []string{"1"}, true, true},
		{"count.go", testutils.GoCgo, []string{"1"}, true, false},
		{"rawclone.c", testutils.CDynamic, []string{"1"}, false, false},
	} {
		t.Run(c.source+" "+c.variant.Name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			p, err := Attach(context.Background(), v.PID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			tls, m := p.ownership()
			if tls != c.tls || m != c.m {
				t.Errorf("by the TLS word %v, by m %v; want %v, %v", tls, m, c.tls, c.m)
			}
			v.Quit()
		})
	}
}

func TestHasBaseWrite(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		want bool
	}{
		{"wrfsbase rax", []byte{0x90, 0xf3, 0x48, 0x0f, 0xae, 0xd0}, true},
		{"wrfsbase r9d", []byte{0xf3, 0x41, 0x0f, 0xae, 0xd1}, true},
		{"wrfsbase edx", []byte{0xf3, 0x0f, 0xae, 0xd2}, true},
		{"rdfsbase rax", []byte{0xf3, 0x48, 0x0f, 0xae, 0xc0}, false},
		{"wrgsbase rax", []byte{0xf3, 0x48, 0x0f, 0xae, 0xd8}, false},
		{"ldmxcsr", []byte{0x0f, 0xae, 0x10}, false},
	} {
		if got := hasBaseWrite(c.code, wrfsbase); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestLibrariesKeepFS: the libraries that most programs have do not rule the
// quick check out.
func TestLibrariesKeepFS(t *testing.T) {
	for _, path := range []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"} {
		m, err := symbols.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if movesFS(m, isLibc(filepath.Base(path))) {
			t.Errorf("%s moves FS", path)
		}
		m.Close()
	}
}
