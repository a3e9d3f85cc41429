package symbols

import "github.com/ianlancetaylor/demangle"

// Demangle turns a C++ or Rust symbol into what its source calls it, and leaves
// any other name as it is. Rust's hash suffixes are dropped.
func Demangle(name string) string { return demangle.Filter(name) }
