package unwind

import (
	"fmt"
	"testing"

	"github.com/functap/functap/internal/symbols"
)

func TestTmp(t *testing.T) {
	for _, p := range [][]string{{"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib64/ld-linux-x86-64.so.2"}, {"/tmp/s_static"}, {"/tmp/s_stripped"}, {"/lib/ld-musl-x86_64.so.1"}} {
		var ms []Module
		for _, f := range p {
			m, err := symbols.Open(f)
			if err != nil {
				t.Fatal(err)
			}
			ms = append(ms, m)
		}
		s, err := Find(ms)
		fmt.Printf("%v %+v %+v %v\n", p, s.Pointer, s, err)
	}
}
