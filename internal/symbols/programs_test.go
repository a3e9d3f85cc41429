package symbols

import (
	"path/filepath"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

const cSource = `
#include <stdio.h>
#include <stdlib.h>
static int hidden(int x) { puts("hidden"); return x * 3; }
int shown(int x) { return hidden(x) + 1; }
__attribute__((cold, noinline)) static void fail(void) { abort(); }
int (*volatile pointer)(int) = hidden;
int main(int argc, char **argv) { if (argc > 5) fail(); return shown(pointer(argc)) == 0; }
`

const cxxSource = `
#include <cstdio>
#include <string>
struct Guard { std::string s; ~Guard() { std::puts(s.c_str()); } };
__attribute__((noinline)) void thrower(int x) { if (x > 3) throw x; if (x > 2) throw "text"; }
__attribute__((noinline)) int catcher(int x) {
	Guard g{std::to_string(x)};
	try { thrower(x); } catch (int e) { return e; } catch (const char *s) { std::puts(s); }
	return 0;
}
int main(int argc, char **argv) { return catcher(argc); }
`

const goSource = `package main

import "fmt"

type shape interface{ area() int }
type square int

//go:noinline
func (s square) area() int { return int(s * s) }

func add(a, b int) int

func main() {
	var s shape = square(add(2, 3))
	f := func() { fmt.Println(s.area()) }
	f()
}
`

const goAssembly = `#include "textflag.h"
TEXT ·add(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	ADDQ b+8(FP), AX
	MOVQ AX, ret+16(FP)
	RET
`

const cgoFile = `package main

// static int twice(int x) { return 2 * x; }
// int thrice(int x) { return 3 * x; }
import "C"

func init() { println(int(C.twice(1)), int(C.thrice(1))) }
`

// goBuild builds the Go test program with the build flags given. cgo needs all
// assembly to be C's, so that the two are not built together.
func goBuild(t testing.TB, cgo bool, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/p\n\ngo 1.26\n")
	env := "CGO_ENABLED=0"
	if cgo {
		env = "CGO_ENABLED=1"
		write(t, filepath.Join(dir, "cgo.go"), cgoFile)
		write(t, filepath.Join(dir, "add.go"), "package main\n\nfunc init() { addFunc = func(a, b int) int { return a + b } }\n\nvar addFunc func(a, b int) int\n")
		write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { println(addFunc(1, 2)) }\n")
	} else {
		write(t, filepath.Join(dir, "main.go"), goSource)
		write(t, filepath.Join(dir, "add_amd64.s"), goAssembly)
	}
	out := filepath.Join(dir, "p")
	testutils.RunProgram(t, nil, testutils.Command{
		Path:    testutils.Program(t, "go", "golang-go"),
		Args:    append(append([]string{"build", "-C", dir, "-o", out}, flags...), "."),
		Env:     []string{env, "GOFLAGS="},
		Timeout: 300e9,
	})
	return out
}

// stripped makes a copy without .symtab.
func stripped(t testing.TB, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "stripped")
	run(t, "binutils", "strip", "-o", out, path)
	return out
}

func rustBuild(t testing.TB) string {
	return compile(t, "rustc", "rustc", "p.rs", `
use std::collections::HashMap;
#[inline(never)]
fn count(words: &[String]) -> HashMap<&str, usize> {
    let mut m = HashMap::new();
    for w in words { *m.entry(w.as_str()).or_insert(0) += 1; }
    m
}
fn main() { let a: Vec<String> = std::env::args().collect(); println!("{:?}", count(&a)); }
`)
}
