package fgraph_test

import (
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestExceptions throws, cancels and traces through wrapped functions: all of the program
// and of its libraries, the unwinder's own included as far as they can be.
func TestExceptions(t *testing.T) {
	for _, v := range []testutils.Variant{
		testutils.CXX, testutils.CXXStaticGCC, testutils.CXXStatic, testutils.CXXStaticPIE, testutils.CXXStripped, testutils.CXXLLVM,
	} {
		t.Run("count.cc "+v.Name, func(t *testing.T) {
			exactCase{"count.cc", v, []string{"4"}, 50}.check(t, everything)
		})
		t.Run("unwind.cc "+v.Name, func(t *testing.T) {
			sum := exactCase{"unwind.cc", v, []string{"4"}, 100}.check(t, everything)
			if sum.Unwound < 4*100*30 {
				t.Errorf("%d unwound", sum.Unwound)
			}
		})
	}
}
